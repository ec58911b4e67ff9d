"""Which keys a pattern means.

A stream has one style, chosen by its operator and never by a pattern's text (ZEPS-SUBSCRIBE-8). A style
answers three questions, each at the speed its place needs:

- *one key, all groups* (:class:`Index`): a live message has a key that the stream has not seen lately; which
  groups of subscribers want it? Asked once per distinct key, then remembered by the stream.
- *one key, one set of patterns* (:meth:`Matcher.matches`).
- *one block, one set of patterns* (:meth:`Matcher.select`): which messages of a journal block match? Asked in
  low gear, for whole blocks, without a Python step for each message that does not match.

A style also reduces a set of patterns to an equal, smaller one, so that subscribers who say the same thing
differently share a group. A new style (glob, selectors) is one more :class:`Style` in :data:`STYLES`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import compress, repeat
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import re2

from .columns import Columns

__all__ = ["STYLES", "Index", "Matcher", "PatternError", "Prefix", "Regex", "Style"]

Member = TypeVar("Member", bound=Hashable)
Patterns = tuple[bytes, ...]


class PatternError(ValueError):
    """A pattern outside its style's syntax (ZEPS-SUBSCRIBE-11); the text says what is wrong with it."""


class Matcher(Protocol):
    """A set of patterns, ready to match."""

    def matches(self, key: bytes) -> bool: ...

    def select(self, columns: Columns) -> Sequence[int]:
        """Indices of the messages whose key matches any pattern, ascending; a range if all do."""


class Index(Protocol[Member]):
    """Members by their patterns."""

    def add(self, patterns: Patterns, member: Member) -> None: ...

    def remove(self, patterns: Patterns, member: Member) -> None: ...

    def find(self, key: bytes) -> list[Member]:
        """The members that want this key, each once, in an order that depends on earlier calls alone."""


class Style(Protocol):
    """A way of matching."""

    @property
    def name(self) -> str: ...

    def check(self, pattern: bytes) -> None:
        """Raise PatternError if this is no pattern."""

    def reduce(self, patterns: Iterable[bytes]) -> Patterns:
        """A canonical set of patterns that matches the same keys; sorted."""

    def matcher(self, patterns: Patterns) -> Matcher: ...

    def index(self) -> Index[Any]: ...


# prefix

_FEW = 64
"""Up to so many messages a plain loop is faster than arrays."""


class PrefixMatcher:
    """Keys that begin with any of the patterns' octets.

    No pattern can match past the end of a key: the octet that follows a key in a frame is the first of its
    body's length, 0 or 1, and control characters are not text (ZEPS-TEXT-2). So a comparison with the block's
    octets is exact, and one that began inside a key has failed before it leaves the frame.
    """

    __slots__ = ("_patterns",)

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns

    def matches(self, key: bytes) -> bool:
        return key.startswith(self._patterns)

    def select(self, columns: Columns) -> Sequence[int]:
        if b"" in self._patterns:
            return range(columns.count)
        if columns.count <= _FEW:
            starts = map(columns.data.startswith, repeat(self._patterns), columns.key_starts())
            found = list(compress(range(columns.count), starts))
        else:
            found = self._compare(columns)
        return range(columns.count) if len(found) == columns.count else found

    def _compare(self, columns: Columns) -> list[int]:
        """All keys at once, octet by octet, as long as any may still match.

        This looks at the keys alone, whatever the size of the bodies between them.
        """
        octets = np.frombuffer(columns.data, np.uint8)
        starts = columns.key_starts_array()
        matched = np.zeros(columns.count, np.bool_)
        firsts = octets.take(starts)
        for pattern in self._patterns:
            left = np.flatnonzero(firsts == pattern[0])
            for place, octet in enumerate(pattern[1:], 1):
                if not left.size:
                    break
                left = left[octets.take(starts[left] + place, mode="clip") == octet]
            matched[left] = True
        found: list[int] = np.flatnonzero(matched).tolist()
        return found


