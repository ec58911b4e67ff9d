"""The indexes of consecutive blocks, read without their frames, as arrays for some thousand messages at once. An index
with a correct checksum (JOURNAL-BLOCK-1) can be cached for other selections.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from zeps_journal.block import ENTRY_SIZE, HEAD_SIZE, NUMBERS_SIZE, BlockHead, index_holds, unpack_head
from zeps_journal.numbers import unpack_ends

__all__ = ["BLOCK_SIZE_MIN", "Indexed", "Indexes", "Pread", "read_indexes"]

BLOCK_SIZE_MIN = 16 * 1024
"""A smaller block is read faster as a whole, together with its neighbours."""
_BLOCK_OVERHEAD = 600
"""Memory of a block's objects besides the columns, in bytes, measured on CPython 3.11."""

Pread = Callable[[int, int], bytes]
"""`read(size, offset)`: reads a part of the file. After OSError or a short read the block counts as damaged."""


class Indexed(NamedTuple):
    """A block whose index was read and is valid. `at`, `frames_at` and `end` are offsets in the file."""

    at: int
    frames_at: int
    end: int
    first_sequence: int
    next_sequence: int
    """First sequence after the block."""
    frames_size: int
    keys: bytes
    """The ends of the distinct keys, four bytes each, followed by the keys."""
    distinct: int
    """Number of distinct keys."""


class Indexes(NamedTuple):
    """The indexes of one or more consecutive blocks, for all their messages in order."""

    blocks: Sequence[Indexed]
    messages: npt.NDArray[np.int64]
    """Number of messages before each block, and in total: one entry more than blocks."""
    ends: npt.NDArray[np.uint32]
    """End of each message's frame, in bytes from the start of its block's frames."""
    keys: npt.NDArray[np.uint16]
    """Number, from 0, of each message's key among the distinct keys of its block."""
    pages: npt.NDArray[np.int64]
    """Number of pages of frames before each block."""
    checksums: array[int]
    """Checksums of all pages."""
    bytes_read: int
    """Bytes of the blocks before their frames: what was read, at least."""

    @property
    def weight(self) -> int:
        """Approximate memory in bytes."""
        columns = self.ends.nbytes + self.keys.nbytes + 4 * len(self.checksums)
        return columns + sum([len(block.keys) + _BLOCK_OVERHEAD for block in self.blocks])

    @property
    def end(self) -> int:
        """Offset of the blocks' end in the file."""
        return self.blocks[-1].end

    def number(self, at: int) -> int | None:
        """Returns the number, from 0, of the block at offset `at` in the file; None if no block begins there."""
        number = bisect_left(self.blocks, at, key=lambda block: block.at)
        return number if number < len(self.blocks) and self.blocks[number].at == at else None


def read_indexes(read: Pread, at: int, sequence: int, end: int, limit: int, stop: int) -> Indexes | None:
    """Reads the indexes of the block at `at`, which must begin with `sequence`, and of those that begin before `stop`.
    All must end by offset `end` of the file and have no sequence beyond `limit`. The result ends before a block to read
    as a whole (invalid, or smaller than BLOCK_SIZE_MIN): None if that is the first. Raises OSError.
    """
    blocks, columns = _gather(read, at, sequence, end, limit, stop)
    if not blocks:
        return None
    indexes = _joined(blocks, columns)
    if indexes is None and len(blocks) > 1:
        # An index was written incorrectly: read the blocks one by one.
        return read_indexes(read, at, sequence, end, limit, at)
    return indexes


def _gather(
    read: Pread, at: int, sequence: int, end: int, limit: int, stop: int
) -> tuple[list[Indexed], list[tuple[BlockHead, bytes]]]:
    """Returns the blocks, as :func:`read_indexes`, and for each its head and its bytes, at least up to its frames."""
    blocks: list[Indexed] = []
    columns: list[tuple[BlockHead, bytes]] = []
    guess = HEAD_SIZE
    while at < end and (at < stop or not blocks):
        data = read(min(guess, end - at), at)
        head = unpack_head(data)
        if head is None:
            break
        size = head.frames_at
        following = at + size + head.frames_size
        next_sequence = sequence + head.messages
        is_next = head.first_sequence == sequence and next_sequence - 1 <= limit
        if following - at < BLOCK_SIZE_MIN or following > end or not is_next:
            break
        if len(data) < size:
            data += read(size - len(data), at + len(data))
        if not index_holds(data, head):
            break
        keys = data[size - 4 * head.keys - head.keys_size : size]
        blocks.append(
            Indexed(at, at + size, following, sequence, next_sequence, head.frames_size, keys, head.keys)
        )
        columns.append((head, data))
        at, sequence = following, next_sequence
        # The next block is probably similar, so that one call is enough.
        guess = size + size // 16
    return blocks, columns


def _joined(blocks: Sequence[Indexed], columns: Sequence[tuple[BlockHead, bytes]]) -> Indexes | None:
    """Returns the columns of all blocks; None if an index was written incorrectly (JOURNAL-BLOCK-6, -8)."""
    messages = np.array(list(accumulate([head.messages for head, _ in columns], initial=0)))
    ends = np.frombuffer(_column(columns, 8, NUMBERS_SIZE), ">u4").astype(np.uint32)
    keys = np.frombuffer(_column(columns, NUMBERS_SIZE, ENTRY_SIZE), ">u2").astype(np.uint16)
    rises = ends[1:] > ends[:-1]
    rises[messages[1:-1] - 1] = ends[messages[1:-1]] > 0
    sizes = [head.frames_size for head, _ in columns]
    distinct = np.array([head.keys for head, _ in columns])
    right = (
        ends[0]
        and rises.all()
        and ends[messages[1:] - 1].tolist() == sizes
        and (keys < distinct.repeat(np.diff(messages))).all()
        and all(_keys_end(head, block.keys) for (head, _), block in zip(columns, blocks, strict=True))
    )
    if not right:
        return None
    pages = np.array(list(accumulate([head.pages for head, _ in columns], initial=0))[:-1])
    bytes_read = sum([head.frames_at for head, _ in columns])
    return Indexes(blocks, messages, ends, keys, pages, _checksums(columns), bytes_read)


def _keys_end(head: BlockHead, table: bytes) -> bool:
    """Returns whether the last key ends where the table ends."""
    return int.from_bytes(table[4 * head.keys - 4 : 4 * head.keys], "big") == head.keys_size


def _column(columns: Sequence[tuple[BlockHead, bytes]], begin: int, end: int) -> bytes:
    """Returns the part from `begin` to `end` of all blocks' indexes, in bytes per message."""
    parts = []
    for head, data in columns:
        count = head.messages
        parts.append(data[HEAD_SIZE + begin * count : HEAD_SIZE + end * count])
    return b"".join(parts)


def _checksums(columns: Sequence[tuple[BlockHead, bytes]]) -> array[int]:
    """Returns the checksums of all pages of all blocks."""
    parts = []
    for head, data in columns:
        begin = HEAD_SIZE + ENTRY_SIZE * head.messages
        parts.append(data[begin : begin + 4 * head.pages])
    return unpack_ends(b"".join(parts))
