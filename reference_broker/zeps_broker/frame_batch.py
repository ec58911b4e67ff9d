"""Frames of one size, as the rows of an array.

A read of a busy connection, a block of a journal and what is sent of them hold hundreds of frames. Where these have one
size they stay together: what is done for each of them is done for all at once, and a frame becomes an object only where
one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from struct import Struct
from typing import overload

import numpy as np
import numpy.typing as npt

__all__ = ["FrameBatch", "octets_of", "sums_of"]

_STEPS = (64, 8)
"""Frames that are cut in one call, as long as there are so many."""


class FrameBatch(Sequence[bytes]):
    """Frames of one size at equal distances in `data`: as good as a list of them, and cut only when asked.

    `start` is where the first begins, `size` how long each is, and `stride` how far apart they begin, in octets; back
    to back if it is not said.
    """

    __slots__ = ("_count", "data", "size", "start", "stride")

    def __init__(self, data: bytes, start: int, size: int, count: int, stride: int | None = None) -> None:
        self.data = data
        self.start = start
        self.size = size
        self.stride = size if stride is None else stride
        self._count = count

    @property
    def octets(self) -> int:
        """Octets of all frames together."""
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
                raise ValueError("a run is cut into runs, without steps")
            start = self.start + first * self.stride
            return FrameBatch(self.data, start, self.size, max(end - first, 0), self.stride)
        at = self.start + range(self._count)[index] * self.stride
        return self.data[at : at + self.size]

    def __iter__(self) -> Iterator[bytes]:
        frames: list[bytes] = []
        data, size, stride, at, left = self.data, self.size, self.stride, self.start, self._count
        for step in _STEPS:
            while left > step:  # behind the last frame the gap may be missing
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
        """Of each frame the octets from `low` to before `high`."""
        return FrameBatch(self.data, self.start + low, high - low, self._count, self.stride)

    def rows(self) -> npt.NDArray[np.uint8]:
        """The frames as the rows of an array, which is a view."""
        if not self._count:
            return np.empty((0, self.size), np.uint8)
        return np.ndarray((self._count, self.size), np.uint8, self.data, self.start, (self.stride, 1))

    def joined(self) -> bytes:
        """The frames back to back."""
        if self.stride == self.size:
            return self.data[self.start : self.start + self.octets]
        return self.rows().tobytes()


@lru_cache(maxsize=256)
def _cutter(size: int, gap: int, count: int) -> Struct:
    return Struct(f"{size}s{gap}x" * count)


def octets_of(frames: Sequence[bytes]) -> int:
    """Octets of all `frames` together."""
    return frames.octets if isinstance(frames, FrameBatch) else sum(map(len, frames))


def sums_of(frames: Sequence[bytes]) -> Sequence[int]:
    """Octets of the first of `frames`, of the first two, and so on."""
    if isinstance(frames, FrameBatch) and frames.size:
        return range(frames.size, frames.octets + 1, frames.size)
    return list(accumulate(map(len, frames)))
