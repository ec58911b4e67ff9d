"""Frames of one size, stored as the rows of an array.

Reads of a busy connection, journal blocks and the output made from them are processed as a whole this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from struct import Struct
from typing import overload

import numpy as np
import numpy.typing as npt

__all__ = ["FrameBatch", "byte_count_of", "sums_of"]

_STEPS = (64, 8)
"""Numbers of frames that are cut out in one call, while more than that many are left."""


class FrameBatch(Sequence[bytes]):
    """Frames of one size in `data`: a sequence of bytes objects that are created only on access. In bytes, `start` is
    the offset of the first frame, `size` the length of each, and `stride` the distance between their starts; by default
    they are adjacent. A slice (without a step) is a FrameBatch on the same `data`.
    """

    __slots__ = ("_count", "data", "size", "start", "stride")

    def __init__(self, data: bytes, start: int, size: int, count: int, stride: int | None = None) -> None:
        self.data = data
        self.start = start
        self.size = size
        self.stride = size if stride is None else stride
        self._count = count

    @property
    def byte_count(self) -> int:
        """Total bytes of all frames."""
        return self.size * self._count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> FrameBatch: ...

    def __getitem__(self, index: int | slice) -> bytes | FrameBatch:
        if isinstance(index, slice):
            first, end, step = index.indices(self._count)
            if step != 1:
                raise ValueError("slices of a FrameBatch cannot have a step")
            start = self.start + first * self.stride
            return FrameBatch(self.data, start, self.size, max(end - first, 0), self.stride)
        at = self.start + range(self._count)[index] * self.stride
        return self.data[at : at + self.size]

    def __iter__(self) -> Iterator[bytes]:
        frames: list[bytes] = []
        data, size, stride, at, left = self.data, self.size, self.stride, self.start, self._count
        for step in _STEPS:
            while left > step:  # the gap after the last frame may be missing
                frames += _cutter(size, stride - size, step).unpack_from(data, at)
                at += step * stride
                left -= step
        for _ in range(left):
            frames.append(data[at : at + size])
            at += stride
        return iter(frames)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == self._count and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def column(self, low: int, high: int) -> FrameBatch:
        """Returns the bytes from `low` to before `high` of each frame, which are not copied."""
        return FrameBatch(self.data, self.start + low, high - low, self._count, self.stride)

    def rows(self) -> npt.NDArray[np.uint8]:
        """Returns the frames as the rows of an array, a view of `data` that cannot be written to."""
        if not self._count:
            return np.empty((0, self.size), np.uint8)
        return np.ndarray((self._count, self.size), np.uint8, self.data, self.start, (self.stride, 1))

    def joined(self) -> bytes:
        """Returns the frames as one bytes object, without gaps."""
        if self.stride == self.size:
            return self.data[self.start : self.start + self.byte_count]
        return self.rows().tobytes()


@lru_cache(maxsize=256)
def _cutter(size: int, gap: int, count: int) -> Struct:
    return Struct(f"{size}s{gap}x" * count)


def byte_count_of(frames: Sequence[bytes]) -> int:
    """Returns the total bytes of all `frames`."""
    return frames.byte_count if isinstance(frames, FrameBatch) else sum(map(len, frames))


def sums_of(frames: Sequence[bytes]) -> Sequence[int]:
    """Returns for each frame the total bytes of `frames` up to and including it."""
    if isinstance(frames, FrameBatch) and frames.size:
        return range(frames.size, frames.byte_count + 1, frames.size)
    return list(accumulate(map(len, frames)))
