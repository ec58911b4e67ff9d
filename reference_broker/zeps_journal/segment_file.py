"""Blocks of a segment file: heads, whole blocks, and whether their checksums hold (`protocol/journal.xml`)."""

from __future__ import annotations

import errno
import os
from types import TracebackType
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from google_crc32c import value

from zeps_wire.errors import DecodeError
from zeps_wire.journal import BLOCK_HEAD, BLOCK_HEAD_SIZE, unpack_block_head
from zeps_wire.zeps import DELIVER_HEAD_SIZE

__all__ = [
    "ENTRY_OCTETS",
    "FRAME_OCTETS_MIN",
    "HEAD_OCTETS",
    "MAGIC",
    "MESSAGES_MAX",
    "BlockHead",
    "SegmentFile",
    "block_holds",
    "index_holds",
    "messages_max_in",
    "unpack_head",
]

MAGIC = BLOCK_HEAD
HEAD_OCTETS = BLOCK_HEAD_SIZE
ENTRY_OCTETS = 14
"""What each message adds to the index: its time (8), end (4) and key's number (2)."""
MESSAGES_MAX = 65_536
FRAME_OCTETS_MIN = DELIVER_HEAD_SIZE + 5
"""A DELIVER with an empty key and an empty body."""
_PAGE_OCTETS = 4096
_KEY_OCTETS_MAX = 255
_UNCOVERED_OCTETS = 8
_INDEX_UNCOVERED_OCTETS = 12
_WINDOW_OCTETS = 256 * 1024


class BlockHead(NamedTuple):
    """A block's leading fields, and `at`, where in its file it begins. Times are microseconds since 1970."""

    at: int
    checksum: int
    index_checksum: int
    first_sequence: int
    first_time: int
    last_time: int
    messages: int
    frames_size: int
    pages: int
    keys: int
    keys_size: int

    @property
    def last_sequence(self) -> int:
        """The sequence of the last message."""
        return self.first_sequence + self.messages - 1

    @property
    def frames_at(self) -> int:
        """Where the frames begin, in octets from the block's first."""
        return HEAD_OCTETS + ENTRY_OCTETS * self.messages + 4 * (self.pages + self.keys) + self.keys_size

    @property
    def octets(self) -> int:
        """Octets of the whole block."""
        return self.frames_at + self.frames_size

    @property
    def end(self) -> int:
        """Where in the file the next block begins."""
        return self.at + self.octets


