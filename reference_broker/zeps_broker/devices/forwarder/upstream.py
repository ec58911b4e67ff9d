"""One upstream: the subscriptions requested on its connection, and those still to be requested.

Requests are not queued for an upstream that is full: when it takes more, the difference between the requested and the
wanted state is sent, as one step for a topic that changed often. The same difference updates a reconnected publisher. A
filter of another kind is sent unchanged to an upstream that announces support for its kind. Any other upstream is asked
for everything instead, once for all such filters, and not in addition to a request for everything: an upstream that
keeps a set of topics must not lose everything when the first of two reasons for it ends (ZMTP-E-13).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from zeps_broker.topics.subscriptions import EVERYTHING, Filter, SubscriptionChange, Topic

__all__ = ["ANY_KIND", "Upstream"]

ANY_KIND = 0xFF
"""Means every kind in an upstream's announcement (ZMTP-E-3)."""


class Upstream:
    """An upstream. `up`: connected; `full`: takes no steps now; `sent`: the steps sent to it, over all connections.
    Steps that a method returns count as sent, until :meth:`refused` takes them back.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.up = False
        self.full = False
        self.sent = 0
        self._kinds = b""
        self._has: Counter[Topic] = Counter()
        self._unknown = 0  # wanted filters of kinds that this upstream does not support

    def __repr__(self) -> str:
        return self.name

    def connected(self, desired_counts: Counter[Topic], kinds: bytes = b"") -> list[SubscriptionChange]:
        """Handles a new connection that supports `kinds` of filters, one per byte; returns the steps to send."""
        self.up, self.full = True, False
        self._kinds = kinds
        self._has.clear()
        return self.catch_up(desired_counts)

    def lost(self) -> None:
        """Handles the loss of the connection and of its subscriptions; no steps are returned until it is connected."""
        self.up = False
        self._has.clear()

    def follow(
        self, steps: Iterable[SubscriptionChange], desired_counts: Counter[Topic]
    ) -> list[SubscriptionChange]:
        """Returns the steps to send for the policy's `steps`, already in `desired_counts`; none while it is down or
        full.
        """
        if not self.up or self.full:
            return []
        sent: list[SubscriptionChange] = []
        for more, topic in steps:
            if not self._knows(topic):
                self._unknown += 1 if more else -1
                topic = EVERYTHING
            missing = self._due(topic, desired_counts) - self._has[topic]
            if missing > 0 if more else missing < 0:
                self._count(more, topic)
                sent.append(SubscriptionChange(more, topic))
        return sent

    def catch_up(self, desired_counts: Counter[Topic]) -> list[SubscriptionChange]:
        """Returns the steps to reach `desired_counts`, subscriptions first, and ends `full`; none, without effect, if
        down.
        """
        if not self.up:
            return []
        self.full = False
        self._unknown = sum(count for topic, count in desired_counts.items() if not self._knows(topic))
        due = {topic: count for topic, count in desired_counts.items() if self._knows(topic)}
        if self._unknown:
            due[EVERYTHING] = self._due(EVERYTHING, desired_counts)
        steps: list[SubscriptionChange] = []
        for topic, count in due.items():
            steps += [SubscriptionChange(True, topic)] * (count - self._has[topic])
        for topic, count in self._has.items():
            steps += [SubscriptionChange(False, topic)] * (count - due.get(topic, 0))
        for more, topic in steps:
            self._count(more, topic)
        return steps

    def refused(self, steps: Iterable[SubscriptionChange]) -> None:
        """Takes back the last returned `steps`, which the transport did not take; full until :meth:`catch_up`."""
        self.full = True
        for more, topic in steps:
            self._count(not more, topic)
            self.sent -= 2

    def _knows(self, topic: Topic) -> bool:
        """Returns whether this upstream can be asked for `topic` itself."""
        if not isinstance(topic, Filter):
            return True
        return topic.kind < ANY_KIND and (topic.kind in self._kinds or ANY_KIND in self._kinds)

    def _due(self, topic: Topic, desired_counts: Counter[Topic]) -> int:
        """Returns the number of subscriptions to `topic`, which must be supported, that this upstream should have."""
        if topic == EVERYTHING and self._unknown:
            return max(desired_counts[topic], 1)
        return desired_counts[topic]

    def _count(self, more: bool, topic: Topic) -> None:
        self.sent += 1
        self._has[topic] += 1 if more else -1
        if not self._has[topic]:
            del self._has[topic]
