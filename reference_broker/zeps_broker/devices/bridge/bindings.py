"""The foreign broker's subscriptions, brought to what ZeroMQ's subscribers want.

Several prefixes may come to one pattern, which is subscribed to once and taken back with the last of them. One batch of
steps is under way at a time. Nothing queues behind it: what is there and what is wanted are both known, and when the
batch is done the difference goes out, so a topic that came and went a hundred times meanwhile costs nothing. What is
missing goes before what is too much.

After a session it is not known what is left of it. The next one subscribes to everything that is wanted, and takes back
everything that may be left and is not.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice

from zeps_broker.devices.bridge.port import PatternChange

__all__ = ["Bindings"]

_BATCH_MAX = 256


class Bindings:
    """What is wanted of the foreign broker (`wanted`, by pattern), and what it has been asked for."""

    def __init__(self, pattern: Callable[[bytes], str]) -> None:
        self._pattern = pattern
        self.wanted: Counter[str] = Counter()
        self._has: set[str] = set()
        self._maybe: set[str] = set()
        """What an earlier session may have left behind."""
        self._missing: OrderedDict[str, None] = OrderedDict()
        """What is wanted and is not there. Of a dict, each batch would pass over all that were taken from its front."""
        self._surplus: OrderedDict[str, None] = OrderedDict()
        """What is there, or may be, and is not wanted."""
        self._under_way: list[PatternChange] = []
        self._open = False

    def follow(self, steps: Iterable[tuple[bool, bytes]]) -> None:
        """The policy wants a prefix more (True), or less."""
        for more, prefix in steps:
            pattern = self._pattern(prefix)
            before = self.wanted[pattern]
            self.wanted[pattern] += 1 if more else -1
            if not self.wanted[pattern]:
                del self.wanted[pattern]
            if before == 0 or (before == 1 and not more):
                self._compare(pattern)

    def opened(self) -> None:
        """A session has begun."""
        self._open = True
        self._missing.clear()
        self._surplus.clear()
        for pattern in (*self.wanted, *self._maybe):
            self._compare(pattern)

    def lost(self) -> None:
        """The session is over; each step that is under way may have been done."""
        self._open = False
        self._maybe |= self._has
        self._maybe.update(pattern for more, pattern in self._under_way if more)
        self._has.clear()
        self._under_way = []

    def due(self) -> list[PatternChange]:
        """The steps to be taken now, which are under way from now on; none while others are."""
        if not self._open or self._under_way:
            return []
        steps = [(True, pattern) for pattern in islice(self._missing, _BATCH_MAX)]
        steps += [(False, pattern) for pattern in islice(self._surplus, _BATCH_MAX - len(steps))]
        for more, pattern in steps:
            del (self._missing if more else self._surplus)[pattern]
        self._under_way = steps
        return steps

    def changed(self) -> None:
        """The steps that were under way are done."""
        for more, pattern in self._under_way:
            self._maybe.discard(pattern)
            (self._has.add if more else self._has.discard)(pattern)
            self._compare(pattern)
        self._under_way = []

    def _compare(self, pattern: str) -> None:
        """Note whether a pattern is to be subscribed to, to be taken back, or neither."""
        self._missing.pop(pattern, None)
        self._surplus.pop(pattern, None)
        if pattern in self.wanted:
            if pattern not in self._has:
                self._missing[pattern] = None
        elif pattern in self._has or pattern in self._maybe:
            self._surplus[pattern] = None

    @property
    def settled(self) -> bool:
        """Whether the foreign broker has what is wanted, and nothing else."""
        return self._open and not (self._under_way or self._missing or self._surplus)