def unpack_head(octets: bytes, offset: int, at: int) -> BlockHead | None:
    """The head at `offset` of `octets`, which is `at` in its file; None if there is none, or one that no writer
    makes (JOURNAL-BLOCK-2).
    """
    try:
        head = BlockHead(at, *unpack_block_head(octets, offset))
    except DecodeError:
        return None
    credible = (
        head.messages
        and head.frames_size >= head.messages * FRAME_OCTETS_MIN
        and head.pages == -(-head.frames_size // _PAGE_OCTETS)
        and 0 < head.keys <= head.messages
        and head.keys_size <= head.keys * _KEY_OCTETS_MAX
    )
    return head if credible else None


def messages_max_in(octets: int) -> int:
    """The most messages that complete blocks of so many octets can hold."""
    return max(0, octets - HEAD_OCTETS - 8) // (ENTRY_OCTETS + FRAME_OCTETS_MIN)


def index_holds(octets: pa.Buffer, head: BlockHead) -> bool:
    """Whether the index's checksum holds; `octets` are the block up to its frames at least."""
    covered = octets.slice(_INDEX_UNCOVERED_OCTETS, head.frames_at - _INDEX_UNCOVERED_OCTETS)
    return bool(value(covered) == head.index_checksum)


def block_holds(octets: pa.Buffer, head: BlockHead) -> bool:
    """Whether the block's checksum holds, and what it says of its ends is right; `octets` are the block."""
    if octets.size != head.octets or value(octets.slice(_UNCOVERED_OCTETS)) != head.checksum:
        return False
    ends = np.frombuffer(octets, ">u4", head.messages, HEAD_OCTETS + 8 * head.messages)
    if head.messages == 1:
        return bool(ends[0] == head.frames_size)
    return bool(ends[0] > 0 and ends[-1] == head.frames_size and (ends[1:] > ends[:-1]).all())


class SegmentFile:
    """A segment's file, open for reading; a context manager. Raises OSError.

    Pages that the device cannot read come back as zeros: no checksum holds over them, so that they are found to
    be damage and what lies around them is still served.
    """

    def __init__(self, path: str, octets: int) -> None:
        self.path = path
        self.octets = octets
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._window = b""
        self._window_at = 0
        self._buffer = pa.py_buffer(b"")
        self._seen: BlockHead | None = None
        self._free: list[bytearray] = []
        self._lent: list[bytearray] = []

    def __enter__(self) -> SegmentFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)

    def sync(self) -> None:
        """Put on the device whatever of the file a writer has not yet."""
        os.fdatasync(self._fd)

    def read(self, offset: int, octets: int) -> bytes:
        """That part of the file, shorter only at its end."""
        octets = min(octets, self.octets - offset)
        parts: list[bytes] = []
        while octets > 0:
            part = self._part(offset, octets)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            octets -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _part(self, offset: int, octets: int) -> bytes:
        try:
            return os.pread(self._fd, octets, offset)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        page = min(octets, _PAGE_OCTETS - offset % _PAGE_OCTETS)
        try:
            return os.pread(self._fd, page, offset)
        except OSError:
            return bytes(page)

    def head(self, at: int) -> BlockHead | None:
        """The head at `at`; None if there is none. Neighbouring small blocks cost one read together."""
        if self._seen is not None and self._seen.at == at:
            return self._seen
        here = at - self._window_at
        if not 0 <= here <= len(self._window) - HEAD_OCTETS:
            near = 0 <= here <= len(self._window) + _WINDOW_OCTETS // 8
            self._look(at, _WINDOW_OCTETS if near else HEAD_OCTETS)
            here = 0
        self._seen = unpack_head(self._window, here, at)
        return self._seen

    def block(self, head: BlockHead) -> pa.Buffer:
        """The octets of the block of `head`, whatever they hold; fewer if the file ends before."""
        near = self._near(head)
        return pa.py_buffer(self.read(head.at, head.octets)) if near is None else near

    def borrow(self, head: BlockHead) -> pa.Buffer:
        """The same, until :meth:`release`: large blocks share memory one after the other, for which the kernel would
        else take as long as for reading them.
        """
        near = self._near(head)
        if near is not None:
            return near
        octets = head.octets
        room = self._free.pop() if self._free else bytearray(octets)
        if len(room) < octets:
            room = bytearray(octets)
        if head.end > self.octets or self._fill(room, head.at, octets) < octets:
            return pa.py_buffer(self.read(head.at, octets))
        self._lent.append(room)
        return pa.py_buffer(room).slice(0, octets)

    def release(self) -> None:
        """Nothing refers any more to what was borrowed."""
        self._free += self._lent
        self._lent.clear()

    def _fill(self, room: bytearray, offset: int, octets: int) -> int:
        try:
            return os.preadv(self._fd, [memoryview(room)[:octets]], offset)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        return 0

    def _near(self, head: BlockHead) -> pa.Buffer | None:
        """A small block, which is read together with its neighbours; None for another."""
        here, octets = head.at - self._window_at, head.octets
        if octets <= _WINDOW_OCTETS // 8 and not 0 <= here <= len(self._window) - octets:
            self._look(head.at, _WINDOW_OCTETS)
            here = 0
        return self._buffer.slice(here, octets) if 0 <= here <= len(self._window) - octets else None

    def _look(self, at: int, octets: int) -> None:
        self._window, self._window_at = self.read(at, octets), at
        self._buffer = pa.py_buffer(self._window)

    def holds(self, head: BlockHead) -> bool:
        """Whether the whole block of `head` holds."""
        return head.end <= self.octets and block_holds(self.block(head), head)
