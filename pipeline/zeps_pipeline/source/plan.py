"""Which part of a journal each task reads: few and large parts, cut between blocks.

A segment that lies in one part whole is not even opened here.
"""

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

_PART_OCTETS_MAX = 256 << 20
_PART_OCTETS_MIN = 8 << 20
"""A smaller part is not made only to keep one more processor busy: each costs Spark some 30 ms."""


class Slice(NamedTuple):
    """A run of a segment's blocks, from the block of `sequence` at octet `at` (None: the first) to before octet
    `end` (None: all of them), and the sequences that are wanted of them, both inclusive.
    """

    segment: Segment
    first: int = 1
    last: int = SEQUENCE_MAX
    at: int | None = None
    sequence: int | None = None
    end: int | None = None

    @property
    def octets(self) -> int:
        """About how much there is to read."""
        return (self.segment.octets if self.end is None else self.end) - (self.at or 0)


class JournalPart(InputPartition):
    """What one task reads, in this order."""

    def __init__(self, slices: Sequence[Slice]) -> None:
        super().__init__(tuple(slices))

    @property
    def slices(self) -> tuple[Slice, ...]:
        slices: tuple[Slice, ...] = self.value
        return slices


def parts_of(slices: Sequence[Slice], parts_min: int) -> list[JournalPart]:
    """The slices in about equal parts, in their order; at least `parts_min` if there are as many blocks.

    Without any, one part of nothing: Spark makes a part of its own of an empty list.
    """
    octets = sum(each.octets for each in slices)
    count = max(
        parts_min, -(-octets // _PART_OCTETS_MAX), min(os.cpu_count() or 1, octets // _PART_OCTETS_MIN), 1
    )
    target = max(1, -(-octets // count))
    parts: list[list[Slice]] = [[]]
    room = target
    for each in slices:
        rest: Slice | None = each
        while rest is not None:
            if room <= 0:
                parts.append([])
                room = target
            here, rest = cut(rest, room) if rest.octets > room else (rest, None)
            parts[-1].append(here)
            room -= here.octets
    return [JournalPart(part) for part in parts]


def cut(whole: Slice, octets: int) -> tuple[Slice, Slice | None]:
    """The beginning of `whole`, at least `octets` long, and the rest; None if no block begins there.

    It is cut before a block that follows another one, so that whatever is lost lies on one side.
    """
    wanted = (whole.at or 0) + octets
    follows = False
    for head in _heads(whole):
        if head is None:
            follows = False
            continue
        if follows and head.at >= wanted:
            return (
                whole._replace(end=head.at),
                whole._replace(at=head.at, sequence=head.first_sequence),
            )
        follows = True
    return whole, None


def _heads(whole: Slice) -> Iterator[BlockHead | None]:
    """The blocks of `whole`; None in place of what is none."""
    segment = whole.segment
    with SegmentFile(segment.path, segment.octets) as file:
        for piece in served(segment, file, at=whole.at, sequence=whole.sequence):
            if not isinstance(piece, BlockHead):
                yield None
            elif whole.end is not None and piece.at >= whole.end:
                return
            else:
                yield piece
