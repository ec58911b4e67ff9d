"""Matching of keys and patterns.

A stream has one style, chosen by its operator and never by a pattern's text (ZEPS-SUBSCRIBE-8). A style matches

- *one key, all groups* (:class:`Index`): for a live message, once per distinct key that the stream remembers.
- *one key, one set of patterns* (:meth:`Matcher.matches`).
- *one block, one set of patterns* (:meth:`Matcher.select`): in low gear; prefixes without a Python step per message.

A style also reduces a set of patterns to an equivalent, smaller set, so that subscribers with equivalent patterns share
a group. The protocols are in :mod:`style`; prefixes in this module; regular expressions, whose cost is limited, in
:mod:`regex`. A new style is one more :class:`Style` in :data:`STYLES`, and its name in :data:`style.STYLE_NAMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress, repeat
from math import inf
from typing import Any, Generic

import numpy as np

from zeps_broker.core.columns import Columns
from zeps_broker.core.regex import Regex
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import Index, Matcher, Member, Patterns, Style

__all__ = ["STYLES", "Prefix", "PrefixMatcher"]


# prefix

_FEW = 64
"""Up to this number of messages a plain loop is faster than arrays."""


class PrefixMatcher:
    """Matches keys that begin with the bytes of any pattern.

    No pattern matches past a key's end: the next byte is 0 or 1, the first of the body's length, and text contains no
    control characters (ZEPS-TEXT-2). So comparing with the block's bytes is exact.
    """

    __slots__ = ("_patterns",)

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns

    def matches(self, key: bytes) -> bool:
        return key.startswith(self._patterns)

    def judge(self, keys: Sequence[bytes]) -> list[bool]:
        return [key.startswith(self._patterns) for key in keys]

    def select(self, columns: Columns, some: range) -> tuple[Sequence[int], range]:
        """See :class:`Matcher`; searches the whole block, so that the result can be shared."""
        if b"" in self._patterns:
            return range(columns.count), range(columns.count)
        if columns.count <= _FEW:
            starts = map(columns.data.startswith, repeat(self._patterns), columns.key_starts())
            indices = list(compress(range(columns.count), starts))
        else:
            indices = self._compare(columns)
        return range(columns.count) if len(indices) == columns.count else indices, range(columns.count)

    def _compare(self, columns: Columns) -> list[int]:
        """Returns the indices of the matching messages, ascending. Reads only the keys; no pattern may be empty."""
        data = np.frombuffer(columns.data, np.uint8)
        starts = columns.key_starts_array()
        matched = np.zeros(columns.count, np.bool_)
        firsts = data.take(starts)
        for pattern in self._patterns:
            left = np.flatnonzero(firsts == pattern[0])
            for place, byte in enumerate(pattern[1:], 1):
                if not left.size:
                    break
                left = left[data.take(starts[left] + place, mode="clip") == byte]
            matched[left] = True
        indices: list[int] = np.flatnonzero(matched).tolist()
        return indices


class PrefixIndex(Generic[Member]):
    """Maps prefixes to members; a search costs one look-up for each distinct prefix length up to the key's length."""

    def __init__(self) -> None:
        self._members: dict[bytes, dict[Member, None]] = {}
        self._lengths: dict[int, int] = {}

    def add(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            members = self._members.get(pattern)
            if members is None:
                members = self._members[pattern] = {}
                self._lengths[len(pattern)] = self._lengths.get(len(pattern), 0) + 1
            members[member] = None

    def remove(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            members = self._members[pattern]
            del members[member]
            if not members:
                del self._members[pattern]
                self._lengths[len(pattern)] -= 1
                if not self._lengths[len(pattern)]:
                    del self._lengths[len(pattern)]

    def find(self, key: bytes) -> list[Member]:
        members: dict[Member, None] = {}
        for length in sorted(self._lengths):
            if length > len(key):
                break
            members.update(self._members.get(key[:length], {}))
        return list(members)


class Prefix:
    """The default style: a pattern matches keys that begin with its bytes. Its work is not counted."""

    name = "prefix"
    costs = False

    def __init__(self) -> None:
        self.work = 0
        self.limit = inf

    def cost(self, pattern: bytes) -> int:
        """See :class:`Style`; 0, since prefixes are not compiled."""
        return 0

    def for_stream(self, keys_max: int) -> Prefix:
        """See :class:`Style`; returns this object, since prefix matching has no state per stream."""
        return self

    def reduce(self, patterns: Iterable[bytes]) -> Patterns:
        reduced: list[bytes] = []
        for pattern in sorted(set(patterns)):
            if not reduced or not pattern.startswith(reduced[-1]):
                reduced.append(pattern)
        return tuple(reduced)

    def matcher(self, patterns: Patterns) -> Matcher:
        return PrefixMatcher(patterns)

    def index(self) -> Index[Any]:
        return PrefixIndex()

    def check(self, pattern: bytes, held: Iterable[bytes]) -> None:
        """Accepts every text, since every text is a prefix."""

    def hold(self, pattern: bytes) -> None:
        """See :class:`Matching`; does nothing."""

    def release(self, patterns: Collection[bytes]) -> set[bytes]:
        """See :class:`Matching`; returns an empty set."""
        return set()


STYLES: dict[str, Callable[[Settings], Style]] = {Prefix.name: lambda settings: Prefix(), Regex.name: Regex}
"""Constructors of the styles; each takes the broker's settings."""
