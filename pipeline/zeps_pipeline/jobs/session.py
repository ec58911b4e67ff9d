"""A Spark session for a command."""

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
    """A session on `master`, that ends with the context. Times are UTC. What `spark-submit` or Spark's own files
    configure stays as it is. SIGINT stops it, and the context raises KeyboardInterrupt in place of what its work then
    raises. Raises PipelineError where there is no Java for it.
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
        with ThreadPoolExecutor(1) as other:  # in the main thread, it would set a handler of its own
            spark = other.submit(builder.getOrCreate).result()
        try:
            interruption.stops(spark)
            yield spark
        finally:
            interruption.join()
            spark.stop()


class _Interruption:
    """That SIGINT came, and the session that it stops."""

    def __init__(self) -> None:
        self.came = False
        self._spark: SparkSession | None = None
        self._stopping: threading.Thread | None = None

    def handle(self, *_: object) -> None:
        """SIGINT came. The main thread may be waiting for Java's answer, so another one, with its own connection to
        Java, stops the session; whatever the main thread asks of it fails.
        """
        self.came = True
        if self._spark is not None and self._stopping is None:
            self._stopping = threading.Thread(target=self._spark.stop)
            self._stopping.start()

    def stops(self, spark: SparkSession) -> None:
        """Raises KeyboardInterrupt if SIGINT has already come."""
        self._spark = spark
        if self.came:
            raise KeyboardInterrupt

    def join(self) -> None:
        self._spark = None
        if self._stopping is not None:
            self._stopping.join()


@contextmanager
def _interruptible() -> Iterator[_Interruption]:
    """Keeps KeyboardInterrupt out of PySpark: in its start it would leave Java behind, in a call the connection in the
    middle of an answer.
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
