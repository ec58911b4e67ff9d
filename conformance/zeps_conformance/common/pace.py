"""How late the suite itself is: what a peer of the suite seems to do too early or too late may be the suite's delay."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

__all__ = ["LATE", "Pace", "Timed"]

TICK = 0.02
LATE = 0.25
"""Seconds; after a longer delay of the suite's threads a finding counts only if it occurs again."""


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Timed(Generic[_T]):
    """A result, and by how many seconds the suite was late until it came; 0 if by no more than LATE."""

    result: _T
    delay: float = 0.0


class Pace(threading.Thread):
    """Wakes every 20 ms and records delays of more than LATE seconds: of the interpreter, or of the whole machine."""

    def __init__(self) -> None:
        super().__init__(name="pace", daemon=True)
        self._late: deque[tuple[float, float]] = deque(maxlen=1000)
        self._stopped = threading.Event()
        self._woke = time.monotonic()

    def run(self) -> None:
        self._woke = time.monotonic()
        while not self._stopped.wait(TICK):
            now = time.monotonic()
            if (delay := now - self._woke - TICK) > LATE:
                self._late.append((now, delay))
            self._woke = now

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def timed(self, work: Callable[[], _T]) -> Timed[_T]:
        """Calls `work`."""
        began = time.monotonic()
        result = work()
        return Timed(result, self.worst_since(began))

    def worst_since(self, began: float) -> float:
        """The longest delay in seconds after `began`, a time of time.monotonic(); 0 if none exceeds LATE. One that has
        ended counts even if the thread has not run since.
        """
        now = time.monotonic()
        delays = [delay for ended, delay in (*self._late, (now, now - self._woke - TICK)) if ended > began]
        return max((delay for delay in delays if delay > LATE), default=0.0)
