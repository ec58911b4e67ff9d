"""Sets of sequences as spans: (first, last), both included, ascending and apart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

__all__ = ["Span", "Spans"]

Span = tuple[int, int]


class Spans:
    """A set of whole numbers, kept as spans: a stream without faults is one of them."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def spans(self) -> list[Span]:
        """All of it."""
        return list(zip(self._firsts, self._lasts, strict=True))

    def count(self) -> int:
        """How many numbers it holds."""
        return sum(self._lasts) - sum(self._firsts) + len(self._firsts)

    def within(self, first: int, last: int) -> list[Span]:
        """What of [first, last] is in the set."""
        begin = bisect_left(self._lasts, first)
        end = bisect_right(self._firsts, last)
        return [
            (max(self._firsts[place], first), min(self._lasts[place], last)) for place in range(begin, end)
        ]

    def missing(self, first: int, last: int) -> list[Span]:
        """What of [first, last] is not."""
        holes, at = [], first
        for begin, end in self.within(first, last):
            if begin > at:
                holes.append((at, begin - 1))
            at = end + 1
        if at <= last:
            holes.append((at, last))
        return holes

    def add(self, first: int, last: int) -> None:
        """Put [first, last] into the set; spans that touch become one."""
        if first > last:
            return
        begin = bisect_left(self._lasts, first - 1)
        end = bisect_right(self._firsts, last + 1)
        if begin < end:
            first = min(first, self._firsts[begin])
            last = max(last, self._lasts[end - 1])
        self._firsts[begin:end] = [first]
        self._lasts[begin:end] = [last]
