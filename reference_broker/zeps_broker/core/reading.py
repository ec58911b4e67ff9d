"""The subscriptions of one session, and its reading progress.

A session has a *position*: all messages of its subscriptions up to there have been handled. A subscription is a pattern
and a *start*; it covers the sequences after its start. The main course of a session reads on from the position and
takes each message that any covering subscription matches. This alone gives the union (a message is sent once,
ZEPS-SUBSCRIBE-6) in ascending order (ZEPS-DELIVER-1).

A subscription whose start is *before* the position adds messages that the main course has already passed: those after
its start and up to the position that match it and that no earlier subscription covers (ZEPS-SUBSCRIBE-7). This is a
*fill*. Fills are read one after the other, before the main course continues.

Both are divided into *spans*: between two starts of subscriptions there is one set of patterns to include and one set
to exclude, so that a reader can process whole blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from zeps_broker.core.style import Matcher, Matching, Patterns

__all__ = ["Fill", "Progress", "Reading", "Span"]

_HISTORY_MIN = 16


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the stream with one selection: messages up to sequence `upto` (inclusive; None: without end) that a
    pattern of `include` matches and no pattern of `exclude`. `includes` and `excludes` are their matchers; None without
    a pattern.
    """

    include: Patterns
    exclude: Patterns
    upto: int | None
    includes: Matcher | None
    excludes: Matcher | None

    @property
    def takes_all(self) -> bool:
        """True if the empty pattern is included and no pattern excluded, so that every key is taken."""
        return b"" in self.include and self.excludes is None

    def judge(self, keys: Sequence[bytes]) -> list[bool]:
        """Returns for each key whether the span takes its messages; for fewer keys if a matcher stops early."""
        if self.includes is None:
            return [False] * len(keys)
        verdict = self.includes.judge(keys)
        if self.excludes is not None:
            excluded = self.excludes.judge(keys[: len(verdict)])
            verdict = [taken and not left for taken, left in zip(verdict, excluded, strict=False)]
        return verdict


@dataclass(frozen=True, slots=True)
class Fill:
    """Messages of `pattern` after `start` up to `upto` (inclusive), except those of the first `known` subscriptions."""

    pattern: bytes
    start: int
    upto: int
    known: int


Progress = tuple[int, tuple[Fill, ...], int]
"""A place to return to: position, fills, and the last sequence handled of the first fill (0 without a fill)."""


