"""Spark integration for ZEPS: reads journals and live streams as data frames, and publishes data frames. `source` and
`sink` are the data source `zeps`, which Spark discovers through `pyspark_zeps`; `commands` has the commands of
``zeps-pipeline``. No module here imports the broker: journals are read by the format in `protocol/journal.xml`.
"""
