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
    As `count`, up to N topics; with more, everything is asked for instead, until a quarter fewer than N are left, and
    none of them is everything. This bounds what a subscriber costs its publishers, however many topics it has.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from typing import Protocol, TypeVar

from .subscriptions import EVERYTHING, Filter, Topic

__all__ = ["POLICIES", "Cap", "Count", "Cover", "Every", "Policy", "Step", "parse_policy"]

Step = tuple[bool, Topic]
"""True and a topic to subscribe to, False and one to cancel."""

T = TypeVar("T")


class Policy(Protocol):
    """`wanted` is what each upstream is to have."""

    wanted: Counter[Topic]

    def subscribed(self, topic: Topic) -> list[Step]:
        """A subscription came; the steps that `wanted` has taken, in order."""

    def cancelled(self, topic: Topic) -> list[Step]:
        """A subscription to `topic` went that :meth:`subscribed` was told of."""


class Every:
    """Every subscription goes upstream."""

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[Step]:
        self.wanted[topic] += 1
        return [(True, topic)]

    def cancelled(self, topic: Topic) -> list[Step]:
        _less(self.wanted, topic)
        return [(False, topic)]


class Count:
    """The first subscription to a topic goes upstream, and the last cancellation."""

    def __init__(self) -> None:
        self.wanted: Counter[Topic] = Counter()
        self._totals: Counter[Topic] = Counter()

    def subscribed(self, topic: Topic) -> list[Step]:
        self._totals[topic] += 1
        if self._totals[topic] > 1:
            return []
        self.wanted[topic] = 1
        return [(True, topic)]

    def cancelled(self, topic: Topic) -> list[Step]:
        if _less(self._totals, topic):
            return []
        del self.wanted[topic]
        return [(False, topic)]


class Cover(Count):
    """What a shorter topic covers is not asked for; filters of other kinds cover nothing, and are not covered."""

    def __init__(self) -> None:
        super().__init__()
        self._sorted: list[bytes] = []
        """The beginnings in `_totals`: those that begin alike stand together, behind what they begin with."""
        self._lengths: Counter[int] = Counter()
        """Of the topics that are asked for."""

    def subscribed(self, topic: Topic) -> list[Step]:
        if isinstance(topic, Filter):
            return super().subscribed(topic)
        self._totals[topic] += 1
        if self._totals[topic] > 1:
            return []
        insort(self._sorted, topic)
        if self._covered(topic):
            return []
        self._want(topic)
        return [(True, topic)]

    def cancelled(self, topic: Topic) -> list[Step]:
        if isinstance(topic, Filter):
            return super().cancelled(topic)
        if _less(self._totals, topic):
            return []
        place = bisect_left(self._sorted, topic)
        del self._sorted[place]
        if topic not in self.wanted:
            return []
        del self.wanted[topic]
        _less(self._lengths, len(topic))
        steps: list[Step] = [(True, bare) for bare in self._bared(topic, place)]
        return [*steps, (False, topic)]

    def _want(self, topic: bytes) -> None:
        self.wanted[topic] = 1
        self._lengths[len(topic)] += 1

    def _covered(self, topic: bytes) -> bool:
        return any(topic[:length] in self.wanted for length in self._lengths if length < len(topic))

    def _bared(self, topic: bytes, place: int) -> list[bytes]:
        """What nothing covers now that `topic`, which stood at `place`, is not asked for; it is asked for now.

        Of topics that begin alike the shortest stands first, and covers those behind it, which are passed over.
        """
        bare: list[bytes] = []
        if self._covered(topic):
            return bare
        while place < len(self._sorted) and self._sorted[place].startswith(topic):
            other = self._sorted[place]
            if other not in self.wanted:
                self._want(other)
                bare.append(other)
            place = bisect_left(self._sorted, True, place, key=lambda each: not each.startswith(other))
        return bare


class Cap:
    """At most `most` topics, then everything."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError("a cap is at least 1")
        self.most = most
        self.wanted: Counter[Topic] = Counter()
        self._totals: Counter[Topic] = Counter()
        self._full = False

    def subscribed(self, topic: Topic) -> list[Step]:
        self._totals[topic] += 1
        if self._totals[topic] > 1 or self._full:
            return []
        if len(self._totals) <= self.most:
            self.wanted[topic] = 1
            return [(True, topic)]
        self._full = True
        before = [other for other in self.wanted if other != EVERYTHING]
        steps: list[Step] = [] if EVERYTHING in self.wanted else [(True, EVERYTHING)]
        self.wanted = Counter({EVERYTHING: 1})
        return steps + [(False, other) for other in before]

    def cancelled(self, topic: Topic) -> list[Step]:
        if _less(self._totals, topic):
            return []
        if not self._full:
            del self.wanted[topic]
            return [(False, topic)]
        if len(self._totals) > self.most - self.most // 4 or EVERYTHING in self._totals:
            return []
        self._full = False
        self.wanted = Counter(dict.fromkeys(self._totals, 1))
        steps: list[Step] = [(True, other) for other in self._totals if other != EVERYTHING]
        return steps if EVERYTHING in self._totals else [*steps, (False, EVERYTHING)]


POLICIES = ("every", "count", "cover", "cap N")


def parse_policy(text: str) -> Policy:
    """The policy that `text` names. ValueError, with a text for a user, if it names none."""
    simple: dict[str, type[Every] | type[Count] | type[Cover]] = {
        "every": Every,
        "count": Count,
        "cover": Cover,
    }
    if text in simple:
        return simple[text]()
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
