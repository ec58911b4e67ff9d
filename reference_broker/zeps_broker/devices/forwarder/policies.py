"""What the upstreams are asked for, given what the downstream peers want.

A policy is told of every change of the totals and keeps `wanted`: how many subscriptions of each topic an upstream
is to have. It changes `wanted` one step at a time, and a step never takes a message away that somebody wants: what
replaces a subscription is there before it goes. Which policy a node has is its own affair, the tree works with any
mixture.

``every``
    Every subscription and every cancellation goes upstream, as it comes.
``count``
    The first subscription to a topic goes up, and the last cancellation.
``cover``
    A topic that begins with one that was asked for already adds nothing, and is not asked for. When the one that
    covered it is cancelled, what it covered is asked for first. A topic that was asked for before a shorter one came is
    left alone: taking it back would save nothing but cost a message; so `cover` never sends more than `every`
    to an upstream that keeps up.
``cap N``
    As `count`, but a subscriber with more than N topics counts as one that wants everything, and gets everything,
    until a quarter fewer than N are left (:mod:`.caps`). This bounds what one subscriber costs its publishers and this
    node, however many topics it has. Others notice nothing: their own topics stay asked for, and are what they get.
``one-hop``
    Topics end here, one hop from their subscriber: publishers are asked for everything as long as there is any
    subscription, and are told of no change but of the first and of the last.
``everything``
    Nothing that subscribers do goes up: publishers are asked for everything from the start.

The last three are remedies of *Design of PUB/SUB subsystem in ØMQ* (Different Matching Algorithms) against publishers
that are slow to take subscriptions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import ClassVar, Protocol, TypeVar

from zeps_broker.topics.subscriptions import EVERYTHING, Filter, SubscriptionChange, Topic
from zeps_broker.topics.topic_tree import TopicTree

__all__ = [
    "POLICIES",
    "Cap",
    "Count",
    "Cover",
    "Every",
    "Everything",
    "OneHop",
    "Policy",
    "parse_policy",
]

T = TypeVar("T")


class Policy(Protocol):
    """`wanted` is what each upstream is to have."""

    wanted: Counter[Topic]

    @property
    def topics_max(self) -> int | None:
        """How many topics a subscriber may have before it counts as one that wants everything; None for any number."""

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        """A subscription came; the steps that `wanted` has taken, in order."""

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        """A subscription to `topic` went that :meth:`subscribed` was told of."""


class Every:
    """Every subscription goes upstream."""

    topics_max: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        self.wanted[topic] += 1
        return [SubscriptionChange(True, topic)]

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        _less(self.wanted, topic)
        return [SubscriptionChange(False, topic)]


class Count:
    """The first subscription to a topic goes upstream, and the last cancellation."""

    topics_max: int | None = None

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter()
        self._totals: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        self._totals[topic] += 1
        if self._totals[topic] > 1:
            return []
        self.wanted[topic] = 1
        return [SubscriptionChange(True, topic)]

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        if _less(self._totals, topic):
            return []
        del self.wanted[topic]
        return [SubscriptionChange(False, topic)]


class Cover(Count):
    """What a shorter topic covers is not asked for; filters of other kinds cover nothing, and are not covered."""

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
        if topic not in self.wanted:
            return []
        del self.wanted[topic]
        bare = [] if self._tree.covered(topic) else self._tree.ask_bare(topic)
        return [*self._want(bare), SubscriptionChange(False, topic)]

    def _want(self, topics: list[bytes]) -> list[SubscriptionChange]:
        self.wanted.update(topics)
        return [SubscriptionChange(True, topic) for topic in topics]


class Cap(Count):
    """As `count`; a subscriber may have at most `topics_max` topics, and then counts as one that wants everything."""

    def __init__(self, topics_max: int) -> None:
        super().__init__()
        if topics_max < 1:
            raise ValueError("a cap is at least 1")
        self.topics_max = topics_max


class OneHop:
    """Everything, as long as there is any subscription."""

    topics_max: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter()
        self._count = 0

    def subscribed(self, topic: Topic) -> list[SubscriptionChange]:
        self._count += 1
        if self._count > 1:
            return []
        self.wanted[EVERYTHING] = 1
        return [SubscriptionChange(True, EVERYTHING)]

    def cancelled(self, topic: Topic) -> list[SubscriptionChange]:
        self._count -= 1
        if self._count:
            return []
        del self.wanted[EVERYTHING]
        return [SubscriptionChange(False, EVERYTHING)]


class Everything:
    """Everything, always."""

    topics_max: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter({EVERYTHING: 1})

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
    """The policy that `text` names. ValueError, with a text for a user, if it names none."""
    if text in _BY_NAME:
        return _BY_NAME[text]()
    word, _, number = text.partition(" ")
    if word == "cap" and number.isdecimal() and int(number) > 0:
        return Cap(int(number))
    raise ValueError(f"no policy is called {text!r}: there are " + ", ".join(POLICIES))


def _less(counts: Counter[T], what: T) -> int:
    """Count one less; returns how many are left."""
    left = counts[what] - 1
    if left:
        counts[what] = left
    else:
        del counts[what]
    return left
