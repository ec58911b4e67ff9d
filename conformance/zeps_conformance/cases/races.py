"""Repetition of attempts that provoke a race, because a single attempt may not trigger it."""

from __future__ import annotations

import time
from collections.abc import Iterator

__all__ = ["rounds"]


def rounds(least: int, seconds: float) -> Iterator[int]:
    """Yields 0, 1, …: at least `least` numbers, and for at least `seconds`, so that fast runs repeat more."""
    end = time.monotonic() + seconds
    number = 0
    while number < least or time.monotonic() < end:
        yield number
        number += 1
