"""Damage found in a journal, as values that can be logged, printed, compared and sent between processes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MISPLACED", "MISSING", "SPOILT", "TORN", "Damage"]

SPOILT = "spoilt"
"""A damaged header or block, bytes that are not a block, or a valid block with an invalid frame."""
TORN = "torn"
"""An incomplete block at the end of the newest segment (JOURNAL-BLOCK-3), not synced: no message counts as lost."""
MISPLACED = "misplaced"
"""A valid block where another should be, or a segment of another stream."""
MISSING = "missing"
"""A gap: the expected sequences are missing."""


class Damage(NamedTuple):
    """The `size` bytes (0 for a gap) at `offset` of `file` that are not served (JOURNAL-BLOCK-4), and their
    sequences. `last_sequence` is `first_sequence - 1` if no message is lost; `kind` is a constant of this module.
    """

    stream: str
    file: str
    offset: int
    size: int
    first_sequence: int
    last_sequence: int
    kind: str
    reason: str

    @property
    def messages(self) -> int:
        """Number of lost messages."""
        return self.last_sequence - self.first_sequence + 1

    def fields(self) -> dict[str, object]:
        """Returns the fields for a structured log and for JSON; both sequences are None if no message is lost."""
        return {
            "event": "journal-damage",
            "stream": self.stream,
            "file": self.file,
            "offset": self.offset,
            "octets": self.size,
            "first_sequence": self.first_sequence if self.messages else None,
            "last_sequence": self.last_sequence if self.messages else None,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        lost = "no message lost"
        if self.messages:
            lost = f"sequences {self.first_sequence} to {self.last_sequence} lost"
        return f"{self.file}: {self.size} bytes at {self.offset}: {self.reason}; {lost}"
