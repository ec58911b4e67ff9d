"""Rates, keys and sizes."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

__all__ = ["hourly", "top_keys"]

_ACCURACY = 0.02


def hourly(messages: DataFrame) -> DataFrame:
    """A row for each stream and hour: messages, octets of bodies, messages a second, the most in one second, distinct
    keys (to two in a hundred), and the smallest, median, mean, 99th and largest of a hundred body sizes in octets.

    `messages` has stream, timestamp, key and value.
    """
    size = f.length("value")
    hour = f.date_trunc("hour", "timestamp").alias("hour")
    seconds = messages.groupBy("stream", hour, f.date_trunc("second", "timestamp")).count()
    peaks = seconds.groupBy("stream", "hour").agg(f.max("count").alias("peak"))
    hours = messages.groupBy("stream", hour).agg(
        f.count("*").alias("messages"),
        f.sum(size).alias("octets"),
        (f.count("*") / 3600).alias("rate"),
        f.approx_count_distinct("key", _ACCURACY).alias("keys"),
        f.min(size).alias("size_min"),
        f.percentile_approx(size, 0.5).alias("size_median"),
        f.avg(size).alias("size_mean"),
        f.percentile_approx(size, 0.99).alias("size_99"),
        f.max(size).alias("size_max"),
    )
    names = [*hours.columns[:5], "peak", *hours.columns[5:]]
    return hours.join(peaks, ["stream", "hour"], "left").select(names).orderBy("stream", "hour")


def top_keys(messages: DataFrame, count: int) -> DataFrame:
    """The `count` most frequent keys of each stream, with their messages and octets of bodies."""
    counted = messages.groupBy("stream", "key").agg(
        f.count("*").alias("messages"), f.sum(f.length("value")).alias("octets")
    )
    order = Window.partitionBy("stream").orderBy(f.desc("messages"), "key")
    ranked = counted.withColumn("rank", f.row_number().over(order))
    return ranked.where(f.col("rank") <= count).orderBy("stream", "rank")
