"""Divides messages by day."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

__all__ = ["by_day"]


def by_day(messages: DataFrame) -> DataFrame:
    """`messages` with `day` (in the session's time zone), sorted by stream, day and sequence within each partition."""
    return messages.withColumn("day", f.to_date("timestamp")).sortWithinPartitions("stream", "day", "offset")
