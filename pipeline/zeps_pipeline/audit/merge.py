"""Runs of sequences, found by many tasks, merged into what is wrong with a stream.

A task reports a segment as few pieces: runs of sequences that stand one after the other, and holes where the
octets are no block. This is where they meet. In the order of the disk:

- what a run brings that was there before is a **repeat**;
- what it brings below the highest sequence so far, and was not there, is out of order: **disorder**;
- what is skipped, and no run brings later, is lost: to the **damage** that says so, or else it is a **gap**.

So blocks that changed places are one finding, not a gap and a repeat, and what a damaged block held is not
reported twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from zeps_pipeline.audit.findings import Finding, Kind
from zeps_pipeline.audit.spans import Span, Spans

__all__ = ["Hole", "Kept", "Merged", "Run", "merge"]


class Run(NamedTuple):
    """Messages whose sequences follow each other, in octets that hold.

    The head of a segment counts as a run of no message: `last` is `first - 1`, and `first` is what the file's
    name says. Times are microseconds since 1970, of the first block's first message and the last one's last.
    """

    segment: str
    at: int
    octets: int
    first: int
    last: int
    begun: int = 0
    ended: int = 0
    begins_with: int = 0
    """The first sequence of the block at `at`, which may be damaged in part."""


class Hole(NamedTuple):
    """Octets that hold no block, and the sequences that should stand there; none if `last` is `first - 1`."""

    segment: str
    at: int
    octets: int
    kind: Kind
    first: int
    last: int
    reason: str


class Kept(NamedTuple):
    """What of a run was not there before."""

    run: Run
    first: int
    last: int


@dataclass
class Merged:
    """A stream, put together: what can be read of it, and what is wrong."""

    stream: str
    kept: list[Kept] = field(default_factory=list)
    """Each sequence that can be read, once, where it stands first."""
    covered: Spans = field(default_factory=Spans)
    findings: list[Finding] = field(default_factory=list)
    first: int = 0
    """The sequence that should stand first; 0 for a stream without a segment."""
    last: int = 0
    """The highest sequence that is there, or should be."""
    messages: int = 0
    """Messages in octets that hold, repeats included."""

    @property
    def distinct(self) -> int:
        """Sequences that can be read."""
        return self.covered.count()


def merge(stream: str, pieces: Iterable[Run | Hole]) -> Merged:
    """`pieces` of `stream`, in the order of the disk: by segment, then by offset."""
    merged = Merged(stream)
    holes: list[tuple[Hole, int]] = []
    jumps: list[tuple[Span, Run, int]] = []
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


def _overlaps(merged: Merged, run: Run) -> list[Finding]:
    """What of `run` was there before, and what comes too late."""
    late = merged.covered.missing(run.first, min(run.last, merged.last))
    again = merged.covered.within(run.first, run.last)
    kinds: list[tuple[Kind, list[Span], str]] = [
        ("repeat", again, "they stand here again"),
        ("disorder", late, "higher ones stand before them"),
    ]
    return [
        Finding(kind, merged.stream, run.segment, run.at, 0, *span, run.begun, reason)
        for kind, spans, reason in kinds
        for span in spans
    ]


def _of_hole(merged: Merged, hole: Hole, time: int) -> Finding:
    """A hole, and what of its sequences stands nowhere else."""
    lost = merged.covered.missing(hole.first, hole.last)
    first, last = (lost[0][0], lost[-1][1]) if lost else (None, None)
    return Finding(
        hole.kind, merged.stream, hole.segment, hole.at, hole.octets, first, last, time, hole.reason
    )


def _gaps(merged: Merged, jumps: list[tuple[Span, Run, int]], holes: list[Hole]) -> list[Finding]:
    """What is skipped, stands nowhere, and no hole accounts for."""
    accounted = Spans()
    for first, last in merged.covered.spans():
        accounted.add(first, last)
    for hole in holes:
        accounted.add(hole.first, hole.last)
    return [
        Finding("gap", merged.stream, run.segment, run.at, 0, first, last, time, "nothing holds them")
        for skipped, run, time in jumps
        for first, last in accounted.missing(*skipped)
    ]
