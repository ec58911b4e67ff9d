"""What an audit finds, as values that are printed, compared and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["KINDS", "Finding", "Kind"]

Kind = Literal["gap", "repeat", "disorder", "damage", "torn"]

KINDS: Mapping[Kind, str] = {
    "gap": "sequences that stand nowhere in the journal",
    "repeat": "sequences that stand in the journal more than once",
    "disorder": "sequences that stand after higher ones",
    "damage": "octets that are not what was written; what they held is lost",
    "torn": "an incomplete block at the end, which was never acknowledged",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a stream's journal.

    `first` and `last` are the sequences concerned, None if no message is. `segment` is the file's name, `octets`
    are counted from `at` there; 0 octets: what is found begins there, or is missing before it. `time` is when what
    stands there or before was stored, in microseconds since 1970; 0 if nobody knows.
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
        """How many sequences are concerned, as far as known."""
        return 0 if self.first is None or self.last is None else self.last - self.first + 1

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "messages": self.messages}

    def __str__(self) -> str:
        if self.first is None:
            which = "no message"
        elif self.messages == 1:
            which = f"sequence {self.first}"
        else:
            which = f"sequences {self.first} to {self.last}"
        return f"{self.kind}: {which}; {self.segment} at {self.at}: {self.reason}"
