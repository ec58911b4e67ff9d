"""File descriptors that no connection can take.

Each connection is a descriptor, and anybody can open connections until there are none left. The journal needs one for
a new segment, and a broker whose journal fails stops. So connections meet the soft limit, which is lower than the hard
one, and the journal goes up to the hard one when it must.

The limit is the process's, not a thread's: while it is raised to open one file, connections that wait take some
descriptors too. So the reserve buys time, and not eternity, under a flood that does not end: one of 500 lasted for 18
segments. libzmq offers nothing better, since to stop listening would be to hang up on everybody.
"""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zeps_broker.journal.disk import OsDisk

__all__ = ["ReservingDisk", "reserve"]

_SHARE = 4
"""The reserve is one part in so many of what the process may have."""


def reserve() -> None:
    """Ask for as many descriptors as this process may have, but for those that are the journal's."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = hard if hard == resource.RLIM_INFINITY else hard - hard // _SHARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class ReservingDisk(OsDisk):
    """The real disk, for which there are descriptors when connections have taken all others."""

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        try:
            return super().open(path, write=write, create=create)
        except OSError as error:
            if not _may_have_more(error):
                raise
        with _reserved():
            return super().open(path, write=write, create=create)

    def sync_folder(self, path: Path) -> None:
        try:
            return super().sync_folder(path)
        except OSError as error:
            if not _may_have_more(error):
                raise
        with _reserved():
            return super().sync_folder(path)

    def listdir(self, path: Path) -> list[str]:
        try:
            return super().listdir(path)
        except OSError as error:
            if not _may_have_more(error):
                raise
        with _reserved():
            return super().listdir(path)


def _may_have_more(error: OSError) -> bool:
    """Whether the call failed for want of descriptors, and the process may have more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return error.errno == errno.EMFILE and soft != hard


@contextmanager
def _reserved() -> Iterator[None]:
    """While the block runs there are more descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
