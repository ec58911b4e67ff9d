"""Sizes and seeds of campaigns: small with fixed seeds in `make test`, large with random ones in `make soak`.

ZEPS_CAMPAIGN is `quick` in `make quick`, `soak` in `make soak`, else `test`. `make soak` prints ZEPS_SEED to repeat it.
"""

from __future__ import annotations

import os
import random

__all__ = ["CAMPAIGN", "SEED", "SOAK", "random_of", "seeds", "sized"]

CAMPAIGN = os.environ.get("ZEPS_CAMPAIGN", "test")
SOAK = CAMPAIGN == "soak"
SEED = int(os.environ.get("ZEPS_SEED", "0"))
"""Seed of all random choices of a test: 0 in `make test`."""


def sized(small: int, full: int) -> int:
    """A campaign's rounds or examples: `small` in `make test`, a tenth of it in `make quick`, `full` in `make soak`."""
    return {"quick": max(small // 10, 1), "test": small, "soak": full}[CAMPAIGN]


def seeds(small: int, full: int) -> range:
    """A range of :func:`sized` seeds, from SEED on."""
    return range(SEED, SEED + sized(small, full))


def random_of(number: int) -> random.Random:
    """Random number generator for test, or part of a test, `number`."""
    return random.Random(SEED + number)
