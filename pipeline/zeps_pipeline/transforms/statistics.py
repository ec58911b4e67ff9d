"""Computes rates, frequent keys and sizes of messages."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

__all__ = ["binned", "top_keys"]

_ACCURACY = 0.02
_SECOND = 1_000_000  # microseconds


def binned(messages: DataFrame, width: int) -> DataFrame:
    """One row for each stream and bin of `width` seconds that has messages.

    `messages` has stream, timestamp, key and value. The result is sorted by `stream` and `time`, and its columns
    are these; `time`, the bin's begin in microseconds since 1970; `messages`; `octets`, bytes of bodies; `rate`,
    messages per second; `peak`, the most messages in one second; `keys`, distinct keys with a relative error of
    about 2 %; and `size_min`, `size_median`, `size_mean`, `size_99` (percentile) and `size_max` of bodies in
    bytes, of which median and percentile are approximate.

    The rate covers the part of the bin between the stream's first and last message, at least a second,
    because the first and the last bin are seldom filled completely.
    """
    size, bin_micros = f.length("value"), width * _SECOND
    timed = messages.withColumn("at", f.unix_micros("timestamp")).withColumn("time", _begin("at", bin_micros))
    seconds = timed.groupBy("stream", "time", _begin("at", _SECOND)).count()
    peaks = seconds.groupBy("stream", "time").agg(f.max("count").alias("peak"))
    bins = timed.groupBy("stream", "time").agg(
        f.count("*").alias("messages"),
        f.sum(size).alias("octets"),
        f.approx_count_distinct("key", _ACCURACY).alias("keys"),
        f.min(size).alias("size_min"),
        f.percentile_approx(size, 0.5).alias("size_median"),
        f.avg(size).alias("size_mean"),
        f.percentile_approx(size, 0.99).alias("size_99"),
        f.max(size).alias("size_max"),
        f.min("at").alias("first"),
        f.max("at").alias("last"),
    )
    stream = Window.partitionBy("stream")
    begin = f.greatest("time", f.min("first").over(stream))
    end = f.least(f.col("time") + bin_micros, f.max("last").over(stream))
    elapsed = f.greatest(end - begin, f.lit(_SECOND)) / _SECOND
    rated = bins.withColumn("rate", f.col("messages") / elapsed).join(peaks, ["stream", "time"], "left")
    sizes = ("size_min", "size_median", "size_mean", "size_99", "size_max")
    names = ("stream", "time", "messages", "octets", "rate", "peak", "keys", *sizes)
    return rated.select(*names).orderBy("stream", "time")


def _begin(at: str, width: int) -> Column:
    """Begin of the interval of `width` microseconds that contains the time in the column `at`."""
    return f.col(at) - f.pmod(f.col(at), f.lit(width))


def top_keys(messages: DataFrame, count: int) -> DataFrame:
    """The `count` most frequent keys of each stream, with their numbers of `messages` and of body bytes (`octets`), and
    their `rank` from 1; by stream, most frequent first.
    """
    counted = messages.groupBy("stream", "key").agg(
        f.count("*").alias("messages"), f.sum(f.length("value")).alias("octets")
    )
    order = Window.partitionBy("stream").orderBy(f.desc("messages"), "key")
    ranked = counted.withColumn("rank", f.row_number().over(order))
    return ranked.where(f.col("rank") <= count).orderBy("stream", "rank")
