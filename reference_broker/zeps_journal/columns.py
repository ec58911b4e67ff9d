"""The columns of verified blocks, as arrays over all their messages: sequences, times, offsets of keys and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from zeps_journal.block import HEAD_SIZE, NUMBERS_SIZE, BlockHead, Data
from zeps_wire.zeps import DELIVER_HEAD, DELIVER_HEAD_SIZE

__all__ = ["PARTS", "BlockColumns", "HeldBlock", "are_delivers", "distinct_keys", "key_numbers"]

HeldBlock: TypeAlias = tuple[BlockHead, Data]
"""A block's head, and all its bytes."""

PARTS = 4
"""A DELIVER frame has four parts: the bytes before the key, the key, the body's length, and the body."""
_KEY_AT = DELIVER_HEAD_SIZE + 1
_LENGTH_SIZE = 4


class BlockColumns:
    """The columns of `blocks` (at least one, verified by the caller): `count` messages with these `sequences`."""

    def __init__(self, blocks: Sequence[HeldBlock]) -> None:
        self._blocks = blocks
        self._counts = np.array([head.messages for head, _ in blocks], np.int64)
        self.count = int(self._counts.sum())
        firsts = np.array([head.first_sequence for head, _ in blocks], np.int64)
        before = np.cumsum(self._counts) - self._counts
        self.sequences: npt.NDArray[np.int64] = np.repeat(firsts - before, self._counts) + np.arange(
            self.count
        )

    def times(self) -> npt.NDArray[np.uint64]:
        """Time of storage of each message, in microseconds since the epoch."""
        return self._numbers(">u8", 0)

    def parts(self) -> tuple[Data, npt.NDArray[np.int32]]:
        """Returns the adjacent frames, and the offsets of each frame's parts: rows of PARTS numbers, then the last
        frame's end. Raises ValueError if a frame is too short. Does not check signatures (see :func:`are_delivers`).
        """
        frames = [data[head.frames_at : head.size] for head, data in self._blocks]
        data = _joined(frames)
        sizes = np.array([head.frames_size for head, _ in self._blocks], np.int64)
        bounds = np.zeros((self.count + 1, PARTS), np.int32)
        bounds[1:, 0] = self._numbers(">u4", 8)
        bounds[1:, 0] += np.repeat(np.cumsum(sizes) - sizes, self._counts).astype(np.int32)
        starts, ends = bounds[:-1, 0], bounds[1:, 0]
        # Invalid lengths may point anywhere: they are compared before data is read there.
        if (ends - starts < _KEY_AT + _LENGTH_SIZE).any():
            raise ValueError("frames that are not DELIVERs")
        key_sizes = np.frombuffer(data, np.uint8)[starts + (_KEY_AT - 1)]
        np.add(starts, _KEY_AT, out=bounds[:-1, 1])
        np.add(bounds[:-1, 1], key_sizes, out=bounds[:-1, 2])
        np.add(bounds[:-1, 2], _LENGTH_SIZE, out=bounds[:-1, 3])
        if (bounds[:-1, 3] > ends).any():
            raise ValueError("frames that are not DELIVERs")
        return data, bounds

    def _numbers(self, kind: str, before: int) -> npt.NDArray[Any]:
        """Returns a column of dtype `kind` of all indexes; it starts after `before` bytes per message."""
        size = np.dtype(kind).itemsize
        slices = [
            data[HEAD_SIZE + before * head.messages : HEAD_SIZE + (before + size) * head.messages]
            for head, data in self._blocks
        ]
        return np.frombuffer(_joined(slices), kind)


def _joined(parts: Sequence[Data]) -> Data:
    return parts[0] if len(parts) == 1 else np.concatenate([np.frombuffer(part, np.uint8) for part in parts])


def distinct_keys(head: BlockHead, index: Data) -> tuple[npt.NDArray[np.int32], Data]:
    """Returns the start of each of a block's distinct keys and the end of the last, and the bytes they refer to.
    `index` must contain the block up to its frames, at least.
    """
    at = head.frames_at - 4 * head.keys - head.keys_size
    offsets = np.zeros(head.keys + 1, np.int32)
    offsets[1:] = np.frombuffer(index[at : at + 4 * head.keys], ">u4")
    return offsets, index[at + 4 * head.keys : head.frames_at]


def key_numbers(head: BlockHead, index: Data) -> npt.NDArray[np.uint16]:
    """Returns each message's key number among the block's distinct keys; `index` as in :func:`distinct_keys`."""
    at = HEAD_SIZE + NUMBERS_SIZE * head.messages
    return np.frombuffer(index[at : at + 2 * head.messages], ">u2").astype(np.uint16)


def are_delivers(head: BlockHead, data: Data) -> bool:
    """Returns whether every frame of a verified block begins as the DELIVER of its sequence does."""
    begins = np.zeros(head.messages, np.int64)
    at = HEAD_SIZE + 8 * head.messages
    ends = np.frombuffer(data[at : at + 4 * head.messages], ">u4")
    begins[1:] = ends[:-1]
    if head.frames_size - int(begins[-1]) < DELIVER_HEAD_SIZE or (np.diff(begins) < DELIVER_HEAD_SIZE).any():
        return False
    # Each byte of the frames as the start of an eight-byte number: the sequence, and the number that ends with it and
    # begins with the signature.
    numbers = np.ndarray((head.frames_size - 7,), ">u8", data[head.frames_at :], 0, (1,))
    sequences = np.arange(head.first_sequence, head.next_sequence, dtype=np.uint64)
    signature = np.uint64(int.from_bytes(DELIVER_HEAD, "big"))
    return bool(
        (numbers[begins + 3] == sequences).all() and (numbers[begins] >> np.uint64(40) == signature).all()
    )
