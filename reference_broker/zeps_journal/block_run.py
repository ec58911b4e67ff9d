"""Valid blocks read from a segment: small neighbours joined, larger ones alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from google_crc32c import extend, value

from zeps_journal.block import (
    ENTRY_SIZE,
    HEAD_SIZE,
    NUMBERS_SIZE,
    UNCOVERED_SIZE,
    Block,
    BlockHead,
    block_holds,
    unpack_head,
)
from zeps_journal.numbers import join_numbers
from zeps_wire.errors import DecodeError
from zeps_wire.journal import unpack_block_head

__all__ = ["RUN_MESSAGES", "RUN_SIZE", "SEQUENCE_MAX", "BlockRun", "Read", "read_run", "valid_block"]

RUN_SIZE = 256 * 1024
"""Maximum bytes of a run of several blocks; a larger block is a run of its own."""
RUN_MESSAGES = 4096

_LARGE_SIZE = 64 * 1024
"""From this size on, the first block of a run is not joined, since copying would cost more than joining saves."""
_COPY_SIZE = 4096
"""Below this size a copy costs less than a second call."""
SEQUENCE_MAX = 2**64 - 1

Read = Callable[[int, int], bytes]
"""`read(offset, size)`: reads a part of the file, shorter only at its end."""


class BlockRun(NamedTuple):
    """Consecutive valid blocks, joined into one: the bytes from offset `at` to before `end` of the file."""

    block: Block
    at: int
    end: int
    """Offset of the next block."""
    next_sequence: int


def read_run(
    read: Read, at: int, sequence: int, end: int, limit: int, messages_max: int = RUN_MESSAGES
) -> BlockRun | None:
    """Returns the run at `at`, where the block of `sequence` should begin; None if it does not or is invalid. `end` is
    the end of the file, `limit` the last possible sequence of the segment. A run of several blocks has at most
    `messages_max` messages.
    """
    head = unpack_head(data := read(at, HEAD_SIZE))
    if head is not None and head.size >= _LARGE_SIZE:
        return _read_large(read, at, data, head, sequence, end, limit)
    data = read(at, min(RUN_SIZE + HEAD_SIZE, end - at))
    first, here, available = sequence, 0, len(data)
    parts: list[bytes] = []
    numbers: list[bytes] = []
    counts: list[int] = []
    while here < available:
        try:
            checksum, _, begins, _, _, count, frames_size, pages, keys, keys_size = unpack_block_head(
                data, here
            )
        except DecodeError:
            break
        body = here + HEAD_SIZE
        split = body + ENTRY_SIZE * count + 4 * (pages + keys) + keys_size
        stop = split + frames_size
        if stop > available:
            break
        if here and (stop > RUN_SIZE or sequence + count - first > messages_max):
            break
        frames = data[split:stop]
        covered = here + UNCOVERED_SIZE
        if (
            begins != sequence
            or not count
            or sequence + count - 1 > limit
            or checksum
            != (
                value(data[covered:stop])
                if frames_size < _COPY_SIZE
                else extend(value(data[covered:split]), frames)
            )
        ):
            break
        parts.append(frames)
        numbers.append(data[body : body + NUMBERS_SIZE * count])
        counts.append(count)
        sequence += count
        here = stop
    if not parts:
        return None
    joined = join_numbers(numbers, counts, list(map(len, parts)))
    if joined is None:
        # A block was written incorrectly: read the blocks one by one.
        return None if len(parts) == 1 else read_run(read, at, first, end, limit, 1)
    frames = parts[0] if len(parts) == 1 else b"".join(parts)
    return BlockRun(Block(first, frames, joined.ends, joined.times), at, at + here, sequence)


def _read_large(
    read: Read, at: int, data: bytes, head: BlockHead, sequence: int, end: int, limit: int
) -> BlockRun | None:
    """Returns the run of one large block at `at`, whose head is in `data`; None as in :func:`read_run`."""
    stop = at + head.size
    if stop > end or head.first_sequence != sequence or sequence + head.messages - 1 > limit:
        return None
    split = at + head.frames_at
    index, frames = read(at + HEAD_SIZE, split - at - HEAD_SIZE), read(split, head.frames_size)
    if extend(extend(value(data[UNCOVERED_SIZE:]), index), frames) != head.checksum:
        return None
    numbers = index[: NUMBERS_SIZE * head.messages]
    joined = join_numbers((numbers,), (head.messages,), (head.frames_size,))
    if joined is None:
        return None
    return BlockRun(Block(sequence, frames, joined.ends, joined.times), at, stop, sequence + head.messages)


def valid_block(read: Read, at: int, end: int) -> BlockHead | None:
    """Returns the head of the block at `at`, whatever its sequence; None unless the whole block is valid."""
    head = unpack_head(read(at, HEAD_SIZE), 0, at) if end - at > HEAD_SIZE else None
    if head is None or head.end > end:
        return None
    return head if block_holds(read(at, head.size), head) else None
