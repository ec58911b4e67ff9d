"""Opens files and requires that they are regular files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["open_regular"]

_OTHER_KINDS = frozenset((errno.ENXIO, errno.ENODEV, errno.EISDIR))
"""Errors of os.open for sockets, devices without a driver, and folders."""


def open_regular(path: Path | str, flags: int, mode: int = 0o640) -> int:
    """Opens a regular file, or a symbolic link to one, with the flags and mode of os.open; returns its descriptor.
    Never waits, for example for a FIFO's other end. Raises OSError; EINVAL for anything but a regular file.
    """
    try:
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, mode)
    except OSError as error:
        if error.errno in _OTHER_KINDS:
            raise _not_regular(path) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _not_regular(path)
    return fd


def _not_regular(path: Path | str) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", str(path))
