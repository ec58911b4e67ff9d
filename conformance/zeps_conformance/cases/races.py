"""What is a race is not won every time: it is run again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator

__all__ = ["rounds"]


def rounds(least: int, seconds: float) -> Iterator[int]:
    """0, 1, …: at least so many, and for so many seconds, so that whoever is quick runs more of them."""
    end = time.monotonic() + seconds
    number = 0
    while number < least or time.monotonic() < end:
        yield number
        number += 1
