"""Random values that are the same in each run, for builds that several tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

__all__ = ["drawn"]

Value = TypeVar("Value")


def drawn(strategy: SearchStrategy[Value], count: int, wanted: Callable[[Value], bool]) -> list[Value]:
    """The first `count` values of `strategy` that are `wanted`, of at most 20 for each."""
    found: list[Value] = []

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
        if len(found) < count and wanted(value):
            found.append(value)

    draw()
    assert len(found) == count
    return found
