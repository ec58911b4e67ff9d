"""One upstream: what it was asked for on this connection, and what it has still to be asked for.

A subscription must not be lost, and a slow upstream must hold nobody up. So nothing is queued for an upstream that
takes no more: what it has and what it should have are both known, and when it takes more the difference is sent, as one
step for a topic that changed a hundred times meanwhile. The same difference brings a publisher up to date that has come
back, and knows nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .policies import Step

__all__ = ["Link"]


class Link:
    """An upstream. `sent` counts the steps that went to it, over all its connections."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.up = False
        self.full = False
        self.sent = 0
        self._has: Counter[bytes] = Counter()

    def __repr__(self) -> str:
        return self.name

    def connected(self, wanted: Counter[bytes]) -> list[Step]:
        """A new connection, on which nothing was asked for; what is to be sent."""
        self.up, self.full = True, False
        self._has.clear()
        return self.catch_up(wanted)

    def lost(self) -> None:
        """The connection is gone, and what was asked for on it too."""
        self.up = False
        self._has.clear()

    def follow(self, steps: Iterable[Step]) -> list[Step]:
        """Of the policy's `steps`, those that are to be sent now: all, or none of them yet."""
        if not self.up or self.full:
            return []
        sent = list(steps)
        for more, topic in sent:
            self._count(more, topic)
        return sent

    def catch_up(self, wanted: Counter[bytes]) -> list[Step]:
        """What is missing and then what is too much, compared with `wanted`."""
        if not self.up:
            return []
        self.full = False
        steps: list[Step] = []
        for topic, count in wanted.items():
            steps += [(True, topic)] * (count - self._has[topic])
        for topic, count in self._has.items():
            steps += [(False, topic)] * (count - wanted[topic])
        for more, topic in steps:
            self._count(more, topic)
        return steps

    def refused(self, steps: Iterable[Step]) -> None:
        """The transport did not take these steps, the last that were to be sent."""
        self.full = True
        for more, topic in steps:
            self._count(not more, topic)
            self.sent -= 2

    def _count(self, more: bool, topic: bytes) -> None:
        self.sent += 1
        self._has[topic] += 1 if more else -1
        if not self._has[topic]:
            del self._has[topic]
