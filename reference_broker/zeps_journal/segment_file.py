"""A segment's file, opened for reading: heads and whole blocks, with few calls and few copies."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from zeps_journal.block import HEAD_SIZE, PAGE_SIZE, BlockHead, Data, block_holds, unpack_head
from zeps_journal.header import header_size
from zeps_journal.regular_file import open_regular

__all__ = ["Segment", "SegmentFile", "read_all"]

_WINDOW = 256 * 1024


class Segment(NamedTuple):
    """A segment file of `stream`, `size` long when listed; `limit` is its last sequence, None for the newest."""

    stream: str
    path: str
    first_sequence: int
    size: int
    limit: int | None

    @property
    def header_end(self) -> int:
        """Offset of the first block."""
        return header_size(self.stream)


def read_all(pread: Callable[[int, int], bytes], offset: int, size: int) -> bytes:
    """Reads `size` bytes from `offset` on, fewer only at the file's end; `pread(size, offset)` may return fewer. Pages
    that the device cannot read are zeros: they count as damage, and data around them is served. Raises OSError.
    """
    parts: list[bytes] = []
    while size > 0:
        try:
            part = pread(size, offset)
        except InterruptedError:
            continue
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            part = _read_page(pread, offset, min(size, PAGE_SIZE - offset % PAGE_SIZE))
        if not part:
            break
        parts.append(part)
        size -= len(part)
        offset += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read_page(pread: Callable[[int, int], bytes], offset: int, size: int) -> bytes:
    try:
        return pread(size, offset)
    except OSError:
        return bytes(size)


class SegmentFile:
    """A context manager: the first `size` bytes of a segment's file, which the constructor opens. Pages that the
    device cannot read are zeros, as in :func:`read_all`. All methods and the constructor raise OSError.
    """

    def __init__(self, path: str, size: int) -> None:
        self.path = path
        self.size = size
        self._fd = open_regular(path, os.O_RDONLY)
        self._pread = partial(os.pread, self._fd)
        self._window = b""
        self._view: npt.NDArray[np.uint8] = np.frombuffer(b"", np.uint8)
        self._window_at = 0
        self._seen: BlockHead | None = None
        self._free: list[bytearray] = []
        self._lent: list[bytearray] = []

    def __enter__(self) -> SegmentFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        os.close(self._fd)

    def read(self, offset: int, size: int) -> bytes:
        """Reads `size` bytes from `offset` on, fewer only at the end of the file or of `self.size`."""
        return read_all(self._pread, offset, min(size, self.size - offset))

    def head(self, at: int) -> BlockHead | None:
        """Returns the block head at offset `at`, which may be damaged; None if no head is there."""
        if self._seen is not None and self._seen.at == at:
            return self._seen
        here = at - self._window_at
        if not 0 <= here <= len(self._window) - HEAD_SIZE:
            near = 0 <= here <= len(self._window) + _WINDOW // 8
            self._look(at, _WINDOW if near else HEAD_SIZE)
            here = 0
        self._seen = unpack_head(self._window, here, at)
        return self._seen

    def block(self, head: BlockHead) -> Data:
        """Returns the bytes of the block of `head`, without verification; fewer if the file ends before."""
        near = self._near(head)
        return self.read(head.at, head.size) if near is None else near

    def borrow(self, head: BlockHead) -> Data:
        """Like :meth:`block`, but the bytes of all borrowed blocks are valid only until :meth:`release`."""
        near = self._near(head)
        if near is not None:
            return near
        size = head.size
        room = self._free.pop() if self._free else bytearray(size)
        if len(room) < size:
            room = bytearray(size)
        if head.end > self.size or self._fill(room, head.at, size) < size:
            return self.read(head.at, size)
        self._lent.append(room)
        return np.frombuffer(room, np.uint8, size)

    def release(self) -> None:
        """Declares that no borrowed bytes are referenced any more: their memory is used for the next blocks."""
        self._free += self._lent
        self._lent.clear()

    def holds(self, head: BlockHead) -> bool:
        """Reads the block of `head`; returns whether it is complete and valid; its magic is not compared."""
        return head.end <= self.size and block_holds(self.block(head), head)

    def _fill(self, room: bytearray, offset: int, size: int) -> int:
        try:
            return os.preadv(self._fd, [memoryview(room)[:size]], offset)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        return 0

    def _near(self, head: BlockHead) -> Data | None:
        """Returns a small block, which is read together with its neighbours; None for a larger block."""
        here, size = head.at - self._window_at, head.size
        if size <= _WINDOW // 8 and not 0 <= here <= len(self._window) - size:
            self._look(head.at, _WINDOW)
            here = 0
        return self._view[here : here + size] if 0 <= here <= len(self._window) - size else None

    def _look(self, at: int, size: int) -> None:
        self._window, self._window_at = self.read(at, size), at
        self._view = np.frombuffer(self._window, np.uint8)
