"""A query from a live broker to Parquet, for tests of restarts; run as a program, it kills itself.

    python dying_query.py ENDPOINT FOLDER PARTS FAILPOINT

FAILPOINT is the place at which the driver's process group gets SIGKILL, in the second batch or later: `planned` before
Spark knows the batch's offsets, `logged` after they are in the checkpoint and before rows are written, `read` in a task
that has returned messages, `committed` when the source is notified that a batch is done.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery
from small_session import small_session

from zeps_pipeline.source.datasource import ZepsDataSource
from zeps_pipeline.source.stream import ZepsStreamReader

ROWS = 400
"""Rows of a batch."""


class DyingReader(ZepsStreamReader):
    """A stream reader that kills the driver and itself at its failpoint."""

    def __init__(self, options: Any, schema: Any, failpoint: str, driver: int) -> None:
        super().__init__(options, schema)
        self._failpoint = failpoint
        self._driver = driver
        self._batches = 0

    def _die(self, here: str) -> None:
        if here == self._failpoint:
            os.killpg(self._driver, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    def latestOffset(self, start: Any, limit: Any) -> Any:  # noqa: N802
        end = super().latestOffset(start, limit)
        self._batches += end != start
        if self._batches == 2:
            self._die("planned")
        return end

    def partitions(self, start: Any, end: Any) -> Any:
        if "from:s" not in end:
            self._die("logged")
        return super().partitions(start, end)

    def read(self, partition: Any) -> Iterator[Any]:
        for batch in super().read(partition):
            yield batch
            if partition.value[1] > ROWS:
                self._die("read")

    def commit(self, end: Any) -> None:
        self._die("committed")


class DyingSource(ZepsDataSource):
    """The data source with a DyingReader."""

    failpoint = ""
    driver = 0

    def streamReader(self, schema: Any) -> Any:  # noqa: N802
        reader = super().streamReader(schema)
        return DyingReader(reader._options, reader._schema, self.failpoint, self.driver)


def start(spark: SparkSession, endpoint: str, folder: str, parts: int) -> StreamingQuery:
    """Start the query from the stream `s` to `FOLDER/out`; it ends after it has read all available messages."""
    stream = spark.readStream.format("zeps").options(
        **{"zeps.endpoint": endpoint, "zeps.timeout": "240"},
        subscribe="s",
        startingOffsets="earliest",
        maxOffsetsPerTrigger=str(ROWS),
        minPartitions=str(parts),
    )
    return (
        stream.load()
        .selectExpr("offset", "CAST(value AS STRING) AS value")
        .writeStream.format("parquet")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start(f"{folder}/out")
    )


def main() -> None:
    endpoint, folder, parts, DyingSource.failpoint = sys.argv[1:]
    DyingSource.driver = os.getpgid(0)
    spark = small_session(folder)
    spark.dataSource.register(DyingSource)
    start(spark, endpoint, folder, int(parts)).awaitTermination()


if __name__ == "__main__":
    main()
