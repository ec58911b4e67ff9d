"""Oracle of a broker in memory: which answers a conversation requires, and whether due messages are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from zeps_conformance.broker.session import NEW, Item

__all__ = ["OracleSession", "OracleStream", "starts"]

CREDIT_MAX = (1 << 64) - 1


@dataclass(slots=True)
class OracleStream:
    """A stream: its messages, the first with sequence 1."""

    items: list[Item] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The last sequence, 0 for an empty stream."""
        return len(self.items)


@dataclass(slots=True)
class OracleSession:
    """An open session. `subscriptions`: patterns, each with the sequence after which its messages begin. `handled`:
    sequences that were delivered or announced as lost.
    """

    stream: OracleStream
    credit: int = 0
    subscriptions: list[tuple[str, int]] = field(default_factory=list)
    handled: set[int] = field(default_factory=set)

    def grant(self, credit: int) -> None:
        """Adds credit, up to 2^64-1 (ZEPS-CREDIT-4)."""
        self.credit = min(self.credit + credit, CREDIT_MAX)

    def due(self) -> list[Item]:
        """Returns the messages that its subscriptions request and that are not in `handled`, by sequence."""
        return [
            item
            for item in self.stream.items
            if item.sequence not in self.handled
            and any(
                item.sequence > start and item.key.startswith(pattern)
                for pattern, start in self.subscriptions
            )
        ]

    def next_of_each(self) -> list[Item]:
        """Returns the first due message of each subscription. A correct broker delivers one of them next."""
        due = self.due()
        firsts = (
            next((item for item in due if item.sequence > start and item.key.startswith(pattern)), None)
            for pattern, start in self.subscriptions
        )
        return [item for item in firsts if item is not None]

    def missing(self, cost: Callable[[Item], int]) -> Item | None:
        """Returns a due message if the credit covers whichever comes next, so that the broker must have delivered it;
        otherwise None.
        """
        candidates = self.next_of_each()
        if candidates and all(cost(item) <= self.credit for item in candidates):
            return candidates[0]
        return None


def starts(kind: str, distance: int, end: int) -> int:
    """Returns `latest` for a SUBSCRIBE: 0 for ``all``, 2^64-1 for ``new``, `distance` before the end for ``from``, and
    one more than that behind it for ``beyond``.
    """
    if kind == "all":
        return 0
    if kind == "new":
        return NEW
    return max(end - distance, 0) if kind == "from" else end + 1 + distance
