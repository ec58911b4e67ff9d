"""What is found wrong in a journal, as values that are logged, printed and compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Damage", "TornTail"]


@dataclass(frozen=True, slots=True)
class Damage:
    """Octets that are not served (JOURNAL-BLOCK-4), and the sequences that are lost with them.

    `octets` are counted from `offset` of `file`; 0 octets mean that something is missing there.
    `last_sequence` is `first_sequence - 1` if no message is lost.
    """

    stream: str
    file: Path
    offset: int
    octets: int
    first_sequence: int
    last_sequence: int
    reason: str

    @property
    def messages(self) -> int:
        """How many sequences are lost."""
        return self.last_sequence - self.first_sequence + 1

    def fields(self) -> dict[str, object]:
        """For a structured log and for JSON."""
        return {
            "event": "journal-damage",
            "stream": self.stream,
            "file": str(self.file),
            "offset": self.offset,
            "octets": self.octets,
            "first_sequence": self.first_sequence if self.messages else None,
            "last_sequence": self.last_sequence if self.messages else None,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        lost = (
            f"sequences {self.first_sequence} to {self.last_sequence} lost"
            if self.messages
            else "no message lost"
        )
        return f"{self.file}: {self.octets} octets at {self.offset}: {self.reason}; {lost}"


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