class PrefixIndex(Generic[Member]):
    """Members by prefix; a search costs one look-up for each length that any prefix has (a trie with tall
    steps).
    """

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
        found: dict[Member, None] = {}
        for length in sorted(self._lengths):
            if length > len(key):
                break
            found.update(self._members.get(key[:length], {}))
        return list(found)


class Prefix:
    """The default: a pattern matches the keys that begin with its octets."""

    name = "prefix"

    def check(self, pattern: bytes) -> None:
        """Every text is a prefix."""

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


# regular expressions

_REGEX_MEMORY = 1 << 20
_VERDICTS = 4096


class _Verdicts(dict[bytes, bool]):
    """Key to match or not; forgets everything when it has grown too large."""

    def __init__(self, searches: Sequence[Any]) -> None:
        self._searches = searches

    def __missing__(self, key: bytes) -> bool:
        if len(self) >= _VERDICTS:
            self.clear()
        verdict = self[key] = any(search(key) is not None for search in self._searches)
        return verdict


class RegexMatcher:
    """Keys in which any of the patterns is found; each distinct key is searched once."""

    __slots__ = ("_verdicts",)

    def __init__(self, patterns: Patterns) -> None:
        self._verdicts = _Verdicts([_compiled(pattern).search for pattern in patterns])

    def matches(self, key: bytes) -> bool:
        return self._verdicts[key]

    def select(self, columns: Columns) -> Sequence[int]:
        found = list(compress(range(columns.count), map(self._verdicts.__getitem__, columns.keys())))
        return range(columns.count) if len(found) == columns.count else found


def _compiled(pattern: bytes) -> Any:
    options = re2.Options()
    options.max_mem = _REGEX_MEMORY
    options.never_capture = True
    options.log_errors = False
    return re2.compile(pattern, options)


class RegexIndex(Generic[Member]):
    """Members by regular expression; a search runs every distinct expression once.

    RE2's Set would run them all in one pass, but when its automaton outgrows its memory it reports no match,
    and a message would be lost; a single expression falls back to a slower engine instead.
    """

    def __init__(self) -> None:
        self._members: dict[bytes, tuple[Any, dict[Member, None]]] = {}

    def add(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            if pattern not in self._members:
                self._members[pattern] = (_compiled(pattern).search, {})
            self._members[pattern][1][member] = None

    def remove(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            members = self._members[pattern][1]
            del members[member]
            if not members:
                del self._members[pattern]

    def find(self, key: bytes) -> list[Member]:
        found: dict[Member, None] = {}
        for search, members in self._members.values():
            if search(key) is not None:
                found.update(members)
        return list(found)


class Regex:
    """RE2's syntax, in UTF-8. A pattern matches the keys in which it is *found*: anchor it with ``^`` and
    ``$``.

    Finding rather than matching whole keys keeps the empty pattern matching everything (ZEPS-SUBSCRIBE-9),
    makes ``^text`` the same as the prefix `text`, and is what the word "search" means in every tool that
    people know. RE2 runs in time linear in the key, whatever the pattern; one that needs more than 1 MiB of
    memory is refused.
    """

    name = "regex"

    def check(self, pattern: bytes) -> None:
        try:
            _compiled(pattern)
        except re2.error as error:
            detail = error.args[0] if error.args else "error"
            text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
            raise PatternError(f"not a regular expression of RE2's syntax: {text}") from None

    def reduce(self, patterns: Iterable[bytes]) -> Patterns:
        distinct = set(patterns)
        return (b"",) if b"" in distinct else tuple(sorted(distinct))

    def matcher(self, patterns: Patterns) -> Matcher:
        return RegexMatcher(patterns)

    def index(self) -> Index[Any]:
        return RegexIndex()


STYLES: dict[str, Style] = {style.name: style for style in (Prefix(), Regex())}
