"""One upstream: what it was asked for on this connection, and what it has still to be asked for.

A subscription must not be lost, and a slow upstream must hold nobody up. So nothing is queued for an upstream that
takes no more: what it has and what it should have are both known, and when it takes more the difference is sent, as one
step for a topic that changed a hundred times meanwhile. The same difference brings a publisher up to date that has come
back, and knows nothing.

A filter of another kind goes as it is to an upstream that says that it knows the kind. Any other upstream is asked for
everything in its place, once for all such filters, and no more often than it is asked for everything anyway: an
upstream that keeps a set of topics must not lose everything with the first of two reasons for it (ZMTP-E-6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from zeps_broker.topics.subscriptions import EVERYTHING, Filter, SubscriptionChange, Topic

__all__ = ["ANY_KIND", "Upstream"]

ANY_KIND = 0xFF
"""Stands for every kind in what an upstream says that it knows (ZMTP-E-3)."""


class Upstream:
    """An upstream. `sent` counts the steps that went to it, over all its connections."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.up = False
        self.full = False
        self.sent = 0
        self._kinds = b""
        self._has: Counter[Topic] = Counter()
        self._unknown = 0  # filters that are wanted, of kinds that this upstream does not know

    def __repr__(self) -> str:
        return self.name

    def connected(self, wanted: Counter[Topic], kinds: bytes = b"") -> list[SubscriptionChange]:
        """A new connection, on which nothing was asked for, to a publisher that knows `kinds`; what is to be sent."""
        self.up, self.full = True, False
        self._kinds = kinds
        self._has.clear()
        return self.catch_up(wanted)

    def lost(self) -> None:
        """The connection is gone, and what was asked for on it too."""
        self.up = False
        self._has.clear()

    def follow(self, steps: Iterable[SubscriptionChange], wanted: Counter[Topic]) -> list[SubscriptionChange]:
        """What is to be sent now of the policy's `steps`, which `wanted` has taken: all, or nothing yet."""
        if not self.up or self.full:
            return []
        sent: list[SubscriptionChange] = []
        for more, topic in steps:
            if not self._knows(topic):
                self._unknown += 1 if more else -1
                topic = EVERYTHING
            missing = self._due(topic, wanted) - self._has[topic]
            if missing > 0 if more else missing < 0:
                self._count(more, topic)
                sent.append(SubscriptionChange(more, topic))
        return sent

    def catch_up(self, wanted: Counter[Topic]) -> list[SubscriptionChange]:
        """What is missing and then what is too much, compared with `wanted`."""
        if not self.up:
            return []
        self.full = False
        self._unknown = sum(count for topic, count in wanted.items() if not self._knows(topic))
        due = {topic: count for topic, count in wanted.items() if self._knows(topic)}
        if self._unknown:
            due[EVERYTHING] = self._due(EVERYTHING, wanted)
        steps: list[SubscriptionChange] = []
        for topic, count in due.items():
            steps += [SubscriptionChange(True, topic)] * (count - self._has[topic])
        for topic, count in self._has.items():
            steps += [SubscriptionChange(False, topic)] * (count - due.get(topic, 0))
        for more, topic in steps:
            self._count(more, topic)
        return steps

    def refused(self, steps: Iterable[SubscriptionChange]) -> None:
        """The transport did not take these steps, the last that were to be sent."""
        self.full = True
        for more, topic in steps:
            self._count(not more, topic)
            self.sent -= 2

    def _knows(self, topic: Topic) -> bool:
        """Whether this upstream can be asked for `topic` itself."""
        if not isinstance(topic, Filter):
            return True
        return topic.kind < ANY_KIND and (topic.kind in self._kinds or ANY_KIND in self._kinds)

    def _due(self, topic: Topic, wanted: Counter[Topic]) -> int:
        """How many subscriptions to `topic`, one that it knows, this upstream is to have."""
        if topic == EVERYTHING and self._unknown:
            return max(wanted[topic], 1)
        return wanted[topic]

    def _count(self, more: bool, topic: Topic) -> None:
        self.sent += 1
        self._has[topic] += 1 if more else -1
        if not self._has[topic]:
            del self._has[topic]
