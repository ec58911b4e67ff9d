"""Freed memory returns to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import sys
from zeps_broker.service.heap import return_large_blocks

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

if sys.argv[1] == "configured":
    return_large_blocks()
bytes(bytearray(16 << 20))
before = resident()
small = []
large = []
for number in range(100):
    large.append(bytearray(1_500_000))
    small.append(b"x" * 1000 + b"%d" % number)
highest = resident() - before
del large
print(highest, resident() - before)
"""


@pytest.mark.parametrize(("said", "share_max"), [("configured", 0.1), ("default", 1.0)])
def test_large_blocks_are_returned_though_small_ones_lie_between(said: str, share_max: float) -> None:
    """By default malloc keeps nearly all of it."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM, said], capture_output=True, text=True, check=True)
    highest, left = map(int, done.stdout.split())
    assert highest > 100_000_000
    assert share_max - 0.1 <= left / highest <= share_max
