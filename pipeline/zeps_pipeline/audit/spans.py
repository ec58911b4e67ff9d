"""Sets of sequences as spans (first, last). Bounds are inclusive; spans ascend and do not touch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

__all__ = ["Span", "Spans"]

Span = tuple[int, int]


class Spans:
    """A set of integers, stored as spans. A stream without faults needs one span."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def spans(self) -> list[Span]:
        """All spans, ascending."""
        return list(zip(self._firsts, self._lasts, strict=True))

    def count(self) -> int:
        """Number of integers in the set."""
        return sum(self._lasts) - sum(self._firsts) + len(self._firsts)

    def within(self, first: int, last: int) -> list[Span]:
        """Spans of [first, last] that are in the set."""
        begin = bisect_left(self._lasts, first)
        end = bisect_right(self._firsts, last)
        return [
            (max(self._firsts[place], first), min(self._lasts[place], last)) for place in range(begin, end)
        ]

    def missing(self, first: int, last: int) -> list[Span]:
        """Spans of [first, last] that are not in the set."""
        holes, at = [], first
        for begin, end in self.within(first, last):
            if begin > at:
                holes.append((at, begin - 1))
            at = end + 1
        if at <= last:
            holes.append((at, last))
        return holes

    def add(self, first: int, last: int) -> None:
        """Add [first, last], nothing if `first` is larger; spans that touch are joined."""
        if first > last:
            return
        begin = bisect_left(self._lasts, first - 1)
        end = bisect_right(self._firsts, last + 1)
        if begin < end:
            first = min(first, self._firsts[begin])
            last = max(last, self._lasts[end - 1])
        self._firsts[begin:end] = [first]
        self._lasts[begin:end] = [last]
