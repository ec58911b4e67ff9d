"""A streaming query from a journal to a broker; run as a program, it is a driver that tests can kill.

    python driver.py JOURNAL ENDPOINT CHECKPOINT MIN_PARTITIONS

Reads the available messages in batches of some hundred, publishes them to the stream `copy`, and ends.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

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
    journal, endpoint, checkpoint, partitions = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("zeps sink")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    spark.dataSource.register(ZepsDataSource)
    start_copy(spark, journal, endpoint, checkpoint, int(partitions)).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
