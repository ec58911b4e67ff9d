"""Batch reader for a journal's folder, `spark.read.format("zeps")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)

from zeps_journal.damage import Damage
from zeps_pipeline.journal.columns import SEQUENCE_MAX
from zeps_pipeline.journal.reading import MessageSelection, read_segment
from zeps_pipeline.source.columns import with_damage
from zeps_pipeline.source.options import ReadOptions, microseconds_of
from zeps_pipeline.source.places import slices_of
from zeps_pipeline.source.plan import JournalPart, Slice, parts_of

__all__ = ["JournalReader", "PushingJournalReader", "read_part"]


class JournalReader(DataSourceReader):
    """Reads a journal as it is when Spark plans the parts, without later messages, in batches of `schema`."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options = options
        self._schema = schema
        self._selection = MessageSelection(key_prefix=options.key_prefix)

    def partitions(self) -> list[InputPartition]:
        selection = self._selection
        slices = [
            segment_slice
            for segment_slice in slices_of(self._options)
            if selection.first_sequence <= (segment_slice.segment.limit or selection.first_sequence)
            and selection.last_sequence >= segment_slice.segment.first_sequence
        ]
        return list(parts_of(slices, self._options.min_partitions))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, JournalPart)
        return read_part(partition, self._options, self._schema, self._selection)


class PushingJournalReader(JournalReader):
    """A JournalReader that skips blocks by comparisons of `offset`, `timestamp` and `key`. It is a separate class,
    because Spark refuses `pushFilters` unless `spark.sql.python.filterPushdown.enabled` is set.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Use the filters to skip whole blocks. All filters are returned, so that Spark filters the rows."""
        for condition in filters:
            self._selection = narrowed(self._selection, condition)
            yield condition


def read_part(
    part: JournalPart, options: ReadOptions, schema: pa.Schema, selection: MessageSelection
) -> Iterator[pa.RecordBatch]:
    """The batches of `part`, read in a task. Raises DataLossError, OSError, and PipelineError as BlockReader."""
    yield from with_damage(_pieces(part, schema, selection), schema, options)


def _pieces(
    part: JournalPart, schema: pa.Schema, selection: MessageSelection
) -> Iterator[pa.RecordBatch | Damage]:
    columns = pa.schema([field for field in schema if field.name != "damage"])
    for segment_slice in part.slices:
        here = _selection_within(segment_slice, selection)
        yield from read_segment(
            segment_slice.segment,
            columns,
            here,
            at=segment_slice.at,
            sequence=segment_slice.sequence,
            end=segment_slice.end,
        )


def _selection_within(part: Slice, selection: MessageSelection) -> MessageSelection:
    """The selection within `part`. Sequences of the offset options must exist; those of a filter need not."""
    return selection._replace(
        first_sequence=max(part.first, selection.first_sequence),
        last_sequence=min(part.last, selection.last_sequence),
        last_due=0 if part.last == SEQUENCE_MAX else part.last,
    )


def narrowed(selection: MessageSelection, condition: Filter) -> MessageSelection:
    """`selection`, reduced by the messages that `condition` certainly excludes."""
    if (
        not isinstance(
            condition, EqualTo | EqualNullSafe | GreaterThan | GreaterThanOrEqual | LessThan | LessThanOrEqual
        )
        or len(condition.attribute) != 1
    ):
        return selection
    (name,), value = condition.attribute, condition.value
    if (
        name == "key"
        and isinstance(condition, EqualTo | EqualNullSafe)
        and isinstance(value, bytes | bytearray)
    ):
        # Spark compares the whole keys, so a key that extends the present prefix can be the prefix.
        return (
            selection._replace(key_prefix=bytes(value))
            if value.startswith(selection.key_prefix)
            else selection
        )
    if name == "timestamp" and isinstance(value, datetime):
        low, high = _bounds(condition, microseconds_of(value))
        return selection._replace(
            first_time=max(selection.first_time, low), last_time=min(selection.last_time, high)
        )
    if name == "offset" and isinstance(value, int):
        low, high = _bounds(condition, value)
        return selection._replace(
            first_sequence=max(selection.first_sequence, low),
            last_sequence=min(selection.last_sequence, high),
        )
    return selection


def _bounds(condition: Filter, value: int) -> tuple[int, int]:
    """Lowest and highest number from 0 to 2**63 - 1 that satisfies the comparison with `value`; low > high if none."""
    low, high = 0, 2**63 - 1
    if isinstance(condition, EqualTo | EqualNullSafe | GreaterThanOrEqual):
        low = value
    if isinstance(condition, EqualTo | EqualNullSafe | LessThanOrEqual):
        high = value
    if isinstance(condition, GreaterThan):
        low = value + 1
    if isinstance(condition, LessThan):
        high = value - 1
    return max(0, low), high
