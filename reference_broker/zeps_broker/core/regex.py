"""Matching by regular expression, with bounded cost.

RE2 searches in time linear in the key, but the factor is the size of the pattern's program. So the *weight* of a
pattern is the number of instructions in its program plus a constant for the call, and a search of a key of n bytes
counts as n + 1 times the weight in units of work (about 5 nanoseconds each for a hostile pattern, much less for
others).

The settings limit the instructions of one pattern, and the weight of three sets of patterns: those of a session, the
distinct patterns of a stream, and those of all streams of a broker. This bounds the time for one key. The caller bounds
the time for many keys: a matcher stops when the work of the stream reaches `limit`.

All sessions and streams share a cache of compiled patterns. A pair of key and pattern is searched once for as long as
the stream remembers the key (:class:`RegexMatching`), for live messages and for all readers of the journal. A new
pattern costs at most one search in each remembered key.

RE2's Set is not used: its automaton reports no match when it exceeds its memory, and a message would be lost.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf
from typing import Any, Generic

import re2

from zeps_broker.core.columns import Columns
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import (
    Index,
    Matcher,
    Matching,
    Member,
    PatternError,
    Patterns,
    TooManyPatternsError,
)

__all__ = ["Regex", "RegexMatching"]

UNICODE_CLASSES_MAX = 16
"""Maximum number of Unicode classes (``\\p``, ``\\P``) in a pattern. RE2 takes up to 0.3 milliseconds to parse each."""

CACHE_WEIGHT_MAX = 65536
"""Total weight of the compiled patterns that a broker caches, used or not; the least recently used are evicted."""

_MEMORY_BYTES = 24 << 10
"""Bytes of one program and its automaton. More makes a hostile pattern slower; less refuses Unicode classes."""

_CALL_WEIGHT = 8
_LOOKUP_WORK = 64
_SLOTS_SPARE = 64

_UNICODE_CLASS = re.compile(rb"\\[pP]")
_REPETITION = re.compile(rb"\{(\d+)(?:,(\d*))?")
_STEPS = 4
_STEPS_CLASSES = 60
_STEPS_CLASS = 20
_STEPS_REPEATED_MAX = 256
_COPIES_PER_STEP = 4
_BYTES_PER_STEP = 8


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled pattern and its weight."""

    search: Any
    weight: int


def _compile(pattern: bytes, program_max: int) -> Program:
    """Compiles a pattern to at most `program_max` instructions, in less than 10 milliseconds. Raises PatternError."""
    if _unicode_classes(pattern) > UNICODE_CLASSES_MAX:
        raise PatternError(f"the regular expression has more than {UNICODE_CLASSES_MAX} classes of Unicode")
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.never_capture = True
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0] if error.args else "error"
        text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        if text.startswith("pattern too large"):
            raise PatternError(_too_large(program_max)) from None
        raise PatternError(f"not a regular expression of RE2's syntax: {text}") from None
    if compiled.programsize > program_max or compiled.reverseprogramsize > program_max:
        raise PatternError(_too_large(program_max))
    return Program(compiled.search, compiled.programsize + _CALL_WEIGHT)


def _unicode_classes(pattern: bytes) -> int:
    return len(_UNICODE_CLASS.findall(pattern))


def _too_large(program_max: int) -> str:
    return f"the regular expression is too large: RE2 needs more than {program_max} instructions for it"


class RegexMatcher:
    """Matches keys in which any pattern is found."""

    __slots__ = ("_epoch", "_mask", "_matching", "_patterns")

    def __init__(self, matching: RegexMatching, patterns: Patterns) -> None:
        self._matching = matching
        self._patterns = patterns
        self._mask = 0
        self._epoch = -1

    def matches(self, key: bytes) -> bool:
        matching = self._matching
        if self._epoch != matching.epoch:
            self._mask = matching.mask(self._patterns)
            self._epoch = matching.epoch
        return matching.matches(key, self._mask)

    def judge(self, keys: Sequence[bytes]) -> list[bool]:
        matching, verdicts = self._matching, []
        for key in keys:
            verdicts.append(self.matches(key))
            if matching.work >= matching.limit:
                break
        return verdicts

    def select(self, columns: Columns, some: range) -> tuple[Sequence[int], range]:
        if self._patterns == (b"",):
            return range(columns.count), range(columns.count)
        verdicts = self.judge(columns.keys()[some.start : some.stop])
        seen = some[: len(verdicts)]
        indices = list(compress(seen, verdicts))
        return range(columns.count) if len(indices) == columns.count else indices, seen


