"""Merges the ranges of sequences and the holes that tasks report into the findings of a stream.

A task reports a segment as a few pieces: ranges of consecutive sequences, and holes, where the bytes do not
form a valid block. The pieces are merged in the order in which they are on the disk:

- Sequences that an earlier range has are a **repeat**.
- Other sequences that are below the highest sequence so far are out of order: **disorder**.
- Skipped sequences that no later range has are lost. They belong to the **damage** that covers them; otherwise they
  are a **gap**.

So two blocks that changed places are one finding instead of a gap and a repeat, and the messages of a damaged
block are not reported twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from zeps_pipeline.audit.findings import Finding, Kind
from zeps_pipeline.audit.spans import Span, Spans

__all__ = ["Hole", "Kept", "Merged", "SequenceRange", "merge"]


class SequenceRange(NamedTuple):
    """Messages with consecutive sequences, in bytes that passed their checksums: `size` bytes from the offset `at` of
    the file `segment` on. A segment's header counts as a range without messages: `first` is the sequence in the file's
    name, and `last` is `first - 1`. `begun` and `ended` are the storage times of the first and the last message, in
    microseconds since 1970; 0 without messages.
    """

    segment: str
    at: int
    size: int
    first: int
    last: int
    begun: int = 0
    ended: int = 0
    begins_with: int = 0
    """First sequence of the block at `at`; the block may be partly damaged."""


class Hole(NamedTuple):
    """Bytes without a valid block, and the sequences that should be there (if any: otherwise `last` is `first - 1`)."""

    segment: str
    at: int
    size: int
    kind: Kind
    first: int
    last: int
    reason: str


class Kept(NamedTuple):
    """Sequences `first` to `last` of the range `source`, which no earlier range has."""

    source: SequenceRange
    first: int
    last: int


@dataclass
class Merged:
    """Merged pieces of a stream: its readable sequences and its findings."""

    stream: str
    kept: list[Kept] = field(default_factory=list)
    """Each readable sequence once, at its first place in the journal."""
    covered: Spans = field(default_factory=Spans)
    findings: list[Finding] = field(default_factory=list)
    first: int = 0
    """First sequence that the stream should have; 0 for a stream without a segment."""
    last: int = 0
    """Highest sequence that the stream has or should have."""
    messages: int = 0
    """Number of readable messages, including repeats."""

    @property
    def distinct(self) -> int:
        """Number of readable sequences."""
        return self.covered.count()


def merge(stream: str, pieces: Iterable[SequenceRange | Hole]) -> Merged:
    """Merge the pieces of `stream`, ordered by segment and offset. The findings are in the same order."""
    merged = Merged(stream)
    holes: list[tuple[Hole, int]] = []
    jumps: list[tuple[Span, SequenceRange, int]] = []
    time = 0
    for piece in pieces:
        if isinstance(piece, Hole):
            holes.append((piece, time))
            continue
        if not merged.first:
            merged.first, merged.last = piece.first, piece.first - 1
        if piece.first > merged.last + 1:
            jumps.append(((merged.last + 1, piece.first - 1), piece, piece.begun or time))
        merged.findings += _overlaps(merged, piece)
        merged.messages += piece.last - piece.first + 1
        merged.kept += [Kept(piece, *span) for span in merged.covered.missing(piece.first, piece.last)]
        merged.covered.add(piece.first, piece.last)
        merged.last = max(merged.last, piece.last)
        time = piece.ended or time
    merged.findings += [_of_hole(merged, hole, time) for hole, time in holes]
    merged.findings += _gaps(merged, jumps, [hole for hole, _ in holes])
    merged.findings.sort(key=lambda finding: (finding.segment, finding.at, finding.first or 0))
    merged.last = max([merged.last, *(hole.last for hole, _ in holes)])
    return merged


def _overlaps(merged: Merged, piece: SequenceRange) -> list[Finding]:
    """Findings for sequences of `piece` that are in earlier ranges (repeat), or below earlier ones (disorder)."""
    late = merged.covered.missing(piece.first, min(piece.last, merged.last))
    again = merged.covered.within(piece.first, piece.last)
    kinds: list[tuple[Kind, list[Span], str]] = [
        ("repeat", again, "they are here again"),
        ("disorder", late, "higher sequences come before them"),
    ]
    return [
        Finding(kind, merged.stream, piece.segment, piece.at, 0, *span, piece.begun, reason)
        for kind, spans, reason in kinds
        for span in spans
    ]


def _of_hole(merged: Merged, hole: Hole, time: int) -> Finding:
    """Finding for a hole: from the first to the last of its sequences that no range has (None if ranges have all)."""
    lost = merged.covered.missing(hole.first, hole.last)
    first, last = (lost[0][0], lost[-1][1]) if lost else (None, None)
    return Finding(hole.kind, merged.stream, hole.segment, hole.at, hole.size, first, last, time, hole.reason)


def _gaps(merged: Merged, jumps: list[tuple[Span, SequenceRange, int]], holes: list[Hole]) -> list[Finding]:
    """Findings for skipped sequences that neither a range nor a hole has."""
    accounted = Spans()
    for first, last in merged.covered.spans():
        accounted.add(first, last)
    for hole in holes:
        accounted.add(hole.first, hole.last)
    return [
        Finding("gap", merged.stream, piece.segment, piece.at, 0, first, last, time, "no block has them")
        for skipped, piece, time in jumps
        for first, last in accounted.missing(*skipped)
    ]
