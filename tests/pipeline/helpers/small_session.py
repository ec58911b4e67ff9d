"""A Spark session for tests, which drivers in processes of their own have too."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

__all__ = ["small_session"]


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
