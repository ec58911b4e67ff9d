"""Adjusts the foreign broker's subscriptions to those of ZeroMQ's subscribers.

Several prefixes may map to one pattern, which is subscribed to once and cancelled with the last of them. One batch of
steps is under way at a time; then the difference between the present and the wanted state is sent, so that changes do
not queue up. Missing subscriptions are added before superfluous ones are cancelled. After a session has ended, it is
not known which of its subscriptions remain: the next one subscribes to everything wanted, and cancels everything that
may remain and is not wanted.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice

from zeps_broker.devices.bridge.port import PatternChange

__all__ = ["Bindings"]

_BATCH_MAX = 256


class Bindings:
    """The subscriptions wanted at the foreign broker, and those requested. `pattern` maps a prefix to a pattern of the
    foreign broker; `desired_counts` counts the subscriptions to prefixes by pattern.
    """

    def __init__(self, pattern: Callable[[bytes], str]) -> None:
        self._pattern = pattern
        self.desired_counts: Counter[str] = Counter()
        self._has: set[str] = set()
        self._maybe: set[str] = set()
        """Subscriptions that an earlier session may have left."""
        self._missing: OrderedDict[str, None] = OrderedDict()
        """Wanted and missing subscriptions. A dict would make each batch step over the entries already removed."""
        self._surplus: OrderedDict[str, None] = OrderedDict()
        """Subscriptions that exist, or may exist, and are not wanted."""
        self._under_way: list[PatternChange] = []
        self._open = False

    def follow(self, steps: Iterable[tuple[bool, bytes]]) -> None:
        """Handles the policy's steps: a prefix has one subscription more (True) or less."""
        for more, prefix in steps:
            pattern = self._pattern(prefix)
            before = self.desired_counts[pattern]
            self.desired_counts[pattern] += 1 if more else -1
            if not self.desired_counts[pattern]:
                del self.desired_counts[pattern]
            if before == 0 or (before == 1 and not more):
                self._compare(pattern)

    def opened(self) -> None:
        """Handles the start of a session."""
        self._open = True
        self._missing.clear()
        self._surplus.clear()
        for pattern in (*self.desired_counts, *self._maybe):
            self._compare(pattern)

    def lost(self) -> None:
        """Handles the end of the session: its subscriptions may remain, and each step under way may have been done."""
        self._open = False
        self._maybe |= self._has
        self._maybe.update(pattern for more, pattern in self._under_way if more)
        self._has.clear()
        self._under_way = []

    def due(self) -> list[PatternChange]:
        """Returns up to 256 steps, subscriptions first, which are under way until :meth:`changed` or :meth:`lost`.
        Empty without a session, while other steps are under way, and if nothing must change.
        """
        if not self._open or self._under_way:
            return []
        steps = [(True, pattern) for pattern in islice(self._missing, _BATCH_MAX)]
        steps += [(False, pattern) for pattern in islice(self._surplus, _BATCH_MAX - len(steps))]
        for more, pattern in steps:
            del (self._missing if more else self._surplus)[pattern]
        self._under_way = steps
        return steps

    def changed(self) -> None:
        """Handles the completion of all steps that the last :meth:`due` returned."""
        for more, pattern in self._under_way:
            self._maybe.discard(pattern)
            (self._has.add if more else self._has.discard)(pattern)
            self._compare(pattern)
        self._under_way = []

    def _compare(self, pattern: str) -> None:
        """Records whether a pattern must be subscribed to, cancelled, or neither."""
        self._missing.pop(pattern, None)
        self._surplus.pop(pattern, None)
        if pattern in self.desired_counts:
            if pattern not in self._has:
                self._missing[pattern] = None
        elif pattern in self._has or pattern in self._maybe:
            self._surplus[pattern] = None

    @property
    def settled(self) -> bool:
        """Returns whether the foreign broker has exactly the wanted subscriptions; False without a session."""
        return self._open and not (self._under_way or self._missing or self._surplus)
