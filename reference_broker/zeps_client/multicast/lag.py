"""Lag of a multicast sender behind its stream. No sockets or clocks. Messages carry no time, so the sender regularly
asks the broker for the stream's last sequence. The last sequence sent shows which of these answers the sender has
reached; at the time of the latest of them it was not behind.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Lag"]

_ASKS = 4
"""How often the end is requested within the bound; this is the precision of the measured lag."""


class Lag:
    """Compares a sender's lag with the bound `seconds_max`. At `now` (monotonic seconds) it is at the stream's end."""

    def __init__(self, seconds_max: float, now: float) -> None:
        self._max = seconds_max
        self._asked_at = self._reached_at = now
        self._ends: deque[tuple[float, int]] = deque()
        """Ends that were not reached yet: request time and sequence."""

    def asks(self, now: float) -> bool:
        """True if the end should be requested now, before more is sent."""
        return now - self._asked_at >= self._max / _ASKS

    def asked(self, now: float, end: int | None) -> None:
        """Records that the stream ended at sequence `end` at time `now`; `end` None: no answer arrived."""
        self._asked_at = now
        if end is not None:
            self._ends.append((now, end))

    def exceeded(self, now: float, sent: int) -> bool:
        """True if the known lag exceeds the bound; `sent` is the sequence up to which everything was sent."""
        while self._ends and self._ends[0][1] <= sent:
            self._reached_at = self._ends.popleft()[0]
        return now - self._reached_at > self._max
