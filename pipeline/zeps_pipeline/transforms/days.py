"""Divides messages by day."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

__all__ = ["by_day"]


def by_day(messages: DataFrame) -> DataFrame:
    """`messages` with the column `day`, sorted by stream, day and sequence within each partition.

    Days are those of the session's time zone, which the commands set to UTC.
    """
    return messages.withColumn("day", f.to_date("timestamp")).sortWithinPartitions("stream", "day", "offset")
