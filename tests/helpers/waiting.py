"""Waits for what happens in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["until"]

T = TypeVar("T")


def _pause() -> None:
    time.sleep(0.01)


def until(
    holds: Callable[[], T],
    step: Callable[[], object] = _pause,
    *,
    seconds: float = 60.0,
    why: str = "the condition does not become true",
) -> T:
    """Calls `holds`, and `step` after each false result, until it returns a true value; returns that. Fails with `why`
    if it takes more than `seconds`: a bound for tests that hang, and not a speed requirement.
    """
    limit = time.monotonic() + seconds
    while not (result := holds()):
        assert time.monotonic() < limit, why
        step()
    return result
