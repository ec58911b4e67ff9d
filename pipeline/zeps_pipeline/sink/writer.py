"""The writers that Spark asks for. Tasks stage, the driver commits."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from zeps_pipeline.errors import OptionError, PipelineError
from zeps_pipeline.sink.commit import abort_epoch, commit_epoch
from zeps_pipeline.sink.failpoints import reach
from zeps_pipeline.sink.messages import Staged
from zeps_pipeline.sink.options import WriteOptions
from zeps_pipeline.sink.rows import check_schema, checked
from zeps_pipeline.sink.staging import Stage

__all__ = ["EPOCH_PROPERTY", "QUERY_PROPERTY", "BatchWriter", "StreamWriter"]

EPOCH_PROPERTY = "streaming.sql.batchId"
QUERY_PROPERTY = "sql.streaming.queryId"
"""Local properties that a task of a streaming query sees. Spark does not document them: a test watches over them."""

Messages = list[WriterCommitMessage | None]


def _stage(options: WriteOptions, query: str, epoch: int, batches: Iterator[pa.RecordBatch]) -> Staged:
    context = TaskContext.get()
    number = 0 if context is None else context.partitionId()
    reach("before-write")
    # Files in the order of their names are rows in the order of their partitions.
    name = f"{number:06d}-{uuid.uuid4().hex}.arrow"
    rows = Stage(options.staging, query).write(epoch, name, checked(batches, options.stream))
    reach("after-write")
    return Staged(query, epoch, name, rows)


class StreamWriter(DataSourceStreamArrowWriter):
    """`writeStream.format("zeps")`: an epoch is a batch of a query, and a query keeps its id in its checkpoint."""

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        check_schema(schema, options.stream)
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        context = TaskContext.get()
        query = context and context.getLocalProperty(QUERY_PROPERTY)
        epoch = context and context.getLocalProperty(EPOCH_PROPERTY)
        if not query or not epoch:
            raise PipelineError(
                f"this Spark does not say which batch of which query a task belongs to ({QUERY_PROPERTY}, "
                f"{EPOCH_PROPERTY}): without that nothing can be published once"
            )
        return _stage(self._options, query, int(epoch), iterator)

    def commit(self, messages: Messages, batchId: int) -> None:  # noqa: N803  Spark's name
        commit_epoch(self._options, cast("list[Staged | None]", messages))

    def abort(self, messages: Messages, batchId: int) -> None:  # noqa: N803
        abort_epoch(self._options, cast("list[Staged | None]", messages))


class BatchWriter(DataSourceArrowWriter):
    """`write.format("zeps")`: one epoch. With `zeps.writeId` the same write may be tried again."""

    def __init__(self, options: WriteOptions, schema: StructType, *, overwrite: bool) -> None:
        if overwrite:
            raise OptionError("a stream only grows: write with mode append, not overwrite")
        check_schema(schema, options.stream)
        self._options = options
        self._query = options.write_id or f"write-{uuid.uuid4().hex}"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        return _stage(self._options, self._query, 0, iterator)

    def commit(self, messages: Messages) -> None:
        commit_epoch(self._options, cast("list[Staged | None]", messages))
        self._forget()

    def abort(self, messages: Messages) -> None:
        abort_epoch(self._options, cast("list[Staged | None]", messages))
        self._forget()

    def _forget(self) -> None:
        """A write that has no name cannot be tried again."""
        if self._options.write_id is None:
            shutil.rmtree(Path(self._options.staging) / self._query, ignore_errors=True)
