"""What a process and its descendants use, measured from outside; on Linux only (``/proc``)."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from zeps_conformance.common.processes import family_of, of_threads, resident

__all__ = ["Usage", "usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """`memory`: resident bytes; `descriptors`: open files and sockets; `busy`: seconds for which its threads have run,
    or were ready to run and waited for a processor, so that other load of the machine does not hide a busy process.
    """

    memory: int
    descriptors: int
    busy: float


def usage(pid: int) -> Usage:
    """Returns the sum over process `pid` and its descendants; zeros if the process does not exist."""
    family = family_of(pid)
    return Usage(resident(pid), sum(map(_descriptors, family)), sum(map(_busy, family)))


def _descriptors(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def _busy(pid: int) -> float:
    nanoseconds = 0
    for text in of_threads(pid, "schedstat"):
        ran, waited, _ = text.split()
        nanoseconds += int(ran) + int(waited)
    return nanoseconds / 1e9
