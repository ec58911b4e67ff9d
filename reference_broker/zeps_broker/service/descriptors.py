"""File descriptors reserved for the journal.

Any peer can open connections until no descriptors are left, and a broker whose journal cannot open a new segment stops.
So connections are limited by the soft limit, which is below the hard limit, and the journal uses descriptors up to the
hard limit when necessary. While the limit is raised to open one file, waiting connections take some descriptors too, so
the reserve is temporary under a flood that does not end: a reserve of 500 lasted for 18 segments. libzmq offers no
better way, since a broker that stops listening would close all connections.
"""

from __future__ import annotations

import errno
import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from zeps_broker.journal.disk import OsDisk

__all__ = ["ReservingDisk", "reserve"]

T = TypeVar("T")

_SHARE = 4
"""The reserve is the hard limit divided by this number."""


def reserve() -> None:
    """Sets the soft limit of descriptors to three quarters of the hard limit, if any, even if it was higher."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = hard if hard == resource.RLIM_INFINITY else hard - hard // _SHARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class ReservingDisk(OsDisk):
    """The real disk, with reserved descriptors for when connections have taken all others."""

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        return _with_reserve(partial(super().open, path, write=write, create=create))

    def sync_folder(self, path: Path) -> None:
        _with_reserve(partial(super().sync_folder, path))

    def listdir(self, path: Path) -> list[str]:
        return _with_reserve(partial(super().listdir, path))


def _with_reserve(call: Callable[[], T]) -> T:
    """Returns `call()`; if the soft limit stops it, calls it again with the soft limit raised to the hard limit."""
    try:
        return call()
    except OSError as error:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if error.errno != errno.EMFILE or soft == hard:
            raise
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        return call()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
