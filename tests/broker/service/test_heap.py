"""Freed memory returns to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from zeps_broker.service.heap import Heap

_PROGRAM = """
import sys, time
from zeps_broker.service.heap import Heap

size, configured = int(sys.argv[1]), sys.argv[2:] == ["configured"]

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

if configured:
    heap = Heap()
bytes(bytearray(16 << 20))
before = resident()
small = []
large = []
for number in range(150_000_000 // size):
    large.append(bytearray(size))
    small.append(b"x" * 1000 + b"%d" % number)
highest = resident() - before
del large
if configured:
    heap.trim()
print(highest, resident() - before)
"""


def share_left(*arguments: str) -> float:
    """Returns the share of freed memory that a process keeps. The arguments are the size of the freed blocks and,
    optionally, "configured".
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    highest, left = map(int, done.stdout.split())
    assert highest > 100_000_000
    return left / highest


@pytest.mark.parametrize("size", ["1500000", "150000"])
def test_memory_between_small_blocks_returns(size: str) -> None:
    """By default malloc keeps nearly all of it."""
    assert share_left(size) > 0.9
    assert share_left(size, "configured") < 0.1


def test_it_trims_after_growth_only(monkeypatch: pytest.MonkeyPatch) -> None:
    heap = Heap()
    trims: list[int] = []
    monkeypatch.setattr(heap, "_malloc_trim", trims.append)
    # MiB before a trim, and after it
    sizes = iter([100, 60, 61, 67, 69, 65, 50, 59, 58])
    monkeypatch.setattr(heap, "_resident_bytes", lambda: next(sizes) << 20)
    counts = []
    for _ in range(6):
        heap._next = 0.0
        heap.trim()
        counts.append(len(trims))
    assert counts == [1, 1, 1, 2, 2, 3]
    heap.trim()  # within 50 ms: reads nothing
    assert next(sizes, None) is None
