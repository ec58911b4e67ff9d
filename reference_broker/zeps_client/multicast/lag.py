"""How far a multicast sender is behind its stream. Without sockets or clocks.

Messages carry no time, so the sender asks the broker now and then where the stream ends. What it has sent up to shows
which of these answers it has reached, and the latest of them was given when the sender was not behind yet. Whatever
holds it up, a broker that was away, its own rate, or a machine that was suspended, shows in that one comparison.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Lag"]

_ASKS = 4
"""How often within the bound the end is asked for, which is how exactly the lag is known."""


class Lag:
    """Begins at the stream's end at `now`. Times are seconds of a clock that does not go back.

    `sent`: the sequence up to which everything was sent.
    """

    def __init__(self, seconds_max: float, now: float) -> None:
        self._max = seconds_max
        self._asked_at = self._reached_at = now
        self._ends: deque[tuple[float, int]] = deque()
        """Ends that are not reached: when they were asked for, and the sequence."""

    def asks(self, now: float) -> bool:
        """Whether to ask for the end now, before more is sent."""
        return now - self._asked_at >= self._max / _ASKS

    def asked(self, now: float, end: int | None) -> None:
        """At `now` the stream ended with the sequence `end`; None: no answer came."""
        self._asked_at = now
        if end is not None:
            self._ends.append((now, end))

    def exceeded(self, now: float, sent: int) -> bool:
        """Whether the sender is behind by more than the bound, as far as it knows."""
        while self._ends and self._ends[0][1] <= sent:
            self._reached_at = self._ends.popleft()[0]
        return now - self._reached_at > self._max
