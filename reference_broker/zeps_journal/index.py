"""The indexes of blocks that follow each other, read without their frames, as a few arrays.

What is asked of every message is then asked of arrays, for some thousand messages at once; and an index that was
read, and found to hold (JOURNAL-BLOCK-1), can be kept and asked again for another selection.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from zeps_journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    NUMBERS_OCTETS,
    Head,
    index_holds,
    unpack_ends,
    unpack_head,
)

__all__ = ["BLOCK_OCTETS_MIN", "Indexed", "Indexes", "Pread", "read_indexes"]

BLOCK_OCTETS_MIN = 16 * 1024
"""A smaller block is read faster whole, together with its neighbours."""
_BLOCK_OVERHEAD = 600
"""Octets that a block's objects take besides the columns, measured on CPython 3.11."""

Pread = Callable[[int, int], bytes]
"""So many octets of the file from an offset on; OSError, or less, is taken for something wrong with the block."""


class Indexed(NamedTuple):
    """A block whose index was read, and holds. Places are octets in the file."""

    at: int
    frames_at: int
    end: int
    """Of what follows the block."""
    first_sequence: int
    next_sequence: int
    frames_size: int
    keys: bytes
    """The ends of the distinct keys, four octets each, and the keys."""
    distinct: int
    """How many these are."""


class Indexes(NamedTuple):
    """Of some blocks that follow each other, at least one, and of all their messages in order."""

    blocks: Sequence[Indexed]
    messages: npt.NDArray[np.int64]
    """How many messages are in the blocks before each, and in all: one number more than there are blocks."""
    ends: npt.NDArray[np.uint32]
    """Where each message's frame ends among those of its block."""
    keys: npt.NDArray[np.uint16]
    """The number of each message's key among those of its block."""
    pages: npt.NDArray[np.int64]
    """How many pages of frames are in the blocks before each."""
    checksums: array[int]
    """Of every page."""
    octets: int
    """How much was read of the file."""

    @property
    def weight(self) -> int:
        """About how much memory this takes, in octets."""
        columns = self.ends.nbytes + self.keys.nbytes + 4 * len(self.checksums)
        return columns + sum([len(block.keys) + _BLOCK_OVERHEAD for block in self.blocks])

    @property
    def end(self) -> int:
        """Of what follows the blocks, in octets of the file."""
        return self.blocks[-1].end

    def number(self, at: int) -> int | None:
        """Which block begins at octet `at` of the file; None if none does."""
        number = bisect_left(self.blocks, at, key=lambda block: block.at)
        return number if number < len(self.blocks) and self.blocks[number].at == at else None


def read_indexes(read: Pread, at: int, sequence: int, end: int, limit: int, stop: int) -> Indexes | None:
    """The indexes of the block at `at`, which begins with `sequence`, ends by octet `end`, and holds nothing beyond
    sequence `limit`; and of those after it that begin before `stop`.

    None if the first had better be read whole: it is small, or something about it is wrong. What comes back ends before
    another such block. Raises OSError.
    """
    blocks, columns = _gather(read, at, sequence, end, limit, stop)
    if not blocks:
        return None
    indexes = _joined(blocks, columns)
    if indexes is None and len(blocks) > 1:
        # One of the writers got an index wrong: take the blocks one by one.
        return read_indexes(read, at, sequence, end, limit, at)
    return indexes


def _gather(
    read: Pread, at: int, sequence: int, end: int, limit: int, stop: int
) -> tuple[list[Indexed], list[tuple[Head, bytes]]]:
    """The blocks, and head and octets of each: the block from its first octet to its frames, or further."""
    blocks: list[Indexed] = []
    columns: list[tuple[Head, bytes]] = []
    guess = HEAD_OCTETS
    while at < end and (at < stop or not blocks):
        octets = read(min(guess, end - at), at)
        head = unpack_head(octets)
        if head is None:
            break
        size = head.frames_at
        following = at + size + head.frames_size
        next_sequence = sequence + head.messages
        if (
            following - at < BLOCK_OCTETS_MIN
            or following > end
            or head.first_sequence != sequence
            or next_sequence - 1 > limit
        ):
            break
        if len(octets) < size:
            octets += read(size - len(octets), at + len(octets))
        if not index_holds(octets, head):
            break
        keys = octets[size - 4 * head.keys - head.keys_size : size]
        blocks.append(
            Indexed(at, at + size, following, sequence, next_sequence, head.frames_size, keys, head.keys)
        )
        columns.append((head, octets))
        at, sequence = following, next_sequence
        # The next will be alike, and then one call is enough.
        guess = size + size // 16
    return blocks, columns


def _joined(blocks: Sequence[Indexed], columns: Sequence[tuple[Head, bytes]]) -> Indexes | None:
    """The columns of all blocks; None if the writer of a block got its index wrong (JOURNAL-BLOCK-2)."""
    messages = np.array(list(accumulate([head.messages for head, _ in columns], initial=0)))
    ends = np.frombuffer(_column(columns, 8, NUMBERS_OCTETS), ">u4").astype(np.uint32)
    keys = np.frombuffer(_column(columns, NUMBERS_OCTETS, ENTRY_OCTETS), ">u2").astype(np.uint16)
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
    octets = sum([head.frames_at for head, _ in columns])
    return Indexes(blocks, messages, ends, keys, pages, _checksums(columns), octets)


def _keys_end(head: Head, table: bytes) -> bool:
    """Whether the last key ends where the keys do."""
    return int.from_bytes(table[4 * head.keys - 4 : 4 * head.keys], "big") == head.keys_size


def _column(columns: Sequence[tuple[Head, bytes]], begin: int, end: int) -> bytes:
    """Of all blocks' indexes the part from `begin` to `end`, in octets for each message."""
    parts = []
    for head, octets in columns:
        count = head.messages
        parts.append(octets[HEAD_OCTETS + begin * count : HEAD_OCTETS + end * count])
    return b"".join(parts)


def _checksums(columns: Sequence[tuple[Head, bytes]]) -> array[int]:
    """Those of all pages of all blocks."""
    parts = []
    for head, octets in columns:
        begin = HEAD_OCTETS + ENTRY_OCTETS * head.messages
        parts.append(octets[begin : begin + 4 * head.pages])
    return unpack_ends(b"".join(parts))
