"""Divides a journal into parts for tasks: few and large parts, cut between blocks. Only cut segments are opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate
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
    """Divides the slices, in order, into about equal parts of at most about 256 MiB; at least `parts_min` parts if
    there are as many blocks, and one per processor of this machine if each has 8 MiB. Without slices: one empty part.
    """
    total = sum(segment_slice.size for segment_slice in slices)
    count = max(
        parts_min, -(-total // _PART_BYTES_MAX), min(os.cpu_count() or 1, total // _PART_BYTES_MIN), 1
    )
    parts = _by_size(slices, total, count)
    if len(parts) < parts_min:
        parts = _halved(parts, parts_min)
    return [JournalPart(part) for part in parts]


def _by_size(slices: Sequence[Slice], total: int, count: int) -> list[list[Slice]]:
    """Divides the slices, of `total` bytes, into at most `count` parts; large blocks can make them fewer."""
    parts: list[list[Slice]] = [[]]
    remaining = max(1, -(-total // count))
    for segment_slice in slices:
        rest: Slice | None = segment_slice
        while rest is not None:
            if remaining <= 0:
                remaining = max(1, -(-total // (count - len(parts))))
                parts.append([])
            here, rest = cut(rest, remaining) if rest.size > remaining else (rest, None)
            parts[-1].append(here)
            remaining -= here.size
            total -= here.size
    return parts


def _halved(parts: Sequence[list[Slice]], count: int) -> list[list[Slice]]:
    """Halves the largest part repeatedly, until there are `count` parts or each has one block; keeps the order."""
    whole: list[tuple[int, tuple[int, ...], list[Slice]]] = [
        (-_size(part), (place,), part) for place, part in enumerate(parts)
    ]
    heapify(whole)
    single: list[tuple[tuple[int, ...], list[Slice]]] = []
    while whole and len(whole) + len(single) < count:
        _, place, part = heappop(whole)
        first, second = _halves(part)
        if not second:
            single.append((place, part))
            continue
        heappush(whole, (-_size(first), (*place, 0), first))
        heappush(whole, (-_size(second), (*place, 1), second))
    return [part for _, part in sorted([*single, *((place, part) for _, place, part in whole)])]


def _halves(part: list[Slice]) -> tuple[list[Slice], list[Slice]]:
    """Divides a part at the boundary nearest its middle; the second half is empty if the part has one block."""
    if len(part) > 1:
        half, ends = _size(part) / 2, list(accumulate(piece.size for piece in part[:-1]))
        count = 1 + min(range(len(ends)), key=lambda place: abs(ends[place] - half))
        return part[:count], part[count:]
    (whole,) = part
    middle = (whole.at or 0) + whole.size / 2
    head = min(_boundaries(whole), key=lambda head: abs(head.at - middle), default=None)
    if head is None:
        return part, []
    first, second = _cut_before(whole, head)
    return [first], [second]


def _size(part: Sequence[Slice]) -> int:
    return sum(piece.size for piece in part)


def cut(whole: Slice, byte_count: int) -> tuple[Slice, Slice | None]:
    """Cuts `whole` after at least `byte_count` bytes, before a block that directly follows another one. Returns both
    parts; the second is None if no block begins after that.
    """
    offset_min = (whole.at or 0) + byte_count
    for head in _boundaries(whole):
        if head.at >= offset_min:
            return _cut_before(whole, head)
    return whole, None


def _cut_before(whole: Slice, head: BlockHead) -> tuple[Slice, Slice]:
    return whole._replace(end=head.at), whole._replace(at=head.at, sequence=head.first_sequence)


def _boundaries(whole: Slice) -> Iterator[BlockHead]:
    """Yields the heads of blocks of `whole` that directly follow another one."""
    follows = False
    for head in _heads(whole):
        if head is not None and follows:
            yield head
        follows = head is not None


def _heads(whole: Slice) -> Iterator[BlockHead | None]:
    """Yields the block heads of `whole`; None for damage."""
    segment = whole.segment
    with SegmentFile(segment.path, segment.size) as file:
        for piece in served(segment, file, at=whole.at, sequence=whole.sequence):
            if not isinstance(piece, BlockHead):
                yield None
            elif whole.end is not None and piece.at >= whole.end:
                return
            else:
                yield piece
