"""A Spark session for tests and for drivers in processes of their own, and the end of a query."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

__all__ = ["finish", "small_session"]


def small_session(folder: Path | str) -> SparkSession:
    """A session with two threads, whose temporary files are in `folder`."""
    return (
        SparkSession.builder.master("local[2]")
        .appName("zeps tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .config("spark.local.dir", str(folder))
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )


def finish(query: StreamingQuery) -> None:
    """Wait until the query has ended, and stop it in any case. Raises AssertionError after four minutes."""
    try:
        assert query.awaitTermination(240)
    finally:
        query.stop()
