"""Compares Spans with Python's sets."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zeps_pipeline.audit.spans import Spans

_SPAN = st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(_SPAN, max_size=12), _SPAN)
def test_spans_are_sets(added: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    spans, numbers = Spans(), set()
    for first, last in added:
        spans.add(first, last)
        numbers.update(range(first, last + 1))
    whole = spans.spans()
    assert [n for first, last in whole for n in range(first, last + 1)] == sorted(numbers)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(whole))
    asked_numbers = set(range(asked[0], asked[1] + 1))
    assert {
        n for first, last in spans.within(*asked) for n in range(first, last + 1)
    } == asked_numbers & numbers
    assert {
        n for first, last in spans.missing(*asked) for n in range(first, last + 1)
    } == asked_numbers - numbers
