"""Timers of owners such as sessions, ordered by deadline. Times are seconds of the core's clock."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Generic, Protocol, TypeVar

__all__ = ["Timed", "Timers"]

_STALE_MIN = 64


class Timed(Protocol):
    """An owner of a timer. `timer_id` belongs to :class:`Timers`; 0 while no timer runs."""

    timer_id: int


Owner = TypeVar("Owner", bound=Timed)


class Timers(Generic[Owner]):
    """A heap of timers; cancelled timers are removed before they accumulate."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Owner]] = []
        self._tickets = 0
        self._stale = 0

    def __len__(self) -> int:
        return len(self._heap)

    def set(self, due: float, owner: Owner) -> None:
        """Starts the owner's timer with the deadline `due`; replaces a running one."""
        self.cancel(owner)
        self._tickets += 1
        owner.timer_id = self._tickets
        heappush(self._heap, (due, self._tickets, owner))

    def cancel(self, owner: Owner) -> None:
        if owner.timer_id:
            owner.timer_id = 0
            self._stale += 1
            if self._stale > _STALE_MIN and self._stale * 2 > len(self._heap):
                self._heap = [entry for entry in self._heap if entry[1] == entry[2].timer_id]
                heapify(self._heap)
                self._stale = 0

    def next(self) -> float | None:
        """Returns the earliest deadline; None if no timer runs."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def due(self, now: float) -> list[Owner]:
        """Returns the owners whose deadline is `now` or earlier, in the order of deadlines, and stops their timers."""
        owners: list[Owner] = []
        while True:
            self._drop_stale()
            if not self._heap or self._heap[0][0] > now:
                return owners
            owner = heappop(self._heap)[2]
            owner.timer_id = 0
            owners.append(owner)

    def _drop_stale(self) -> None:
        while self._heap and self._heap[0][1] != self._heap[0][2].timer_id:
            heappop(self._heap)
            self._stale -= 1
