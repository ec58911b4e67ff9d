"""How publishers share a subscriber's queue once it fills.

A queue that is full for all as soon as it is full for one belongs to the publisher that sends most: whatever a modest
one sends is dropped as surely as the flood. So a publisher may add to a queue only as long as it occupies less of it
than is free. One that floods then fills half of the queue, two that do a third each, and so on, and there is always
room for one that has little to say (the dynamic threshold of shared-memory switches: Choudhury and Hahne, 1998).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable

__all__ = ["Shares"]

Source = Hashable
"""A publisher's handle."""


class Shares:
    """What each publisher occupies of one first-in, first-out queue of `size` bytes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: deque[tuple[Source, int]] = deque()
        self._occupied: Counter[Source] = Counter()
        self._total = 0

    def admits(self, source: Source, waiting: int) -> bool:
        """Whether `source` may add to the queue, in which `waiting` bytes are left."""
        while self._entries and self._total - self._entries[0][1] >= waiting:
            who, count = self._entries.popleft()
            self._total -= count
            self._occupied[who] -= count
            if not self._occupied[who]:
                del self._occupied[who]
        return self._occupied[source] < self._size - waiting

    def added(self, source: Source, count: int) -> None:
        """`source` has added so many bytes."""
        self._entries.append((source, count))
        self._occupied[source] += count
        self._total += count
