"""Streaming reader, `spark.readStream.format("zeps")`: the driver follows streams and plans batches, tasks read them.
The batch from `start` to `end` always has the same durable messages; a missing message is an error unless
failOnDataLoss is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from zeps_pipeline.errors import DataLossError
from zeps_pipeline.journal.reading import MessageSelection
from zeps_pipeline.source.batch import read_part
from zeps_pipeline.source.follow import Follower
from zeps_pipeline.source.growing import JournalFollower
from zeps_pipeline.source.live import LiveFollower, LivePart, read_live
from zeps_pipeline.source.offsets import Budget, StreamProgress, decode_offset, encode_offset, ranges
from zeps_pipeline.source.options import ReadOptions
from zeps_pipeline.source.places import streams_in
from zeps_pipeline.source.plan import JournalPart

__all__ = ["ZepsStreamReader"]


class ZepsStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads growing journals, or streams of a live broker. Spark pickles it for tasks before it has any followers."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options = options
        self._schema = schema
        self._followers: dict[str, Follower] = {}
        self._fixed: set[str] | None = None
        """Streams that existed when the trigger AvailableNow began."""
        self._turn = 0

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        followers = self._follow()
        return encode_offset({name: StreamProgress(follower.start()) for name, follower in followers.items()})

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        followers = self._follow()
        for follower in followers.values():
            follower.fix_end()
        self._fixed = set(followers)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        if self._options.offsets_max is not None:
            return ReadMaxRows(self._options.offsets_max)
        if self._options.bytes_max is not None:
            return ReadMaxBytes(self._options.bytes_max)
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        before = decode_offset(start)
        followers = self._follow()
        self._check_there(before, followers)
        after = {name: StreamProgress(progress.following) for name, progress in before.items()}
        budget = self._budget(limit)
        for name in self._in_turn([*followers]):
            if budget.is_spent:
                break
            known = before.get(name)
            following = followers[name].earliest() if known is None else known.following
            progress = followers[name].advance(following, budget)
            if known is None:
                after[name] = StreamProgress(progress.following, progress.since or following)
            elif progress.following != following:
                after[name] = progress
        return encode_offset(after) if budget.taken or _moved(before, after) else start

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        parts: list[InputPartition] = []
        existing = None if self._options.fail_on_data_loss else self._follow()
        for name, first, following in ranges(start, end):
            if existing is None or name in existing:
                parts += self._follower(name).parts(first, following)
        return parts

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if isinstance(partition, LivePart):
            return read_live(partition, self._options, self._schema)
        assert isinstance(partition, JournalPart)
        return read_part(
            partition, self._options, self._schema, MessageSelection(key_prefix=self._options.key_prefix)
        )

    def stop(self) -> None:
        for follower in self._followers.values():
            follower.close()
        self._followers.clear()

    def _check_there(self, before: Mapping[str, StreamProgress], followers: Mapping[str, Follower]) -> None:
        """With failOnDataLoss, raises DataLossError if a stream of the checkpoint is missing or not selected."""
        gone = [name for name in before if name not in followers]
        if gone and self._options.fail_on_data_loss:
            raise DataLossError(
                f"the query has read the stream {gone[0]!r}, which does not exist or is not selected now. With "
                "failOnDataLoss=false the query continues without it"
            )

    def _budget(self, limit: ReadLimit) -> Budget:
        """Budget of a batch with Spark's limit. If both limits are set, Spark knows only the number of messages."""
        if isinstance(limit, ReadMaxRows):
            return Budget(limit.max_rows, self._options.bytes_max)
        if isinstance(limit, ReadMaxBytes):
            return Budget(None, limit.max_bytes)
        return Budget()

    def _follow(self) -> dict[str, Follower]:
        """Followers of the existing streams; for a live broker, of the selected streams."""
        options = self._options
        names = options.streams if options.broker is not None else tuple(streams_in(options, strict=False))
        if self._fixed is not None:
            names = tuple(name for name in names if name in self._fixed)
        return {name: self._follower(name) for name in names}

    def _follower(self, name: str) -> Follower:
        if name not in self._followers:
            self._followers[name] = self._new_follower(name)
        return self._followers[name]

    def _new_follower(self, name: str) -> Follower:
        if self._options.broker is not None:
            return LiveFollower(name, self._options)
        folders = streams_in(self._options, strict=False)
        if name not in folders:
            raise DataLossError(f"{self._options.path} no longer has the stream {name!r}")
        return JournalFollower(name, folders[name], self._options)

    def _in_turn(self, names: list[str]) -> list[str]:
        """The streams, rotated by one more with every call, so that none uses the whole budget of every batch."""
        self._turn = (self._turn + 1) % max(1, len(names))
        return names[self._turn :] + names[: self._turn]


def _moved(before: Mapping[str, StreamProgress], after: Mapping[str, StreamProgress]) -> bool:
    return any(name not in before or after[name].following != before[name].following for name in after)
