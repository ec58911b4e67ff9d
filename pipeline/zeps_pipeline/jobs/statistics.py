"""Rates, keys and sizes of a journal, read through the data source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from zeps_pipeline.journal import VANISHED, check_shared
from zeps_pipeline.source.datasource import ZepsDataSource
from zeps_pipeline.time_steps import time_step
from zeps_pipeline.transforms.statistics import binned, top_keys

__all__ = ["Bin", "Key", "Statistics", "statistics"]

_BINS_MAX = 120


@dataclass(frozen=True, slots=True)
class Bin:
    """Messages of a stream in the bin that begins at `time`, in microseconds since 1970. Sizes are those of bodies, in
    bytes; median and 99th percentile (`size_99`) are approximate. `rate` is messages per second over the part of the
    bin between the stream's first and last message; `peak` is the most messages in one second; `keys` is the number of
    distinct keys, with a relative error of about 2 %.
    """

    stream: str
    time: int
    messages: int
    octets: int
    rate: float
    peak: int
    keys: int
    size_min: int
    size_median: int
    size_mean: float
    size_99: int
    size_max: int


@dataclass(frozen=True, slots=True)
class Key:
    """One of a stream's most frequent keys, with the number and body bytes of its messages."""

    stream: str
    key: str
    messages: int
    octets: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Bins by stream and time, each of `bin_seconds`, and keys by stream, most frequent first."""

    journal: str
    bin_seconds: int
    bins: list[Bin]
    keys: list[Key]

    def streams(self) -> list[str]:
        return sorted({time_bin.stream for time_bin in self.bins})


def statistics(spark: SparkSession, journal: str, streams: Sequence[str] | None, top: int) -> Statistics:
    """Statistics in at most 120 bins for each stream; their length follows from the time between all messages.
    `streams` None or empty selects all; `top` is the number of keys for each stream. Damage is skipped. Registers the
    data source `zeps` in the session. Raises Spark's error if the journal cannot be read, and PipelineError if a task
    does not find a file that the driver has.
    """
    spark.dataSource.register(ZepsDataSource)
    reader = spark.read.format("zeps").option("path", journal).option("includeDamage", "true")
    if streams:
        reader = reader.option("subscribe", ",".join(streams))
    everything = reader.option("columns", "key,value,stream,timestamp,damage").load()
    messages = everything.where("damage IS NULL")
    width = time_step(_span(messages), _BINS_MAX - 1)  # the first and the last bin may be partly used
    rows = binned(_with_missed(everything), width).collect()
    check_shared(row["stream"] for row in rows if row["time"] is None)
    bins = [Bin(*row) for row in rows if row["time"] is not None]
    keys = [
        Key(row["stream"], bytes(row["key"]).decode(errors="replace"), row["messages"], row["octets"])
        for row in top_keys(messages, top).collect()
    ]
    return Statistics(journal, width, bins, keys)


def _with_missed(rows: DataFrame) -> DataFrame:
    """The messages of `rows`, and one row, with the path as stream and a null time, per segment that a task did not
    find.
    """
    missed = f.col("damage.reason") == VANISHED
    kept = rows.where(f.col("damage").isNull() | missed)
    return kept.withColumn("stream", f.when(missed, f.col("damage.file")).otherwise(f.col("stream")))


def _span(messages: DataFrame) -> float:
    """Seconds between the first and the last message of all streams; 0 without messages."""
    at = f.unix_micros("timestamp")
    first, last = messages.agg(f.min(at), f.max(at)).collect()[0]
    return 0.0 if first is None else (last - first) / 1_000_000
