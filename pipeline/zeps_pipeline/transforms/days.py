"""Messages by day."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

__all__ = ["by_day"]


def by_day(messages: DataFrame) -> DataFrame:
    """`messages` with the column `day` (the session's time zone, which our commands set to UTC), in the order of
    streams, days and sequences within each partition.
    """
    return messages.withColumn("day", f.to_date("timestamp")).sortWithinPartitions("stream", "day", "offset")
