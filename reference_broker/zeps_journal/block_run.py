"""Blocks that hold, read from a segment: alone, or small neighbours joined into a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from google_crc32c import extend, value

from zeps_broker.ports import Block
from zeps_journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    NUMBERS_OCTETS,
    UNCOVERED_OCTETS,
    Head,
    ascend,
    join_numbers,
    unpack_ends,
    unpack_head,
)
from zeps_wire.errors import DecodeError
from zeps_wire.journal import unpack_block_head

__all__ = ["RUN_MESSAGES", "RUN_OCTETS", "SEQUENCE_MAX", "Read", "Run", "read_run", "valid_block"]

RUN_OCTETS = 256 * 1024
"""A run of several blocks takes at most so many octets of the file; a larger block is a run by itself."""
RUN_MESSAGES = 4096

_LARGE_OCTETS = 64 * 1024
"""From here on a block is a run by itself: joining saves less than copying costs."""
_COPY_OCTETS = 4096
"""Below this a copy costs less than a second call."""
SEQUENCE_MAX = 2**64 - 1

Read = Callable[[int, int], bytes]
"""`read(offset, octets)`: that part of the file, shorter only at its end."""


class Run(NamedTuple):
    """Blocks that hold, joined into one."""

    block: Block
    at: int
    end: int
    """Offset of what follows."""
    next_sequence: int


def read_run(
    read: Read, at: int, sequence: int, end: int, limit: int, messages_max: int = RUN_MESSAGES
) -> Run | None:
    """The run at `at`. What is done for each block is the codec's head, the checksum, and slices."""
    head = unpack_head(octets := read(at, HEAD_OCTETS))
    if head is not None and head.size >= _LARGE_OCTETS:
        return _read_large(read, at, octets, head, sequence, end, limit)
    octets = read(at, min(RUN_OCTETS + HEAD_OCTETS, end - at))
    first, here, available = sequence, 0, len(octets)
    datas: list[bytes] = []
    numbers: list[bytes] = []
    counts: list[int] = []
    while here < available:
        try:
            checksum, _, begins, _, _, count, frames_size, pages, keys, keys_size = unpack_block_head(
                octets, here
            )
        except DecodeError:
            break
        body = here + HEAD_OCTETS
        split = body + ENTRY_OCTETS * count + 4 * (pages + keys) + keys_size
        stop = split + frames_size
        if stop > available:
            break
        if here and (stop > RUN_OCTETS or sequence + count - first > messages_max):
            break
        data = octets[split:stop]
        covered = here + UNCOVERED_OCTETS
        if (
            begins != sequence
            or not count
            or sequence + count - 1 > limit
            or checksum
            != (
                value(octets[covered:stop])
                if frames_size < _COPY_OCTETS
                else extend(value(octets[covered:split]), data)
            )
        ):
            break
        datas.append(data)
        numbers.append(octets[body : body + NUMBERS_OCTETS * count])
        counts.append(count)
        sequence += count
        here = stop
    if not datas:
        return None
    joined = join_numbers(numbers, counts, list(map(len, datas)))
    if joined is None:
        # One of the blocks was written wrong: take them one by one.
        return None if len(datas) == 1 else read_run(read, at, first, end, limit, 1)
    data = datas[0] if len(datas) == 1 else b"".join(datas)
    return Run(Block(first, data, joined.ends, joined.times), at, at + here, sequence)


def _read_large(
    read: Read, at: int, octets: bytes, head: Head, sequence: int, end: int, limit: int
) -> Run | None:
    """The run of the one large block at `at`, whose head is in `octets`: its parts are read where they stay,
    and not copied.
    """
    stop = at + head.size
    if stop > end or head.first_sequence != sequence or sequence + head.messages - 1 > limit:
        return None
    split = at + head.frames_at
    index, data = read(at + HEAD_OCTETS, split - at - HEAD_OCTETS), read(split, head.frames_size)
    if extend(extend(value(octets[UNCOVERED_OCTETS:]), index), data) != head.checksum:
        return None
    numbers = index[: NUMBERS_OCTETS * head.messages]
    joined = join_numbers((numbers,), (head.messages,), (head.frames_size,))
    if joined is None:
        return None
    return Run(Block(sequence, data, joined.ends, joined.times), at, stop, sequence + head.messages)


def valid_block(read: Read, at: int, end: int) -> Head | None:
    """The head of the block at `at`, if the whole of it holds."""
    head = unpack_head(read(at, HEAD_OCTETS)) if end - at > HEAD_OCTETS else None
    if head is None or at + head.size > end:
        return None
    octets = read(at, head.size)
    if value(octets[UNCOVERED_OCTETS:]) != head.checksum:
        return None
    ends = unpack_ends(octets[HEAD_OCTETS + 8 * head.messages : HEAD_OCTETS + NUMBERS_OCTETS * head.messages])
    return head if ascend(ends, head.frames_size) else None
