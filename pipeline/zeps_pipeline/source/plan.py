"""Divides a journal into parts for tasks: few and large parts, cut between blocks. Only cut segments are opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pyspark.sql.datasource import InputPartition

from zeps_journal.block import BlockHead
from zeps_journal.segment_file import Segment, SegmentFile
from zeps_journal.walk import served
from zeps_pipeline.journal.columns import SEQUENCE_MAX

__all__ = ["JournalPart", "Slice", "cut", "parts_of"]

_PART_BYTES_MAX = 256 << 20
_PART_BYTES_MIN = 8 << 20
"""No smaller parts are created just to use all processors: each part costs Spark about 30 ms."""


class Slice(NamedTuple):
    """Selected sequences `first` to `last` (inclusive) in consecutive blocks of a segment: from the block of `sequence`
    at the byte offset `at` (None: from the first) to before the offset `end` (None: to the last).
    """

    segment: Segment
    first: int = 1
    last: int = SEQUENCE_MAX
    at: int | None = None
    sequence: int | None = None
    end: int | None = None

    @property
    def size(self) -> int:
        """Approximate number of bytes to read."""
        return (self.segment.size if self.end is None else self.end) - (self.at or 0)


class JournalPart(InputPartition):
    """The slices that one task reads, in order."""

    def __init__(self, slices: Sequence[Slice]) -> None:
        super().__init__(tuple(slices))

    @property
    def slices(self) -> tuple[Slice, ...]:
        slices: tuple[Slice, ...] = self.value
        return slices


def parts_of(slices: Sequence[Slice], parts_min: int) -> list[JournalPart]:
    """Divide the slices, in order, into about equal parts of at most about 256 MiB; at least `parts_min` parts if there
    are as many blocks, and one per processor of this machine if each has 8 MiB. Without slices: one empty part.
    """
    total = sum(segment_slice.size for segment_slice in slices)
    count = max(
        parts_min, -(-total // _PART_BYTES_MAX), min(os.cpu_count() or 1, total // _PART_BYTES_MIN), 1
    )
    target = max(1, -(-total // count))
    parts: list[list[Slice]] = [[]]
    remaining = target
    for segment_slice in slices:
        rest: Slice | None = segment_slice
        while rest is not None:
            if remaining <= 0:
                parts.append([])
                remaining = target
            here, rest = cut(rest, remaining) if rest.size > remaining else (rest, None)
            parts[-1].append(here)
            remaining -= here.size
    return [JournalPart(part) for part in parts]


def cut(whole: Slice, byte_count: int) -> tuple[Slice, Slice | None]:
    """Cut `whole` after at least `byte_count` bytes, before a block that directly follows another one. Returns both
    parts; the second is None if no block begins after that.
    """
    offset_min = (whole.at or 0) + byte_count
    follows = False
    for head in _heads(whole):
        if head is None:
            follows = False
            continue
        if follows and head.at >= offset_min:
            return (
                whole._replace(end=head.at),
                whole._replace(at=head.at, sequence=head.first_sequence),
            )
        follows = True
    return whole, None


def _heads(whole: Slice) -> Iterator[BlockHead | None]:
    """The block heads of `whole`; None for damage."""
    segment = whole.segment
    with SegmentFile(segment.path, segment.size) as file:
        for piece in served(segment, file, at=whole.at, sequence=whole.sequence):
            if not isinstance(piece, BlockHead):
                yield None
            elif whole.end is not None and piece.at >= whole.end:
                return
            else:
                yield piece
