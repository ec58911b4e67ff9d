"""What Spark finds under the name `zeps`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

__all__ = ["MESSAGES", "ZepsDataSource"]

MESSAGES = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("stream", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
    ]
)
"""The columns that messages have, in the Kafka connector's order of names where it has them."""


class ZepsDataSource(DataSource):
    """`format("zeps")`."""

    @classmethod
    def name(cls) -> str:
        return "zeps"

    def schema(self) -> StructType:
        return MESSAGES
