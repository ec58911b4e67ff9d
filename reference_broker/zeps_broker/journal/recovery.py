"""Recovery: examines the end of a stream when it is opened.

Only the newest segment is walked and verified when a stream is opened; older segments are verified as they are read. If
the bytes at the end are not a block, they are one of two things:

- **A torn tail**: the beginning of a block that was not synced. With `sync = always`, or if the writer was killed in
  the middle of it, no message of it was delivered or confirmed. It is cut off, and its sequences are used again.
- **Damage**: bytes that cannot be such a beginning, in particular a block of the right length with a wrong checksum. A
  subscriber may know its sequences, which are never given to other messages (ZEPS-SEQUENCE-3): the stream continues in
  a new segment, after the last sequence that the bytes can have held, and the old bytes are kept for examination. If
  the sizes are not credible, as many sequences are skipped as messages fit in the bytes: only repetition is harmful.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from zeps_broker.journal.segment import Segment
from zeps_journal.damage import TORN
from zeps_journal.salvage import Salvage
from zeps_journal.scan import Hole

__all__ = ["Recovered", "TornTail", "recover"]


@dataclass(frozen=True, slots=True)
class TornTail:
    """An incomplete last block (JOURNAL-BLOCK-3): `size` bytes at `offset`. `next_sequence` is to be used again."""

    stream: str
    file: Path
    offset: int
    size: int
    next_sequence: int

    def fields(self) -> dict[str, object]:
        """Returns the fields for a structured log and for JSON."""
        return {
            "event": "torn-tail",
            "stream": self.stream,
            "file": str(self.file),
            "offset": self.offset,
            "octets": self.size,
            "next_sequence": self.next_sequence,
        }

    def __str__(self) -> str:
        return f"{self.file}: {self.size} bytes at {self.offset}: an incomplete block, not synced"


class Recovered(NamedTuple):
    """The end of a stream."""

    last_sequence: int
    torn: TornTail | None
    """The incomplete block; the segment's size already excludes it, the file may not."""
    sealed: bool
    """True if the next block needs a new segment, because this one ends in damage."""


def recover(segment: Segment) -> Recovered:
    """Walks the newest segment, for the first time; sets its size to exclude a torn tail. Raises OSError."""
    if segment.size < segment.header_end:
        return Recovered(segment.next_sequence - 1, _cut(segment, 0), False)
    sealed, torn = False, None
    while not segment.is_walked:
        piece = segment.next_piece()
        if isinstance(piece, Hole) and piece.kind == TORN:
            sealed, torn = False, _cut(segment, piece.at)
            break
        if isinstance(piece, Hole | Salvage):
            sealed = piece.end == segment.size
        segment.accept(piece)
    segment.check_header()  # after the walk, which finds the last sequence of a foreign segment
    sealed = sealed or segment.foreign
    if sealed and segment.next_sequence == segment.first_sequence:
        # Otherwise the new segment would have this one's name.
        segment.next_sequence += 1
    return Recovered(segment.next_sequence - 1, torn, sealed)


def _cut(segment: Segment, at: int) -> TornTail | None:
    """Excludes the incomplete block at `at` from the segment's size; returns it, None if nothing is there."""
    size = segment.size - at
    segment.size = at
    return TornTail(segment.stream, segment.path, at, size, segment.next_sequence) if size else None
