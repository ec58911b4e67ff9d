"""What is found wrong in a journal, as values that are raised, printed, counted and sent between processes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MISPLACED", "MISSING", "SPOILT", "TORN", "Damage"]

SPOILT = "spoilt"
"""Octets that are no block, or a block whose checksum does not hold."""
TORN = "torn"
"""The beginning of a block at the end of the newest segment: never acknowledged, and no message lost."""
MISPLACED = "misplaced"
"""A block that holds, where another should be."""
MISSING = "missing"
"""Nothing: sequences that should stand here do not."""


class Damage(NamedTuple):
    """`octets` octets at `offset` of `file` that are not served (JOURNAL-BLOCK-4), and the sequences lost with
    them.

    `last_sequence` is `first_sequence - 1` if no message is lost. `kind` is one of the constants above.
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
        """How many sequences are lost."""
        return self.last_sequence - self.first_sequence + 1

    def __str__(self) -> str:
        lost = (
            f"sequences {self.first_sequence} to {self.last_sequence} lost"
            if self.messages
            else "no message lost"
        )
        return f"{self.file}: {self.octets} octets at {self.offset}: {self.reason}; {lost}"
