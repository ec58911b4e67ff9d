"""Messages on their way to the foreign broker, kept until it answers for them.

A message has a number from its first publication on. What a session left unanswered is published again in the next
one, under the same numbers and in the same order, before anything new.
"""

from __future__ import annotations

from collections import deque
from itertools import takewhile

from zeps_broker.devices.bridge.port import Frames

__all__ = ["FLIGHT_MAX", "Outbound"]

FLIGHT_MAX = 8192
"""As many messages are unanswered at a time; so many may have to be published again."""
FRAME_OVERHEAD_BYTES = 64
"""What each frame of a message but the first takes in addition to its bytes, however short it is."""
_OVERHEAD = 100
"""Octets that a message takes beside its frames, with the overhead of the first."""


class Outbound:
    """At most `octets_max` octets wait, for their turn or for an answer."""

    def __init__(self, octets_max: int) -> None:
        self._octets_max = octets_max
        self.octets = 0
        self._waiting: deque[tuple[int, Frames]] = deque()
        self._flight: dict[int, Frames] = {}  # by number, in order
        self._last = 0

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self._waiting) + len(self._flight)

    def add(self, frames: Frames) -> bool:
        """Take a message; False if there is no room for it."""
        size = _size(frames)
        if self.octets and self.octets + size > self._octets_max:
            return False
        self.octets += size
        self._last += 1
        self._waiting.append((self._last, frames))
        return True

    def due(self) -> list[tuple[int, Frames]]:
        """What is to be published now."""
        room = min(FLIGHT_MAX - len(self._flight), len(self._waiting))
        messages = [self._waiting.popleft() for _ in range(room)]
        self._flight.update(messages)
        return messages

    def settled(self, number: int, multiple: bool) -> int:
        """The broker has answered for a message, or for all up to it; how many these were."""
        if multiple:
            numbers = list(takewhile(lambda each: each <= number, self._flight))
        else:
            numbers = [number] if number in self._flight else []
        for each in numbers:
            self.octets -= _size(self._flight.pop(each))
        return len(numbers)

    def lost(self) -> None:
        """What was not answered for has to be published again."""
        self._waiting.extendleft(sorted(self._flight.items(), reverse=True))
        self._flight.clear()


def _size(frames: Frames) -> int:
    return sum(map(len, frames)) + FRAME_OVERHEAD_BYTES * (len(frames) - 1) + _OVERHEAD
