"""A cap on the topics of each subscriber: one with more gets everything, and its topics are not kept without bound.

A subscriber's first `most` topics are kept as they are. From one more on it also has `THE_REST`, a subscription to
everything, which stands for all its other topics. These are remembered, so that it goes back to its topics when a
quarter fewer than `most` are left. One with 64 times as many, or with more than its budget allows, is not worth that
memory: it gets everything until it leaves. Its kept topics stay subscribed to throughout, here and at the publishers,
so it misses nothing at either turn, and no other subscriber is affected.
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
"""No kind that fits into a byte: a filter that no peer can name and no publisher knows, and so everything."""

REMEMBERED = 64
"""How many times `most` topics are remembered of what THE_REST stands for."""


class CappedSubscriptions(Subscriptions):
    """The subscriptions of all peers, of which each has at most `most` topics, and THE_REST."""

    def __init__(self, most: int, *, counted: bool = True, budget: TopicBudget | None = None) -> None:
        super().__init__(counted=counted, budget=budget)
        self.most = most
        self._beyond: dict[Peer, Counter[Topic] | None] = {}
        """What THE_REST stands for, of each peer that has it; None if there was too much to remember."""

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
        """Do not remember what THE_REST stands for."""
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
        # THE_REST is one of those that the peer has
        if beyond is not None and self.distinct(peer) - 1 + len(beyond) <= self.most - self.most // 4:
            steps += self._return_to_topics(peer, beyond)
        return steps

    def remove(self, peer: Peer) -> list[Topic]:
        self._beyond.pop(peer, None)
        return super().remove(peer)

    def _return_to_topics(self, peer: Peer, beyond: Counter[Topic]) -> list[SubscriptionChange]:
        """Keep what THE_REST stood for, few enough by now, and only then cancel it."""
        del self._beyond[peer]
        steps: list[SubscriptionChange] = []
        for topic in beyond.elements():
            steps += self._add(peer, topic)
        return steps + super().cancel(peer, THE_REST)
