"""The protocols that a matching style implements (see :mod:`matching`), and their errors."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from zeps_broker.core.columns import Columns

__all__ = [
    "STYLE_NAMES",
    "WORK_PER_STEP",
    "Index",
    "Matcher",
    "Matching",
    "PatternError",
    "Patterns",
    "Style",
    "TooManyPatternsError",
]

Member = TypeVar("Member", bound=Hashable)
Patterns = tuple[bytes, ...]

STYLE_NAMES = ("prefix", "regex")
"""The names of the styles; `matching.STYLES` has their constructors."""

WORK_PER_STEP = 2048
"""Units of work in one step of 10 to 20 microseconds."""


class PatternError(ValueError):
    """A pattern violates its style's syntax (ZEPS-SUBSCRIBE-11) or is too large; the text gives the reason."""


class TooManyPatternsError(ValueError):
    """A pattern would exceed the limit of its session, its stream or the broker; the text names the limit."""


class Matcher(Protocol):
    """A set of patterns, ready to match."""

    def matches(self, key: bytes) -> bool: ...

    def judge(self, keys: Sequence[bytes]) -> list[bool]:
        """Returns for each key whether any pattern matches; fewer, but at least one, if work reaches `limit`."""

    def select(self, columns: Columns, some: range) -> tuple[Sequence[int], range]:
        """Returns the indices of the matching messages, ascending (a range exactly if they are all of the block's), and
        the range that was inspected: `some`, or less of it, but at least one index, if the work reaches `limit`; the
        whole block, whatever `some` is, if matching costs no work.
        """


class Index(Protocol[Member]):
    """Maps patterns to members. Each member is added, and removed, with all of its patterns at once."""

    def add(self, patterns: Patterns, member: Member) -> None: ...

    def remove(self, patterns: Patterns, member: Member) -> None: ...

    def find(self, key: bytes) -> list[Member]:
        """Returns the members that match this key, each once, in an order that depends only on earlier calls."""


class Matching(Protocol):
    """The matching of one stream. `work` counts units of work done (:data:`WORK_PER_STEP`); :meth:`Matcher.judge` and
    :meth:`Matcher.select` stop early when it reaches `limit`, which their caller sets.
    """

    work: int
    limit: float

    @property
    def costs(self) -> bool:
        """True if matching a key with a pattern costs work."""

    def reduce(self, patterns: Iterable[bytes]) -> Patterns:
        """Returns an equivalent, sorted tuple without patterns known to be covered; equal sets give equal tuples."""

    def matcher(self, patterns: Patterns) -> Matcher: ...

    def index(self) -> Index[Any]: ...

    def check(self, pattern: bytes, held: Iterable[bytes]) -> None:
        """Checks a pattern for a session that holds the patterns `held`, and not this one; does not count it. Raises
        PatternError or TooManyPatternsError.
        """

    def hold(self, pattern: bytes) -> None:
        """Counts a pattern of a session, once for each session; it must have been checked."""

    def release(self, patterns: Collection[bytes]) -> set[bytes]:
        """Uncounts a session's patterns. Returns those that cost work and that no session holds any more."""


class Style(Protocol):
    """A way of matching, for one broker."""

    @property
    def name(self) -> str: ...

    def cost(self, pattern: bytes) -> int:
        """Returns the steps (10 to 20 microseconds each) to compile this pattern; 0 if nothing is compiled."""

    def for_stream(self, keys_max: int) -> Matching:
        """Returns the matching of a new stream, which remembers the matches of up to `keys_max` keys."""
