"""Findings of an audit, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["KINDS", "Finding", "Kind"]

Kind = Literal["gap", "repeat", "disorder", "damage", "torn"]

KINDS: Mapping[Kind, str] = {
    "gap": "sequences that are missing from the journal",
    "repeat": "sequences that are in the journal more than once",
    "disorder": "sequences that follow higher ones",
    "damage": "bytes that do not form a valid block; messages are lost unless they are also elsewhere",
    "torn": "an incomplete block at the end, which was not synced",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a stream's journal. `first` and `last` are the affected sequences (inclusive), None if no message is
    affected. The faulty bytes begin at `at` in the file named `segment`, and `octets` is their number; 0 means that the
    fault is in the messages from there on, or that messages are missing before them. `time` is the storage time of the
    messages there or before them, in microseconds since 1970; 0 if it is unknown.
    """

    kind: Kind
    stream: str
    segment: str
    at: int
    octets: int
    first: int | None
    last: int | None
    time: int
    reason: str

    @property
    def messages(self) -> int:
        """Number of sequences from `first` to `last`; 0 if no message is affected."""
        return 0 if self.first is None or self.last is None else self.last - self.first + 1

    def fields(self) -> dict[str, Any]:
        """The finding's fields and `messages`, as a JSON object."""
        return {**asdict(self), "messages": self.messages}

    def __str__(self) -> str:
        if self.first is None:
            which = "no message"
        elif self.messages == 1:
            which = f"sequence {self.first}"
        else:
            which = f"sequences {self.first} to {self.last}"
        return f"{self.kind}: {which}; {self.segment} at {self.at}: {self.reason}"
