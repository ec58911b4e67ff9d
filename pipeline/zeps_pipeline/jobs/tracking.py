"""Progress of Spark's tasks, polled from a thread beside the job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from pyspark.sql import SparkSession

__all__ = ["ReportProgress", "tracked"]

ReportProgress = Callable[[int, int], None]
"""Called as `progress(done, total)`."""
_EVERY_SECONDS = 0.5


@contextmanager
def tracked(spark: SparkSession, progress: ReportProgress) -> Iterator[None]:
    """Calls `progress` twice a second, in another thread, with the numbers of done and all tasks of active stages."""
    tracker = spark.sparkContext.statusTracker()
    over = Event()

    def watch() -> None:
        while not over.wait(_EVERY_SECONDS):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            running = [stage for stage in stages if stage is not None]
            if running:
                progress(
                    sum(stage.numCompletedTasks for stage in running),
                    sum(stage.numTasks for stage in running),
                )

    watcher = Thread(target=watch, name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
