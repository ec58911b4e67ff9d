"""A compact set of the sequences that were delivered to this client. A run without gaps takes two numbers; closed runs
go to chunks of 65,536 sequences: a sorted array of offsets, a bitmap or "all of them", whichever is smallest.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Final

__all__ = ["SequenceSet"]

_CHUNK: Final = 1 << 16
_ARRAY_MAX: Final = 4096
"""Above this number of offsets a bitmap is smaller than an array."""
_NO_RUN: Final = (1, -2)
"""An open run that contains no sequence and that no sequence follows."""
_OVERHEAD: Final = 160
"""Approximate bytes of one chunk besides its content."""


class _Bitmap:
    __slots__ = ("bits", "count")

    def __init__(self) -> None:
        self.bits = bytearray(_CHUNK // 8)
        self.count = 0

    def add(self, offset: int) -> bool:
        at, bit = offset >> 3, 1 << (offset & 7)
        if self.bits[at] & bit:
            return False
        self.bits[at] |= bit
        self.count += 1
        return True

    def keep(self, highest: int) -> None:
        """Removes the offsets beyond `highest`."""
        for offset in range(highest + 1, _CHUNK):
            if offset in self:
                self.bits[offset >> 3] &= ~(1 << (offset & 7))
                self.count -= 1

    def __contains__(self, offset: int) -> bool:
        return bool(self.bits[offset >> 3] & (1 << (offset & 7)))


class SequenceSet:
    """A set of sequences from 0 on; `bytes_max` bounds its memory in bytes (approximately), and 0 means no bound.
    Beyond the bound the lowest sequences are forgotten: those up to `forgotten`, which is 0 if none were.
    """

    __slots__ = ("_bytes_max", "_chunks", "_high", "_low", "_memory_bytes", "forgotten", "highest", "lowest")

    def __init__(self, bytes_max: int = 0) -> None:
        self._bytes_max = bytes_max
        self.clear()

    def clear(self) -> None:
        self._chunks: dict[int, array[int] | _Bitmap | None] = {}  # None: all sequences of the chunk
        self._low, self._high = _NO_RUN  # the open run
        self._memory_bytes = 0
        self.highest = 0
        """The highest sequence that was added, or the bound of a later `truncate`; 0 before both."""
        self.lowest = 0
        """The lowest sequence that was added, even if it was forgotten since; 0 for an empty set."""
        self.forgotten = 0

    @property
    def memory_bytes(self) -> int:
        """Approximate memory in use, in bytes."""
        return self._memory_bytes

    def add(self, sequence: int) -> bool:
        """Adds a sequence; returns True if it is new or was forgotten."""
        if sequence == self._high + 1:
            if sequence <= self.highest and self._in_chunks(sequence):
                return False
            self._high = sequence
        else:
            if sequence in self:
                return False
            self._close()
            self._low = self._high = sequence
        if sequence < self.lowest or not self.lowest:
            self.lowest = sequence
        if sequence > self.highest:
            self.highest = sequence
        return True

    def __contains__(self, sequence: int) -> bool:
        if sequence > self.highest:
            return False
        return self._low <= sequence <= self._high or self._in_chunks(sequence)

    def next_absent(self, sequence: int) -> int:
        """Returns the lowest sequence from `sequence` on that is not in the set."""
        while sequence in self:
            if self._low <= sequence <= self._high:
                sequence = self._high + 1
            elif self._chunks[sequence >> 16] is None:
                sequence = ((sequence >> 16) + 1) << 16
            else:
                sequence += 1
        return sequence

    def truncate(self, highest: int) -> None:
        """Removes all sequences beyond `highest`."""
        if highest >= self.highest:
            return
        self._close()
        for key in [key for key in self._chunks if key >= highest >> 16]:
            chunk = self._chunks.pop(key)
            self._memory_bytes -= _OVERHEAD + _size(chunk)
            if key == highest >> 16:
                self._put_back(key, chunk, highest & 0xFFFF)
        self.highest = highest
        if self.lowest > highest:
            self.lowest = 0

    def _put_back(self, key: int, chunk: array[int] | _Bitmap | None, highest: int) -> None:
        """Restores a chunk's offsets up to `highest`; the chunk's place must be empty."""
        if chunk is None:
            self._put(key, 0, highest)
            return
        if isinstance(chunk, _Bitmap):
            chunk.keep(highest)
        else:
            del chunk[bisect_right(chunk, highest) :]
        self._chunks[key] = chunk
        self._memory_bytes += _OVERHEAD + _size(chunk)

    def _in_chunks(self, sequence: int) -> bool:
        key = sequence >> 16
        if key not in self._chunks:
            return False
        chunk = self._chunks[key]
        offset = sequence & 0xFFFF
        if chunk is None:
            return True
        if isinstance(chunk, _Bitmap):
            return offset in chunk
        at = bisect_left(chunk, offset)
        return at < len(chunk) and chunk[at] == offset

    def _close(self) -> None:
        """Moves the open run to chunks."""
        low, high = self._low, self._high
        while low <= high:
            key = low >> 16
            last = min(high, (key << 16) | 0xFFFF)
            self._put(key, low & 0xFFFF, last & 0xFFFF)
            low = last + 1
        self._low, self._high = _NO_RUN
        if self._bytes_max and self._memory_bytes > self._bytes_max:
            self._trim()

    def _put(self, key: int, first: int, last: int) -> None:
        """Adds the offsets `first` to `last`, which must be absent, to the chunk `key`."""
        chunk = self._chunks.get(key)
        if key not in self._chunks:
            self._memory_bytes += _OVERHEAD
            if last - first + 1 == _CHUNK:
                self._chunks[key] = None
                return
            chunk = self._chunks[key] = array("H")
        if chunk is None:
            return
        if isinstance(chunk, array):
            if len(chunk) + last - first + 1 <= _ARRAY_MAX:
                at = len(chunk) if not chunk or chunk[-1] < first else bisect_left(chunk, first)
                chunk[at:at] = array("H", range(first, last + 1))
                self._memory_bytes += 2 * (last - first + 1)
                return
            bitmap = _Bitmap()
            for offset in chunk:
                bitmap.add(offset)
            self._memory_bytes += _CHUNK // 8 - 2 * len(chunk)
            self._chunks[key] = chunk = bitmap
        _fill(chunk, first, last)
        if chunk.count == _CHUNK:
            self._chunks[key] = None
            self._memory_bytes -= _CHUNK // 8

    def _trim(self) -> None:
        """Forgets the lowest sequences until at most three quarters of the bound are in use."""
        for key in sorted(self._chunks):
            if self._memory_bytes <= self._bytes_max * 3 // 4:
                break
            chunk = self._chunks.pop(key)
            self._memory_bytes -= _OVERHEAD + _size(chunk)
            self.forgotten = max(self.forgotten, (key << 16) | 0xFFFF)


def _size(chunk: array[int] | _Bitmap | None) -> int:
    """Bytes of a chunk's content."""
    if chunk is None:
        return 0
    return _CHUNK // 8 if isinstance(chunk, _Bitmap) else 2 * len(chunk)


def _fill(bitmap: _Bitmap, first: int, last: int) -> None:
    """Sets the bits `first` to `last`, which must be unset."""
    offset = first
    while offset <= last and offset & 7:
        bitmap.add(offset)
        offset += 1
    whole = (last + 1 - offset) >> 3
    if whole > 0:
        bitmap.bits[offset >> 3 : (offset >> 3) + whole] = b"\xff" * whole
        bitmap.count += 8 * whole
        offset += 8 * whole
    while offset <= last:
        bitmap.add(offset)
        offset += 1
