"""Spark session of a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from pyspark.sql import SparkSession

from zeps_pipeline.jobs.java import require_java

__all__ = ["session"]


@contextmanager
def session(name: str, master: str) -> Iterator[SparkSession]:
    """A session on `master`, which stops when the context ends. Only for the main thread. Times are UTC; settings
    of `spark-submit` and of Spark's files are kept, except for the few that are set here. SIGINT stops the session; the
    context then raises KeyboardInterrupt. Raises PipelineError if no usable Java is installed.
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
    with _interruptible() as interruption:
        # In the main thread, PySpark would install its own SIGINT handler.
        with ThreadPoolExecutor(1) as other:
            spark = other.submit(builder.getOrCreate).result()
        try:
            interruption.stops(spark)
            yield spark
        finally:
            interruption.join()
            spark.stop()


class _Interruption:
    """Records that SIGINT arrived, and stops the session."""

    def __init__(self) -> None:
        self.came = False
        self._spark: SparkSession | None = None
        self._stopping: threading.Thread | None = None

    def handle(self, *_: object) -> None:
        """Stop the session from another thread, with its own connection to Java; the main thread's calls then fail."""
        self.came = True
        if self._spark is not None and self._stopping is None:
            self._stopping = threading.Thread(target=self._spark.stop)
            self._stopping.start()

    def stops(self, spark: SparkSession) -> None:
        """Set the session that SIGINT stops. Raises KeyboardInterrupt if SIGINT has already arrived."""
        self._spark = spark
        if self.came:
            raise KeyboardInterrupt

    def join(self) -> None:
        self._spark = None
        if self._stopping is not None:
            self._stopping.join()


@contextmanager
def _interruptible() -> Iterator[_Interruption]:
    """Keeps KeyboardInterrupt, which would corrupt the connection to Java, out of PySpark: SIGINT stops the session,
    and the context raises it at its end.
    """
    interruption = _Interruption()
    before = signal.signal(signal.SIGINT, interruption.handle)
    try:
        yield interruption
    except Exception:
        if not interruption.came:
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if interruption.came:
        raise KeyboardInterrupt
