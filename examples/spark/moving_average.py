"""Computes the moving average of stock prices in a broker's journal, as a Spark stream.

    python examples/demo.py --folder demo
    python examples/spark/moving_average.py demo/journal --to averages

The demo's journal has a stream `stocks` with JSON bodies: {"symbol": "AAPL", "date": "Jan 1 2000", "price": 25.94, …}.
"""

# %% Arguments: journal and output folders
from __future__ import annotations

import argparse
import os
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
parser = argparse.ArgumentParser(
    allow_abbrev=False, description="Compute a moving average of stock prices, as a stream."
)
parser.add_argument("journal", help="the broker's data folder")
parser.add_argument(
    "--to",
    default="averages",
    metavar="FOLDER",
    help="folder for Parquet files and checkpoint (default: averages)",
)
parser.add_argument(
    "--publish",
    metavar="ENDPOINT",
    help="also publish all averages in FOLDER, old and new, to the stream 'averages' of this broker",
)
options = parser.parse_args()

# %% Spark session; Spark discovers the data source `zeps` by its name
spark = (
    SparkSession.builder.master("local[2]")
    .appName("moving average")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)


# %% Transformations: messages to prices, prices to averages
def prices(messages: DataFrame) -> DataFrame:
    """One row per price: the time at which the broker stored it, symbol and price."""
    body = f.from_json(f.col("value").cast("string"), "symbol string, price double")
    return (
        messages.where(f.col("key").cast("string").startswith("stock."))
        .select("timestamp", body.alias("body"))
        .select("timestamp", "body.*")
    )


def moving_average(rows: DataFrame, width: str = "2 seconds", step: str = "1 second") -> DataFrame:
    """Mean price of each symbol in windows of length `width`, every `step`; a later price completes a window."""
    window = f.window("timestamp", width, step)
    return (
        rows.withWatermark("timestamp", "0 seconds")
        .groupBy(window.alias("window"), "symbol")
        .agg(f.avg("price").alias("average"), f.count("*").alias("prices"))
        .select("window.end", "symbol", "average", "prices")
    )


# %% Streaming query: all available messages, in batches; a second run continues after the first
messages = (
    spark.readStream.format("zeps")
    .option("subscribe", "stocks")
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 10_000)
    .load(options.journal)
)
averages = moving_average(prices(messages))
query = (
    averages.writeStream.format("parquet")
    .option("path", f"{options.to}/parquet")
    .option("checkpointLocation", f"{options.to}/checkpoint")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()

# %% Result
result = spark.read.parquet(f"{options.to}/parquet").orderBy("end", "symbol")
result.show(15, truncate=False)
print(f"{result.count()} averages in {options.to}/parquet")

# %% Publish the result to the broker, each row once
if options.publish:
    lines = result.select(
        f.concat(f.lit("average."), "symbol").alias("key"), f.to_json(f.struct("*")).alias("value")
    )
    lines.write.format("zeps").mode("append").option("zeps.endpoint", options.publish).option(
        "stream", "averages"
    ).save()

spark.stop()
