"""Sizes and seeds of campaigns: small with fixed seeds in `make test`, large with random ones in `make soak`.

`make soak` sets `ZEPS_SOAK=1`, and `ZEPS_SEED` to the number that it prints for repeating a failure.
"""

from __future__ import annotations

import os
import random

__all__ = ["SEED", "SOAK", "random_of", "seeds", "sized"]

SOAK = os.environ.get("ZEPS_SOAK") == "1"
SEED = int(os.environ.get("ZEPS_SEED", "0"))
"""What every random choice of a test follows from: 0 in `make test`."""


def sized(small: int, full: int) -> int:
    """A campaign's rounds or examples: `small` in `make test`, `full` in `make soak`."""
    return full if SOAK else small


def seeds(small: int, full: int) -> range:
    """As many seeds as :func:`sized` says."""
    return range(SEED, SEED + sized(small, full))


def random_of(number: int) -> random.Random:
    """The random choices of the test, or the part of it, with that number."""
    return random.Random(SEED + number)
