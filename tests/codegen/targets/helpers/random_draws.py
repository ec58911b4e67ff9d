"""Random values that are the same in each run, for builds that several tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

__all__ = ["drawn"]

Value = TypeVar("Value")


def drawn(strategy: SearchStrategy[Value], count: int, suitable: Callable[[Value], bool]) -> list[Value]:
    """The first `count` values of `strategy` that are `suitable`, of at most 20 for each."""
    values: list[Value] = []

    @seed(20)
    @settings(
        max_examples=20 * count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: Value) -> None:
        if len(values) < count and suitable(value):
            values.append(value)

    draw()
    assert len(values) == count
    return values
