"""Descendants and memory of processes, read from outside; on Linux only (``/proc``)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["family_of", "of_threads", "resident"]


def resident(pid: int) -> int:
    """Sum of the resident bytes of process `pid` and of its descendants; 0 if the process does not exist."""
    return sum(_resident(member) for member in family_of(pid))


def family_of(pid: int) -> list[int]:
    """Returns `pid`, even if it does not exist, and its descendants, parents before children."""
    pids = [pid]
    for parent in pids:
        pids += [int(word) for text in of_threads(parent, "children") for word in text.split()]
    return pids


def of_threads(pid: int, name: str) -> Iterator[str]:
    """Yields the content of the file `name` of each thread of process `pid`, without threads that end meanwhile."""
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                yield (thread / name).read_text()


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
