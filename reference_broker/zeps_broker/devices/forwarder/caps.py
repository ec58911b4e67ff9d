"""A cap on the topics of each subscriber: a subscriber with more topics gets everything, so that memory is bounded.

A subscriber's first `most` topics stay subscribed to all the time. With one more it also gets `THE_REST`, a
subscription to everything that replaces all its other topics. These are remembered, so that it returns to its topics
when a quarter (rounded down) fewer than `most` are left. If more than 64 times `most` are replaced, or more than its
budget allows, they are not remembered: it gets everything until it disconnects. It misses nothing at either change.
"""

from __future__ import annotations

from collections import Counter

from zeps_broker.topics.budget import TopicBudget, TopicLimitError
from zeps_broker.topics.subscriptions import (
    Filter,
    Peer,
    SubscriptionChange,
    Subscriptions,
    Topic,
    cost_bytes,
)

__all__ = ["THE_REST", "CappedSubscriptions"]

THE_REST = Filter(256, b"")
"""A filter kind beyond one byte: peers cannot request it and publishers do not support it, so it means everything."""

REMEMBERED = 64
"""The topics replaced by THE_REST are remembered up to this multiple of `most`."""


class CappedSubscriptions(Subscriptions):
    """The subscriptions of all peers. A peer that requests more than `most` topics gets THE_REST, which is everything,
    in place of the further ones.
    """

    def __init__(self, most: int, *, counted: bool = True, budget: TopicBudget | None = None) -> None:
        super().__init__(counted=counted, budget=budget)
        self.most = most
        self._beyond: dict[Peer, Counter[Topic] | None] = {}
        """The topics that THE_REST replaces, for each peer that has it; None if they were too many to remember."""

    def subscribe(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        if self.has(peer, topic) or (peer not in self._beyond and self.distinct(peer) < self.most):
            return super().subscribe(peer, topic)
        steps: list[SubscriptionChange] = []
        if peer not in self._beyond:
            steps = super().subscribe(peer, THE_REST)
            self._beyond[peer] = Counter()
        beyond = self._beyond[peer]
        if beyond is None or (topic in beyond and not self.counted):
            return steps
        try:
            self._budget.take(peer, 0 if topic in beyond else cost_bytes(topic))
        except TopicLimitError:
            self._forget(peer, beyond)
            return steps
        beyond[topic] += 1
        if len(beyond) > REMEMBERED * self.most:
            self._forget(peer, beyond)
        return steps

    def _forget(self, peer: Peer, beyond: Counter[Topic]) -> None:
        """Forgets the topics that THE_REST replaces, until the peer disconnects; gives back their cost."""
        self._beyond[peer] = None
        self._budget.give_back(peer, sum(map(cost_bytes, beyond)), beyond.total())

    def cancel(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        beyond = self._beyond.get(peer)
        if self.has(peer, topic):
            steps = super().cancel(peer, topic)
        elif beyond and topic in beyond:
            steps = []
            beyond[topic] -= 1
            if not beyond[topic]:
                del beyond[topic]
            self._budget.give_back(peer, 0 if topic in beyond else cost_bytes(topic))
        else:
            return []
        # THE_REST is one of the peer's filters
        if beyond is not None and self.distinct(peer) - 1 + len(beyond) <= self.most - self.most // 4:
            steps += self._return_to_topics(peer, beyond)
        return steps

    def remove(self, peer: Peer) -> list[Topic]:
        self._beyond.pop(peer, None)
        return super().remove(peer)

    def _return_to_topics(self, peer: Peer, beyond: Counter[Topic]) -> list[SubscriptionChange]:
        """Restores the topics that THE_REST replaced, few enough now, and only then cancels it."""
        del self._beyond[peer]
        steps: list[SubscriptionChange] = []
        for topic in beyond.elements():
            steps += self._add(peer, topic)
        return steps + super().cancel(peer, THE_REST)
