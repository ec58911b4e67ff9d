"""Descendants and memory of processes, read from outside; on Linux only (``/proc``)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["family_of", "resident"]


def resident(pid: int) -> int:
    """Sum of the resident bytes of process `pid` and of its descendants; 0 if the process does not exist."""
    return sum(_resident(member) for member in family_of(pid))


def family_of(pid: int) -> list[int]:
    """Returns `pid`, even if it does not exist, and its descendants, parents before children."""
    pids = [pid]
    for parent in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                pids += [int(word) for word in (task / "children").read_text().split()]
    return pids


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
