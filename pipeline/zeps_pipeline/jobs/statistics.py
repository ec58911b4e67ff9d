"""Rates, keys and sizes of a journal, by way of the data source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from zeps_pipeline.journal import VANISHED, check_shared
from zeps_pipeline.transforms.statistics import hourly, top_keys

__all__ = ["Hour", "Key", "Statistics", "statistics"]


@dataclass(frozen=True, slots=True)
class Hour:
    """What a stream stored in the hour that begins with `time`, in microseconds since 1970. Sizes are of bodies,
    in octets; `rate` is messages a second over the whole hour, `peak` the most in one second.
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
    """One of a stream's most frequent keys."""

    stream: str
    key: str
    messages: int
    octets: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of it, in the order of streams and hours."""

    journal: str
    hours: list[Hour]
    keys: list[Key]

    def streams(self) -> list[str]:
        return sorted({hour.stream for hour in self.hours})


def statistics(spark: SparkSession, journal: str, streams: Sequence[str] | None, top: int) -> Statistics:
    """Raises what Spark raises for a journal that cannot be read, and PipelineError for one that tasks do not see; what
    is damaged is passed over.
    """
    spark.dataSource.register(_source())
    reader = spark.read.format("zeps").option("path", journal).option("includeDamage", "true")
    if streams:
        reader = reader.option("subscribe", ",".join(streams))
    everything = reader.option("columns", "key,value,stream,timestamp,damage").load()
    rows = hourly(_with_missed(everything)).collect()
    check_shared(row["stream"] for row in rows if row["hour"] is None)
    hours = [Hour(row["stream"], _micros(row["hour"]), *row[2:]) for row in rows if row["hour"] is not None]
    messages = everything.where("damage IS NULL")
    keys = [
        Key(row["stream"], bytes(row["key"]).decode(errors="replace"), row["messages"], row["octets"])
        for row in top_keys(messages, top).collect()
    ]
    return Statistics(journal, hours, keys)


def _with_missed(rows: DataFrame) -> DataFrame:
    """The messages of `rows`, and for each segment that a task did not find a row that has its path for a stream, and
    no time. So no other pass is needed, which other tasks might make.
    """
    missed = f.col("damage.reason") == VANISHED
    told = rows.where(f.col("damage").isNull() | missed)
    return told.withColumn("stream", f.when(missed, f.col("damage.file")).otherwise(f.col("stream")))


def _source() -> type:
    from zeps_pipeline.source.datasource import ZepsDataSource

    return ZepsDataSource


def _micros(time: datetime) -> int:
    """Spark gives times of this machine's zone, without saying so."""
    return round(time.astimezone(UTC).timestamp() * 1_000_000)
