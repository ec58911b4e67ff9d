"""A Spark session for a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from zeps_pipeline.jobs.java import require_java

__all__ = ["session"]


@contextmanager
def session(name: str, master: str) -> Iterator[SparkSession]:
    """A session on `master`, that ends with the context. Times are UTC. What `spark-submit` or Spark's own files
    configure stays as it is. Raises PipelineError where there is no Java for it.
    """
    require_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    local = master.startswith("local")
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = (
        SparkSession.builder.master(master)
        .appName(name)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    if local:
        builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "8")
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
