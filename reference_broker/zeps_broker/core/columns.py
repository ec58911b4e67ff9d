"""A journal block as columns: the positions of its frames and keys, computed when they are requested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from operator import add

import numpy as np
import numpy.typing as npt

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Block
from zeps_wire.zeps import Deliver, scan_deliver

__all__ = ["Columns"]


class Columns:
    """The columns of one non-empty block: byte offsets in `data`, sequences, and indices of messages from 0."""

    KEY_AT: int = scan_deliver(Deliver(sequence=0, key="", body=b"").encode())[0]
    """Offset of the key in a DELIVER frame; the byte before holds its length (ZEPS-TEXT-1)."""

    __slots__ = ("_frame_size", "count", "data", "ends", "first", "last", "size")

    def __init__(self, block: Block) -> None:
        self.data: bytes = block.data
        self.ends: Sequence[int] = block.ends
        self.count = len(block.ends)
        self.size = len(block.data)
        self.first = block.first_sequence
        self.last = block.first_sequence + self.count - 1
        self._frame_size: int | None = None

    def starts(self) -> Iterator[int]:
        """Yields the offset of each frame, in order."""
        return chain((0,), islice(self.ends, self.count - 1))

    def key_starts(self) -> Iterator[int]:
        """Yields the offset of each message's key, in order."""
        return map(add, self.starts(), repeat(self.KEY_AT))

    def key_starts_array(self) -> npt.NDArray[np.intp]:
        """Returns the offset of each message's key, in order, as an array."""
        starts = np.empty(self.count, np.intp)
        starts[0] = self.KEY_AT
        np.add(np.asarray(self.ends)[:-1], self.KEY_AT, out=starts[1:], casting="unsafe")
        return starts

    def keys(self) -> list[bytes]:
        """Returns the key of each message, in order."""
        data = self.data
        return [data[at : at + data[at - 1]] for at in self.key_starts()]

    def frames(self, low: int, high: int) -> Sequence[bytes]:
        """Returns the frames from index `low` to before `high`."""
        if low >= high:
            return []
        data, ends = self.data, self.ends
        if size := self.frame_size():
            return FrameBatch(data, low * size, size, high - low)
        start = ends[low - 1] if low else 0
        frames = []
        for end in ends[low:high]:
            frames.append(data[start:end])
            start = end
        return frames

    def frame_size(self) -> int:
        """Size of every frame in bytes; 0 if sizes differ."""
        if self._frame_size is None:
            size, odd = divmod(self.size, self.count)
            ends = np.asarray(self.ends)
            even = not odd and bool(ends[0] == size and (ends[1:] - ends[:-1] == size).all())
            self._frame_size = size if even else 0
        return self._frame_size

    def places(self, indices: Sequence[int]) -> list[tuple[int, int]]:
        """Returns the start and end offset of the frame at each of `indices`."""
        ends = self.ends
        return [(ends[index - 1] if index else 0, ends[index]) for index in indices]
