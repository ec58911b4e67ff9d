"""A streaming query from a journal to a broker, in a driver of its own, which a test may kill.

    python driver.py JOURNAL ENDPOINT CHECKPOINT MIN_PARTITIONS

Reads what is there in batches of some hundred messages, publishes it to the stream `copy`, and ends.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from zeps_pipeline.source.datasource import ZepsDataSource


def main() -> None:
    journal, endpoint, checkpoint, partitions = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("zeps sink")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    spark.dataSource.register(ZepsDataSource)
    messages = (
        spark.readStream.format("zeps")
        .option("path", journal)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 600)
        .option("minPartitions", partitions)
        .load()
    )
    query = (
        messages.select("key", "value")
        .writeStream.format("zeps")
        .option("zeps.endpoint", endpoint)
        .option("stream", "copy")
        .option("zeps.settle", "0.5")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
