"""Shares of publishers in a subscriber's queue when it fills.

A publisher may add to a queue only as long as it uses less of it than is free. So a flooding publisher fills half of
the queue, two of them a third each, and so on, and there is always space for a publisher with few messages (the dynamic
threshold of shared-memory switches: Choudhury and Hahne, 1998).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable

__all__ = ["Shares"]

Source = Hashable
"""A publisher's handle."""


class Shares:
    """The bytes of each publisher in one FIFO queue of `size` bytes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: deque[tuple[Source, int]] = deque()
        self._occupied: Counter[Source] = Counter()
        self._total = 0

    def admits(self, source: Source, waiting: int) -> bool:
        """Returns whether `source` uses less of the queue, where `waiting` bytes wait, than is free."""
        while self._entries and self._total - self._entries[0][1] >= waiting:
            who, count = self._entries.popleft()
            self._total -= count
            self._occupied[who] -= count
            if not self._occupied[who]:
                del self._occupied[who]
        return self._occupied[source] < self._size - waiting

    def added(self, source: Source, count: int) -> None:
        """Records `count` bytes that `source` has added."""
        self._entries.append((source, count))
        self._occupied[source] += count
        self._total += count