class Reading:
    """The subscriptions of one session on a stream, and its progress."""

    __slots__ = (
        "_fill_at",
        "_fills",
        "_history",
        "_matching",
        "_span",
        "_starts",
        "pattern_bytes",
        "position",
    )

    def __init__(self, matching: Matching) -> None:
        self.position = 0
        self.pattern_bytes = 0
        """Bytes of all patterns together."""
        self._matching = matching
        self._starts: dict[bytes, int] = {}
        self._history: list[tuple[bytes, int]] = []
        self._fills: tuple[Fill, ...] = ()
        self._fill_at = 0
        self._span: Span | None = None

    @property
    def subscribed(self) -> bool:
        return bool(self._starts)

    @property
    def filling(self) -> bool:
        return bool(self._fills)

    @property
    def fills(self) -> int:
        """Number of waiting fills."""
        return len(self._fills)

    @property
    def cursor(self) -> int:
        """The sequence after which reading continues."""
        return self._fill_at if self._fills else self.position

    @property
    def history(self) -> int:
        """Number of subscriptions that are remembered for fills; 0 without a waiting fill."""
        return len(self._history) if self._fills else 0

    def __len__(self) -> int:
        return len(self._starts)

    def __contains__(self, pattern: object) -> bool:
        return pattern in self._starts

    def __iter__(self) -> Iterator[bytes]:
        """Yields the patterns, as they were subscribed to."""
        return iter(self._starts)

    def patterns(self) -> Patterns:
        """Returns all patterns, reduced; sessions with the same result share a group in high gear."""
        return self._matching.reduce(self._starts)

    def caught_up(self, end: int) -> bool:
        """Returns whether all messages up to the stream's `end` have been read, and all fills."""
        return self.position >= end and not self._fills

    def subscribe(self, pattern: bytes, start: int) -> None:
        """Adds a subscription to the messages after sequence `start` (at most the stream's end), unless one of the same
        pattern covers them. The first sets the position to `start`; a later one before the position adds a fill.
        """
        known = self._starts.get(pattern)
        if not self._starts:
            self.position = start
        elif known is not None and known <= start:
            return
        elif start < self.position:
            if not self._fills:
                self._history = list(self._starts.items())
                self._fill_at = start
            upto = self.position if known is None else min(known, self.position)
            self._fills += (Fill(pattern, start, upto, len(self._history)),)
            self._remember(pattern, start)
        elif self._fills:
            self._remember(pattern, start)
        if known is None:
            self.pattern_bytes += len(pattern)
        self._starts[pattern] = start
        self._span = None

    def _remember(self, pattern: bytes, start: int) -> None:
        """Adds a subscription to the history; replaces an earlier one of its pattern that no fill refers to."""
        history = self._history
        for place in range(self._fills[-1].known + 1, len(history)):
            if history[place][0] == pattern:
                history[place] = (pattern, start)
                return
        history.append((pattern, start))
        if len(history) > 2 * (len(self._starts) + len(self._fills)) + _HISTORY_MIN:
            self._compact()

    def _compact(self) -> None:
        """Reduces the subscriptions that every fill excludes to the lowest start of each pattern."""
        shared = self._fills[0].known
        lowest: dict[bytes, int] = {}
        for pattern, start in self._history[:shared]:
            lowest[pattern] = min(start, lowest.get(pattern, start))
        self._history[:shared] = lowest.items()
        removed = shared - len(lowest)
        self._fills = tuple(replace(fill, known=fill.known - removed) for fill in self._fills)

    @property
    def has_span(self) -> bool:
        """True if the span at the cursor exists already; making one inspects every subscription."""
        return self._span is not None

    def span(self) -> Span:
        """Returns the span that begins after the cursor: of the first waiting fill, or else of the main course."""
        if self._span is None:
            self._span = self._fill_span(self._fills[0]) if self._fills else self._main_span()
        return self._span

    def advance(self, sequence: int) -> None:
        """Marks everything up to `sequence` (inclusive, not beyond the span) as handled; ends a fill at its `upto`."""
        span = self.span()
        if self._fills:
            self._fill_at = sequence
            if sequence >= self._fills[0].upto:
                self._fills = self._fills[1:]
                self._fill_at = self._fills[0].start if self._fills else 0
                self._span = None
                return
        else:
            self.position = sequence
        if span.upto is not None and sequence >= span.upto:
            self._span = None

    def rest(self) -> None:
        """Frees the span, which is needed only for reading; :meth:`span` makes it again."""
        self._span = None

    def progress(self) -> Progress:
        return self.position, self._fills, self._fill_at

    def rewind(self, progress: Progress, sequence: int | None = None) -> None:
        """Goes back to `progress`, taken since the last subscription; a given `sequence` counts as the last handled."""
        self.position, self._fills, self._fill_at = progress
        self._span = None
        if sequence is not None:
            if self._fills:
                self._fill_at = sequence
            else:
                self.position = sequence

    def _fill_span(self, fill: Fill) -> Span:
        at = self._fill_at
        earlier = self._history[: fill.known]
        exclude = self._matching.reduce(pattern for pattern, start in earlier if start <= at)
        upto = min([start for _, start in earlier if start > at], default=fill.upto)
        return self._cut((fill.pattern,), exclude, min(upto, fill.upto))

    def _main_span(self) -> Span:
        at = self.position
        include = self._matching.reduce(pattern for pattern, start in self._starts.items() if start <= at)
        upto = min([start for start in self._starts.values() if start > at], default=None)
        return self._cut(include, (), upto)

    def _cut(self, include: Patterns, exclude: Patterns, upto: int | None) -> Span:
        if exclude and self._matching.reduce((*exclude, *include)) == exclude:
            include = ()
        matchers = [self._matching.matcher(patterns) if patterns else None for patterns in (include, exclude)]
        return Span(include, exclude, upto, *matchers)
