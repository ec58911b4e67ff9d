"""Messages for the foreign broker, kept until it confirms or refuses them; numbered from 1 as they are added. A new
session publishes unconfirmed messages again, with the same numbers and order, before any new message.
"""

from __future__ import annotations

from collections import deque
from itertools import takewhile

from zeps_broker.devices.bridge.port import Frames

__all__ = ["FLIGHT_MAX", "Outbound"]

FLIGHT_MAX = 8192
"""Maximum number of unconfirmed messages, which may have to be published again."""
FRAME_OVERHEAD_BYTES = 64
"""Bytes that each frame after the first adds to its own bytes."""
_OVERHEAD = 100
"""Bytes that a message adds to its frames, including the overhead of the first frame."""


class Outbound:
    """A queue of at most `bytes_max` bytes, unsent or unconfirmed, with a fixed overhead per message and frame. A
    message in an empty queue may be longer. `byte_count` are the present bytes.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.byte_count = 0
        self._waiting: deque[tuple[int, Frames]] = deque()
        self._flight: dict[int, Frames] = {}  # by number, in order
        self._last = 0

    def __len__(self) -> int:
        """Number of messages, unsent or unconfirmed."""
        return len(self._waiting) + len(self._flight)

    def add(self, frames: Frames) -> bool:
        """Queues a message; returns False, and drops it, if the queue is not empty and would exceed its bytes."""
        size = _size(frames)
        if self.byte_count and self.byte_count + size > self._bytes_max:
            return False
        self.byte_count += size
        self._last += 1
        self._waiting.append((self._last, frames))
        return True

    def due(self) -> list[tuple[int, Frames]]:
        """Returns the numbered messages to publish now, in order, as unconfirmed: at most FLIGHT_MAX at a time."""
        room = min(FLIGHT_MAX - len(self._flight), len(self._waiting))
        messages = [self._waiting.popleft() for _ in range(room)]
        self._flight.update(messages)
        return messages

    def settled(self, number: int, multiple: bool) -> int:
        """Removes an answered message, or all up to it, and returns how many; ignores an unknown `number`."""
        if multiple:
            numbers = list(takewhile(lambda sent_number: sent_number <= number, self._flight))
        else:
            numbers = [number] if number in self._flight else []
        for sent_number in numbers:
            self.byte_count -= _size(self._flight.pop(sent_number))
        return len(numbers)

    def lost(self) -> None:
        """Handles the end of the session: :meth:`due` returns unconfirmed messages again, before all others."""
        self._waiting.extendleft(sorted(self._flight.items(), reverse=True))
        self._flight.clear()


def _size(frames: Frames) -> int:
    return sum(map(len, frames)) + FRAME_OVERHEAD_BYTES * (len(frames) - 1) + _OVERHEAD
