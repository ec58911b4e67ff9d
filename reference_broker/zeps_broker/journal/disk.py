"""The file system calls of the journal, as methods of a class so that tests can make them fail."""

from __future__ import annotations

import errno
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from zeps_journal.regular_file import open_regular

__all__ = ["FilePool", "Identity", "OsDisk"]

Identity = tuple[int, int]
"""A file's device and inode. Different files that exist or are open never share them."""


class OsDisk:
    """The file system of the operating system. Every call may raise OSError. Tests replace calls in subclasses."""

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        """Opens a regular file for reading, with `write` also for writing; returns its descriptor. `create` creates it.
        Raises OSError; EINVAL for other kinds of files, FileExistsError if `create` finds one.
        """
        flags = os.O_RDWR if write else os.O_RDONLY
        if create:
            flags |= os.O_CREAT | os.O_EXCL
        return open_regular(path, flags)

    def close(self, fd: int) -> None:
        os.close(fd)

    def size(self, fd: int) -> int:
        """Returns the file's size in bytes."""
        return os.fstat(fd).st_size

    def identity(self, file: Path | int) -> Identity:
        """Returns the identity of the file that a path or a descriptor refers to."""
        status = os.stat(file)
        return status.st_dev, status.st_ino

    def pread(self, fd: int, size: int, offset: int) -> bytes:
        """Reads at most `size` bytes from `offset` on; it may return fewer, not only at the end of the file."""
        return os.pread(fd, size, offset)

    def reader(self, fd: int) -> Callable[[int, int], bytes]:
        """Returns a function `read(size, offset)`: :meth:`pread` of this file."""
        return partial(os.pread, fd)

    def pwritev(self, fd: int, buffers: Sequence[bytes], offset: int) -> int:
        """Writes the buffers one after the other at `offset`; returns the bytes written, possibly fewer."""
        return os.pwritev(fd, buffers, offset)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fdatasync(self, fd: int) -> None:
        """Returns when the file's content, and the metadata needed to read it, are on the device."""
        os.fdatasync(fd)

    def sync_folder(self, path: Path) -> None:
        """Returns when the folder's entries are on the device."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def unlink(self, path: Path) -> None:
        os.unlink(path)

    def mkdir(self, path: Path) -> bool:
        """Creates the folder and its parents; returns False if it exists already."""
        try:
            path.mkdir(mode=0o750, parents=True)
        except FileExistsError:
            if not path.is_dir():
                raise
            return False
        return True

    def listdir(self, path: Path) -> list[str]:
        return os.listdir(path)


@dataclass(slots=True)
class _Open:
    fd: int
    write: bool


class FilePool:
    """Open files by path, at most `files_max`; the least recently used file is closed first, but never a pinned file: a
    failure to write data back is reported only to descriptors that were open at that time.
    """

    def __init__(self, disk: OsDisk, files_max: int = 128) -> None:
        self.disk = disk
        self._files_max = files_max
        self._idle: OrderedDict[Path, _Open] = OrderedDict()
        self._pinned: dict[Path, _Open] = {}

    def __len__(self) -> int:
        return len(self._idle) + len(self._pinned)

    def get(self, path: Path, *, write: bool = False, expected: Identity | None = None) -> int:
        """Returns a descriptor for `path`, with `write` also for writing, valid until the next call of the pool. Raises
        OSError; ESTALE if the file must be opened (again) and is not the `expected` one.
        """
        held = self._pinned.get(path) or self._idle.get(path)
        if held is not None:
            if held.write or not write:
                if path in self._idle:
                    self._idle.move_to_end(path)
                return held.fd
            self.drop(path)
        fd = self.disk.open(path, write=write)
        if expected is not None and self.disk.identity(fd) != expected:
            self.disk.close(fd)
            raise OSError(errno.ESTALE, "the file was replaced by another file", str(path))
        return self._hold(path, _Open(fd, write))

    def create(self, path: Path) -> int:
        """Creates a file; returns a descriptor as :meth:`get`. Raises OSError; FileExistsError if the file exists."""
        return self._hold(path, _Open(self.disk.open(path, write=True, create=True), True))

    def pin(self, path: Path) -> bool:
        """Keeps a file that the pool has open from being closed; returns False if half of `files_max` are pinned."""
        if path not in self._pinned:
            if 2 * len(self._pinned) >= self._files_max:
                return False
            self._pinned[path] = self._idle.pop(path)
        return True

    def unpin(self, path: Path) -> None:
        """Allows the pool to close the file to open others; does nothing if it is not pinned."""
        held = self._pinned.pop(path, None)
        if held is not None:
            self._hold(path, held)

    def drop(self, path: Path) -> None:
        """Closes the file if it is open, even if it is pinned."""
        held = self._pinned.pop(path, None) or self._idle.pop(path, None)
        if held is not None:
            self.disk.close(held.fd)

    def close(self) -> None:
        """Closes all files."""
        for path in [*self._pinned, *self._idle]:
            self.drop(path)

    def _hold(self, path: Path, held: _Open) -> int:
        self._idle[path] = held
        while len(self) > self._files_max:
            _, oldest = self._idle.popitem(last=False)
            self.disk.close(oldest.fd)
        return held.fd
