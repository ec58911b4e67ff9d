"""Encodes DELIVER frames as blocks, ready to be written."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from zeps_broker.frame_batch import FrameBatch, sums_of
from zeps_journal.block import FRAMES_SIZE_MAX, MESSAGES_MAX, Block, EncodedBlock, encode_block, key_of
from zeps_journal.numbers import pack_numbers
from zeps_wire.zeps import DELIVER_HEAD_SIZE

__all__ = ["encode_blocks"]

_KEY_AT = DELIVER_HEAD_SIZE + 1


def encode_blocks(first_sequence: int, frames: Sequence[bytes], time_us: int) -> list[EncodedBlock]:
    """Encodes DELIVER frames, at least one, as one block, or as several beyond 65,536 frames or 256 MiB. Sequences
    count from `first_sequence`; all messages get the time `time_us` (microseconds since the epoch). Raises EncodeError
    if a single frame exceeds the limits of a block.
    """
    data = _joined(frames)
    if len(frames) <= MESSAGES_MAX and len(data) <= FRAMES_SIZE_MAX:
        return [_encode(first_sequence, frames, data, time_us)]
    written = []
    for part in _parts(frames):
        written.append(_encode(first_sequence, part, b"".join(part), time_us))
        first_sequence += len(part)
    return written


def _encode(first_sequence: int, frames: Sequence[bytes], data: bytes, time_us: int) -> EncodedBlock:
    count, ends = len(frames), _ends(frames)
    times = time_us.to_bytes(8, "big") * count
    keys, numbers = _number_keys(frames)
    encoded = encode_block(first_sequence, (time_us, time_us), times, ends, keys, numbers, data)
    return EncodedBlock(encoded, Block(first_sequence, data, ends, array("Q", (time_us,)) * count))


def _joined(frames: Sequence[bytes]) -> bytes:
    if isinstance(frames, FrameBatch):
        return frames.joined()
    return frames[0] if len(frames) == 1 else b"".join(frames)


def _ends(frames: Sequence[bytes]) -> array[int]:
    """Returns the end of each frame, in bytes from the beginning of the first."""
    if isinstance(frames, FrameBatch):
        return array("I", (np.arange(1, len(frames) + 1, dtype=np.uint32) * np.uint32(frames.size)).tobytes())
    # From a list, because an array that grows from an iterator takes twice as long.
    return array("I", sums_of(frames))


def _number_keys(frames: Sequence[bytes]) -> tuple[Sequence[bytes], bytes]:
    """Returns the distinct keys, in order of first occurrence, and each frame's key number, in two bytes as on disk."""
    if len(frames) == 1:
        return (key_of(frames[0]),), b"\0\0"
    keys = _keys_of(frames)
    distinct = list(dict.fromkeys(keys))
    if len(distinct) == 1:
        return distinct, bytes(2 * len(frames))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, pack_numbers(array("H", list(map(numbers.__getitem__, keys))))


def _keys_of(frames: Sequence[bytes]) -> list[bytes]:
    if isinstance(frames, FrameBatch):
        sizes = frames.rows()[:, _KEY_AT - 1]
        size = int(sizes[0])
        if (sizes == size).all():
            return list(frames.column(_KEY_AT, _KEY_AT + size))
    return list(map(key_of, frames))


def _parts(frames: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for frame in frames:
        if part and (len(part) == MESSAGES_MAX or size + len(frame) > FRAMES_SIZE_MAX):
            yield part
            part, size = [], 0
        part.append(frame)
        size += len(frame)
    yield part
