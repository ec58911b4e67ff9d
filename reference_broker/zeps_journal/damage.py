"""Damage found in a journal, as values that are logged, printed, compared and sent between processes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MISPLACED", "MISSING", "SPOILT", "TORN", "Damage"]

SPOILT = "spoilt"
"""Bytes that are not what was written: no block, or a block whose checksum fails."""
TORN = "torn"
"""An incomplete block at the end of the newest segment (JOURNAL-BLOCK-3): never acknowledged, no message lost."""
MISPLACED = "misplaced"
"""A valid block where another should be."""
MISSING = "missing"
"""No bytes: sequences that should be here are not."""


class Damage(NamedTuple):
    """Bytes that are not served (JOURNAL-BLOCK-4), and the sequences that are lost with them.

    `octets` bytes at `offset` of `file`; 0 if something is missing there. `last_sequence` is `first_sequence - 1` if
    no message is lost. `kind` is one of the constants of this module.
    """

    stream: str
    file: str
    offset: int
    octets: int
    first_sequence: int
    last_sequence: int
    kind: str
    reason: str

    @property
    def messages(self) -> int:
        """How many messages are lost."""
        return self.last_sequence - self.first_sequence + 1

    def fields(self) -> dict[str, object]:
        """For a structured log and for JSON."""
        return {
            "event": "journal-damage",
            "stream": self.stream,
            "file": self.file,
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
