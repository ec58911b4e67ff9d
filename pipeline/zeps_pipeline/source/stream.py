"""`spark.readStream.format("zeps")`: the driver follows streams and says how far a batch goes, tasks read it.

The batch from `start` to `end` is the same messages whenever it is read: sequences name messages for ever, the
end is never beyond what is stored for good, and what is not there any more is an error.
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
from zeps_pipeline.journal.reading import Wanted
from zeps_pipeline.source.batch import read_part
from zeps_pipeline.source.follow import Follower
from zeps_pipeline.source.growing import JournalFollower
from zeps_pipeline.source.live import LiveFollower, LivePart, read_live
from zeps_pipeline.source.offsets import Budget, Progress, decode_offset, encode_offset, ranges
from zeps_pipeline.source.options import ReadOptions
from zeps_pipeline.source.places import streams_in
from zeps_pipeline.source.plan import JournalPart

__all__ = ["ZepsStreamReader"]


class ZepsStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads journals that grow, or a live broker's streams. It is pickled for tasks before it follows anything."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options = options
        self._schema = schema
        self._followers: dict[str, Follower] = {}
        self._fixed: set[str] | None = None
        """The streams that there were when the trigger AvailableNow began."""
        self._turn = 0

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        followers = self._follow()
        return encode_offset({name: Progress(each.start()) for name, each in followers.items()})

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        followers = self._follow()
        for each in followers.values():
            each.fix_end()
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
        after = {name: Progress(progress.following) for name, progress in before.items()}
        budget = self._budget(limit)
        for name in self._in_turn([*followers]):
            if budget.is_spent:
                break
            known = before.get(name)
            following = followers[name].earliest() if known is None else known.following
            progress = followers[name].advance(following, budget)
            if known is None:
                after[name] = Progress(progress.following, progress.since or following)
            elif progress.following != following:
                after[name] = progress
        return encode_offset(after) if budget.taken or _moved(before, after) else start

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        parts: list[InputPartition] = []
        for name, first, following in ranges(start, end):
            parts += self._follower(name).parts(first, following)
        return parts

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if isinstance(partition, LivePart):
            return read_live(partition, self._options, self._schema)
        assert isinstance(partition, JournalPart)
        return read_part(partition, self._options, self._schema, Wanted(key_prefix=self._options.key_prefix))

    def stop(self) -> None:
        for each in self._followers.values():
            each.close()
        self._followers.clear()

    def _check_there(self, before: Mapping[str, Progress], followers: Mapping[str, Follower]) -> None:
        """Raises DataLossError for a stream of the checkpoint that is gone."""
        gone = [name for name in before if name not in followers]
        if gone and self._options.fail_on_data_loss:
            raise DataLossError(
                f"the query has read the stream {gone[0]!r}, which is not there any more, or is not asked for. With "
                "failOnDataLoss=false the query goes on without it"
            )

    def _budget(self, limit: ReadLimit) -> Budget:
        """What Spark's limit leaves; of two limits of ours Spark knows one."""
        if isinstance(limit, ReadMaxRows):
            return Budget(limit.max_rows, self._options.bytes_max)
        if isinstance(limit, ReadMaxBytes):
            return Budget(None, limit.max_bytes)
        return Budget()

    def _follow(self) -> dict[str, Follower]:
        """The streams that there are now; of a live broker, those that were asked for."""
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
            raise DataLossError(f"{self._options.path} has no stream {name!r} any more")
        return JournalFollower(name, folders[name], self._options)

    def _in_turn(self, names: list[str]) -> list[str]:
        """Another stream first each time, so that none takes every batch for itself."""
        self._turn = (self._turn + 1) % max(1, len(names))
        return names[self._turn :] + names[: self._turn]


def _moved(before: Mapping[str, Progress], after: Mapping[str, Progress]) -> bool:
    return any(name not in before or after[name].following != before[name].following for name in after)
