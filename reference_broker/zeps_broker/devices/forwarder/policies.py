"""Policies: which subscriptions the upstreams are asked for, given those of the downstream peers.

A policy gets every change of the totals and maintains `desired_counts`: the number of subscriptions to each topic that
an upstream should have. It changes `desired_counts` one step at a time, and a step never loses a message that a
subscriber needs: a replacement is added before the old subscription is cancelled. Each node chooses its own policy; a
tree works with any mixture.

``every``
    Every subscription and every cancellation goes upstream, as it comes.
``count``
    The first subscription to a topic goes up, and the last cancellation.
``cover``
    A topic that begins with a requested topic adds nothing, and is not requested. When the covering topic is cancelled,
    the topics that it covered are requested first. A topic that was requested before a shorter one stays requested:
    cancelling it would save nothing but cost a message; so `cover` never sends more than `every` to an upstream that
    keeps up.
``cap N``
    As `count`, but a subscriber with more than N topics is treated as a subscriber to everything, and gets everything,
    until a quarter fewer than N are left (:mod:`.caps`). This bounds the cost of one subscriber for its publishers and
    this node, however many topics it has. Other subscribers are not affected: their own topics stay requested.
``one-hop``
    Topics end here, one hop from their subscriber: publishers are asked for everything as long as any subscription
    exists, and get only the first and the last change.
``everything``
    Subscriptions do not go up: publishers are asked for everything from the start.

The last three follow *Design of PUB/SUB subsystem in ØMQ* (Different Matching Algorithms), against publishers that are
slow to process subscriptions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol, TypeVar

from zeps_broker.topics.subscriptions import EVERYTHING, Filter, SubscriptionChange, Topic
from zeps_broker.topics.topic_tree import TopicTree

__all__ = ["POLICIES", "Cap", "Count", "Cover", "Every", "Everything", "OneHop", "Policy", "parse_policy"]

T = TypeVar("T")


class Policy(Protocol):
    """Decides which subscriptions upstreams are asked for; `desired_counts` counts those that each should have, by
    topic.
    """

    desired_counts: Counter[Topic]

    @property
    def topics_max(self) -> int | None:
        """Maximum topics of a subscriber before it is treated as a subscriber to everything; None: no maximum."""

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        """Handles a peer's subscription: changes `desired_counts`; returns the steps for upstreams in order, if any."""

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        """Handles the cancellation of a subscription that was passed to :meth:`subscribed`; returns steps likewise."""


class Every:
    """Sends every subscription and every cancellation upstream."""

    topics_max: int | None = None

    def __init__(self) -> None:
        self.desired_counts: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        self.desired_counts[topic] += 1
        return [SubscriptionChange(True, topic)]

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        _less(self.desired_counts, topic)
        return [SubscriptionChange(False, topic)]


class Count:
    """Sends the first subscription to a topic upstream, and the last cancellation."""

    topics_max: int | None = None

    def __init__(self) -> None:
        self.desired_counts: Counter[Topic] = Counter()
        self._totals: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        self._totals[topic] += 1
        if self._totals[topic] > 1:
            return []
        self.desired_counts[topic] = 1
        return [SubscriptionChange(True, topic)]

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        if _less(self._totals, topic):
            return []
        del self.desired_counts[topic]
        return [SubscriptionChange(False, topic)]


class Cover(Count):
    """Does not request topics that a shorter topic covers; filters of other kinds neither cover nor are covered."""

    def __init__(self) -> None:
        super().__init__()
        self._tree = TopicTree()

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        if isinstance(topic, Filter):
            return super().subscribed(topic)
        self._totals[topic] += 1
        if self._totals[topic] > 1:
            return []
        covered = self._tree.covered(topic)
        self._tree.add(topic, asked=not covered)
        return [] if covered else self._want([topic])

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        if isinstance(topic, Filter):
            return super().cancelled(topic)
        if _less(self._totals, topic):
            return []
        self._tree.remove(topic)
        if topic not in self.desired_counts:
            return []
        del self.desired_counts[topic]
        bare = [] if self._tree.covered(topic) else self._tree.ask_bare(topic)
        return [*self._want(bare), SubscriptionChange(False, topic)]

    def _want(self, topics: list[bytes]) -> list[SubscriptionChange]:
        self.desired_counts.update(topics)
        return [SubscriptionChange(True, topic) for topic in topics]


class Cap(Count):
    """As `count`; a subscriber with more than `topics_max` topics, which the policy's owner must enforce, is treated as
    a subscriber to everything. Raises ValueError if it is less than 1.
    """

    def __init__(self, topics_max: int) -> None:
        super().__init__()
        if topics_max < 1:
            raise ValueError(f"a cap must be at least 1, not {topics_max}")
        self.topics_max = topics_max


class OneHop(Count):
    """Requests everything as long as any subscription exists: all topics count as the same one."""

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        return super().subscribed(EVERYTHING)

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        return super().cancelled(EVERYTHING)


class Everything(Every):
    """Always requests everything."""

    def __init__(self) -> None:
        super().__init__()
        self.desired_counts[EVERYTHING] = 1

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        return []

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        return []


_BY_NAME: dict[str, Callable[[], Policy]] = {
    "every": Every,
    "count": Count,
    "cover": Cover,
    "one-hop": OneHop,
    "everything": Everything,
}
POLICIES = (*_BY_NAME, "cap N")


def parse_policy(text: str) -> Policy:
    """Returns a new policy for a name of `POLICIES` (N from 1). Raises ValueError, with a text for the user."""
    if text in _BY_NAME:
        return _BY_NAME[text]()
    word, _, number = text.partition(" ")
    if word == "cap" and number.isdecimal() and int(number) > 0:
        return Cap(int(number))
    raise ValueError(f"unknown policy {text!r}; known: " + ", ".join(POLICIES))


def _less(counts: Counter[T], what: T) -> int:
    """Decrements a count, which must not be 0, and deletes it at 0; returns how many are left."""
    left = counts[what] - 1
    if left:
        counts[what] = left
    else:
        del counts[what]
    return left
