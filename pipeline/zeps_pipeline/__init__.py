"""ZEPS and Spark: what the broker keeps as data frames, and data frames to the broker.

`journal` reads journal folders as columns and knows no Spark; `source` is the data source that
`spark.read.format("zeps")` and `spark.readStream` find (through `pyspark_zeps`); `commands` is what the
``zeps-pipeline`` command offers. Nothing here imports the broker: a journal is read by the format that
`protocol/journal.xml` says.
"""
