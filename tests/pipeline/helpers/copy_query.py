"""A streaming query from a journal to a broker; run as a program, it is a driver that tests can kill.

    python copy_query.py JOURNAL ENDPOINT CHECKPOINT MIN_PARTITIONS FOLDER

Publishes the available messages to `copy` in batches of some hundred, and ends. FOLDER has Spark's temporary files.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery
from small_session import small_session

from zeps_pipeline.source.datasource import ZepsDataSource


def start_copy(
    spark: SparkSession, journal: str, endpoint: str, checkpoint: str, partitions: int
) -> StreamingQuery:
    """Start the query; it ends after it has published all available messages."""
    messages = (
        spark.readStream.format("zeps")
        .option("path", journal)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 600)
        .option("minPartitions", partitions)
        .load()
    )
    return (
        messages.select("key", "value")
        .writeStream.format("zeps")
        .option("zeps.endpoint", endpoint)
        .option("stream", "copy")
        .option("zeps.settle", "0.5")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )


def main() -> None:
    journal, endpoint, checkpoint, partitions, folder = sys.argv[1:]
    spark = small_session(folder)
    spark.dataSource.register(ZepsDataSource)
    start_copy(spark, journal, endpoint, checkpoint, int(partitions)).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
