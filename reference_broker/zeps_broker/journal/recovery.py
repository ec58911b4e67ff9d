"""What opening a stream finds at its end, and what it makes of it.

Only the newest segment is walked when a stream is opened: every block's checksum there is verified, and older
segments are verified as they are read. What stands at the end and is no block is one of two things:

- **A torn tail**: the beginning of a block. The writer stopped in the middle of it, so nobody was ever sent a
  message of it, and with `sync = always` nobody was told that it was stored. It is cut off, and its sequences
  are used again.
- **Damage**: octets that cannot be such a beginning, above all a block of the right length whose checksum
  does not hold. It may have been whole once, and its messages sent; a subscriber may hold their sequences.
  Those are never given to other messages (ZEPS-SEQUENCE-3): the stream goes on after the last sequence that
  the octets can have held, in a new segment, and the old octets stay as they are, for whoever wants to look
  at them. If the sizes are credible the number of messages is known; otherwise as many sequences are passed
  over as so many octets have room for. Sequences cost nothing, and a repeated one would.
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
    """An incomplete block at the end of the last segment (JOURNAL-BLOCK-3): it was being written when the
    writer stopped.
    """

    stream: str
    file: Path
    offset: int
    octets: int
    next_sequence: int

    def fields(self) -> dict[str, object]:
        """For a structured log and for JSON."""
        return {
            "event": "torn-tail",
            "stream": self.stream,
            "file": str(self.file),
            "offset": self.offset,
            "octets": self.octets,
            "next_sequence": self.next_sequence,
        }

    def __str__(self) -> str:
        return f"{self.file}: {self.octets} octets at {self.offset}: an incomplete block, never acknowledged"


class Recovered(NamedTuple):
    """The end of a stream."""

    last_sequence: int
    torn: TornTail | None
    """What does not count any more; the segment's size leaves it out already, the file may not."""
    sealed: bool
    """Whether the next block needs a new segment, because this one ends in damage."""


def recover(segment: Segment) -> Recovered:
    """Walk the newest segment to its end. Reports damage through the segment; raises OSError."""
    if segment.size < segment.header_octets:
        return _torn(segment, 0)
    segment.check_header()
    sealed = False
    while not segment.is_walked:
        piece = segment.next_piece()
        if isinstance(piece, Hole) and piece.kind == TORN:
            return _torn(segment, piece.at)
        if isinstance(piece, Hole | Salvage):
            sealed = piece.end == segment.size
        segment.accept(piece)
    sealed = sealed or segment.foreign
    if sealed and segment.next_sequence == segment.first_sequence:
        # The new segment cannot have this one's name.
        segment.next_sequence += 1
    return Recovered(segment.next_sequence - 1, None, sealed)


def _torn(segment: Segment, at: int) -> Recovered:
    octets = segment.size - at
    torn = TornTail(segment.stream, segment.path, at, octets, segment.next_sequence) if octets else None
    segment.size = at
    return Recovered(segment.next_sequence - 1, torn, False)