class RegexIndex(Generic[Member]):
    """Maps regular expressions to members; searches a remembered key only for patterns not yet searched in it."""

    def __init__(self, matching: RegexMatching) -> None:
        self._matching = matching
        self._members: dict[bytes, dict[Member, None]] = {}
        self._mask = 0
        self._epoch = -1

    def add(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            self._members.setdefault(pattern, {})[member] = None
        self._epoch = -1

    def remove(self, patterns: Patterns, member: Member) -> None:
        for pattern in patterns:
            members = self._members[pattern]
            del members[member]
            if not members:
                del self._members[pattern]
        self._epoch = -1

    def find(self, key: bytes) -> list[Member]:
        matching = self._matching
        if self._epoch != matching.epoch:
            self._mask = matching.mask(self._members)
            self._epoch = matching.epoch
        members: dict[Member, None] = {}
        for pattern in matching.matching(key, self._mask):
            members.update(self._members[pattern])
        return list(members)


class RegexMatching:
    """The patterns of one stream, and the keys that were searched for them.

    Each pattern has a slot. For each key two bit sets of slots are kept: patterns searched in it, and those found. When
    most slots are free, patterns get new ones and the keys are forgotten (`epoch` counts how often).
    """

    costs = True

    def __init__(self, style: Regex, keys_max: int) -> None:
        self.work = 0
        self.limit = inf
        self.epoch = 0
        self._style = style
        self._keys_max = keys_max
        self._held: dict[bytes, Program] = {}
        self._holders: Counter[bytes] = Counter()
        self._weight = 0
        self._slots: dict[bytes, int] = {}
        self._programs: list[tuple[bytes, Program]] = []
        self._known: dict[bytes, tuple[int, int]] = {}

    # patterns

    def reduce(self, patterns: Iterable[bytes]) -> Patterns:
        distinct = set(patterns)
        return (b"",) if b"" in distinct else tuple(sorted(distinct))

    def matcher(self, patterns: Patterns) -> Matcher:
        return RegexMatcher(self, patterns)

    def index(self) -> Index[Any]:
        return RegexIndex(self)

    def check(self, pattern: bytes, held: Iterable[bytes]) -> None:
        limits, program = self._style.settings, self._program(pattern)
        session_weight = program.weight + sum([self._held[other].weight for other in held])
        if session_weight > limits.regex_session_weight_max:
            raise _too_many("session", limits.regex_session_weight_max)
        if pattern not in self._held:
            if self._weight + program.weight > limits.regex_stream_weight_max:
                raise _too_many("stream", limits.regex_stream_weight_max)
            if self._style.weight + program.weight > limits.regex_weight_max:
                raise _too_many("broker", limits.regex_weight_max)

    def hold(self, pattern: bytes) -> None:
        if pattern not in self._held:
            program = self._held[pattern] = self._program(pattern)
            self._count(program.weight)
        self._holders[pattern] += 1

    def release(self, patterns: Collection[bytes]) -> set[bytes]:
        self._holders.subtract(patterns)
        free = {pattern for pattern in patterns if not self._holders[pattern]}
        for pattern in free:
            del self._holders[pattern]
            self._count(-self._held.pop(pattern).weight)
            self._slots.pop(pattern, None)
        return free

    def _program(self, pattern: bytes) -> Program:
        return self._held.get(pattern) or self._style.program(pattern)

    def _count(self, weight: int) -> None:
        self._weight += weight
        self._style.weight += weight

    # keys

    def mask(self, patterns: Iterable[bytes]) -> int:
        """Returns the patterns' slots as bits, valid until `epoch` changes or one of the patterns is released."""
        if len(self._programs) > 2 * len(self._slots) + _SLOTS_SPARE:
            self.epoch += 1
            self._slots.clear()
            self._programs.clear()
            self._known.clear()
        mask = 0
        for pattern in patterns:
            slot = self._slots.get(pattern)
            if slot is None:
                slot = self._slots[pattern] = len(self._programs)
                self._programs.append((pattern, self._program(pattern)))
            mask |= 1 << slot
        return mask

    def matches(self, key: bytes, mask: int) -> bool:
        """Returns whether any pattern of the mask is found in the key."""
        self.work += _LOOKUP_WORK
        searched, matched = self._known.get(key, (0, 0))
        if not matched & mask and mask & ~searched:
            matched = self._search(key, searched, matched, mask, any_one=True)
        return bool(matched & mask)

    def matching(self, key: bytes, mask: int) -> Iterator[bytes]:
        """Yields the patterns of the mask that are found in the key."""
        self.work += _LOOKUP_WORK
        searched, matched = self._known.get(key, (0, 0))
        if mask & ~searched:
            matched = self._search(key, searched, matched, mask, any_one=False)
        matched &= mask
        while matched:
            yield self._programs[(matched & -matched).bit_length() - 1][0]
            matched &= matched - 1

    def _search(self, key: bytes, searched: int, matched: int, mask: int, *, any_one: bool) -> int:
        """Searches the key for the patterns of `mask` that are not in `searched`, and remembers the result; `any_one`
        stops at the first that is found. Returns `matched` with the slots of the patterns that were found.
        """
        left = mask & ~searched
        while left:
            slot = left & -left
            left ^= slot
            searched |= slot
            program = self._programs[slot.bit_length() - 1][1]
            self.work += program.weight * (len(key) + 1)
            if program.search(key) is not None:
                matched |= slot
                if any_one:
                    break
        if len(self._known) >= self._keys_max and key not in self._known:
            self._known.clear()
        self._known[key] = searched, matched
        return matched


def _too_many(owner: str, limit: int) -> TooManyPatternsError:
    return TooManyPatternsError(
        f"the regular expressions of this {owner} would need more than {limit} instructions, with 8 added for each"
    )


class Regex:
    """RE2's syntax, in UTF-8. A pattern matches the keys in which it is *found*: anchor it with ``^`` and ``$``. So the
    empty pattern matches everything (ZEPS-SUBSCRIBE-9), and ``^text`` is the same as the prefix `text`. A pattern that
    needs more than `regex_program_max` instructions, or has more than UNICODE_CLASSES_MAX Unicode classes, is refused.
    """

    name = "regex"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.weight = 0
        """Weight of the distinct patterns of each stream, summed over all streams."""
        self._cache: OrderedDict[bytes, Program] = OrderedDict()
        self._cached_weight = 0

    def cost(self, pattern: bytes) -> int:
        """See :class:`Style`; an estimate from the pattern's text, and 1 for a compiled pattern in the cache."""
        if pattern in self._cache:
            return 1
        steps = _STEPS + len(pattern) // _BYTES_PER_STEP
        if classes := min(_unicode_classes(pattern), UNICODE_CLASSES_MAX):
            steps += _STEPS_CLASSES + classes * _STEPS_CLASS
        copies = sum([int(least) + int(most or 0) for least, most in _REPETITION.findall(pattern)])
        return steps + min(copies // _COPIES_PER_STEP, _STEPS_REPEATED_MAX)

    def for_stream(self, keys_max: int) -> Matching:
        return RegexMatching(self, keys_max)

    def program(self, pattern: bytes) -> Program:
        """Returns the compiled pattern, from the cache if it is there, and caches it. Raises PatternError."""
        program = self._cache.get(pattern)
        if program is None:
            program = self._cache[pattern] = _compile(pattern, self.settings.regex_program_max)
            self._cached_weight += program.weight
            while self._cached_weight > CACHE_WEIGHT_MAX:
                self._cached_weight -= self._cache.popitem(last=False)[1].weight
        else:
            self._cache.move_to_end(pattern)
        return program
