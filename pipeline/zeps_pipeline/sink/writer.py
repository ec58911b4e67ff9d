"""Spark's writers for `format("zeps")`: tasks stage rows, the driver commits them."""

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
"""Local properties of a streaming query's tasks. Spark does not document them; a test checks that they exist."""

Messages = list[WriterCommitMessage | None]


def _stage(options: WriteOptions, query: str, epoch: int, batches: Iterator[pa.RecordBatch]) -> Staged:
    context = TaskContext.get()
    number = 0 if context is None else context.partitionId()
    reach("before-write")
    # The order of the file names is the order of the partitions.
    name = f"{number:06d}-{uuid.uuid4().hex}.arrow"
    rows = Stage(options.staging, query).write(epoch, name, checked(batches, options.stream))
    reach("after-write")
    return Staged(query, epoch, name, rows)


class StreamWriter(DataSourceStreamArrowWriter):
    """`writeStream.format("zeps")`, one epoch per batch. The constructor raises the errors of check_schema."""

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        check_schema(schema, options.stream)
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        context = TaskContext.get()
        query = context and context.getLocalProperty(QUERY_PROPERTY)
        epoch = context and context.getLocalProperty(EPOCH_PROPERTY)
        if not query or not epoch:
            raise PipelineError(
                f"this version of Spark does not set the local properties {QUERY_PROPERTY} and {EPOCH_PROPERTY} of a "
                "task, which are needed to publish each row once"
            )
        return _stage(self._options, query, int(epoch), iterator)

    def commit(self, messages: Messages, batchId: int) -> None:  # noqa: N803  Spark's name
        commit_epoch(self._options, cast("list[Staged | None]", messages))

    def abort(self, messages: Messages, batchId: int) -> None:  # noqa: N803
        abort_epoch(self._options, cast("list[Staged | None]", messages))


class BatchWriter(DataSourceArrowWriter):
    """`write.format("zeps")`: one epoch. With `zeps.writeId` the same write can be retried. The constructor raises
    OptionError if `overwrite` is set, and the errors of check_schema.
    """

    def __init__(self, options: WriteOptions, schema: StructType, *, overwrite: bool) -> None:
        if overwrite:
            raise OptionError("mode overwrite is not supported, because a stream only grows; use mode append")
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
        """Remove the staging folder of a write without a write id, which cannot be retried."""
        if self._options.write_id is None:
            shutil.rmtree(Path(self._options.staging) / self._query, ignore_errors=True)
