"""The times and ends of a block's index, as numbers; operations cover all messages at once where possible."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

__all__ = ["Numbers", "ascend", "join_numbers", "pack_numbers", "unpack_ends", "unpack_times"]

_MANY = 256
"""From this number of messages on, arrays are faster than large integers."""
_SWAP = sys.byteorder == "little"


def unpack_times(data: bytes) -> array[int]:
    """Decodes times: eight bytes each on disk, in microseconds since the epoch."""
    return _unpack("Q", data)


def unpack_ends(data: bytes) -> array[int]:
    """Decodes ends, or other numbers of four bytes each on disk."""
    return _unpack("I", data)


def pack_numbers(numbers: array[int]) -> bytes:
    """Encodes numbers as on disk: big-endian, each with the size that the array gives it."""
    if not _SWAP:
        return numbers.tobytes()
    swapped = numbers[:]
    swapped.byteswap()
    return swapped.tobytes()


def _unpack(kind: str, data: bytes) -> array[int]:
    numbers = array(kind, data)
    if _SWAP:
        numbers.byteswap()
    return numbers


class Numbers(NamedTuple):
    """The times and ends of several blocks."""

    times: array[int]
    ends: array[int]


def join_numbers(numbers: Sequence[bytes], counts: Sequence[int], sizes: Sequence[int]) -> Numbers | None:
    """Joins times and ends into those of one block; returns None if the ends of a block are invalid (JOURNAL-BLOCK-6).
    `numbers` is each block's times and ends as on disk, `counts` its messages, `sizes` the bytes of its frames.
    """
    totals = list(accumulate(sizes))
    if len(counts) == 1:
        split = 8 * counts[0]
        alone = Numbers(unpack_times(numbers[0][:split]), unpack_ends(numbers[0][split:]))
        return alone if ascend(alone.ends, sizes[0]) else None
    if len(counts) == sum(counts):
        return _join_single(array("I", b"".join(numbers)), array("I", sizes), array("I", totals))
    times = b"".join([columns[: 8 * count] for columns, count in zip(numbers, counts, strict=True)])
    ends = b"".join([columns[8 * count :] for columns, count in zip(numbers, counts, strict=True)])
    bases = b"".join(
        [(total - size).to_bytes(4, "big") * n for total, size, n in zip(totals, sizes, counts, strict=True)]
    )
    # The ends as one large integer, and the bases as another: the sum of an end and a base always fits in four bytes.
    summed = int.from_bytes(ends, "big") + int.from_bytes(bases, "big")
    try:
        joined = unpack_ends(summed.to_bytes(len(ends), "big"))
    except OverflowError:
        return None
    if not ascend(joined, totals[-1]) or [joined[place - 1] for place in accumulate(counts)] != totals:
        return None
    return Numbers(unpack_times(times), joined)


def _join_single(words: array[int], sizes: array[int], totals: array[int]) -> Numbers | None:
    """Joins blocks of one message each; None if an end is not its frame's size. `totals` are the joined ends."""
    ends = words[2::3]
    if _SWAP:
        ends.byteswap()
    if ends != sizes or 0 in sizes:
        return None
    times = array("I", bytes(8 * len(ends)))
    times[0::2] = words[0::3]
    times[1::2] = words[1::3]
    return Numbers(unpack_times(times.tobytes()), totals)


def ascend(ends: array[int], frames_size: int) -> bool:
    """Returns whether `ends` ascend from more than 0 to `frames_size` (JOURNAL-BLOCK-6); False if `ends` is empty. Few
    ends are compared as lanes of one large integer, which is faster: the highest bit of a lane, which ends never use,
    is set before the previous end plus one is subtracted, and cleared if an end is not larger than that.
    """
    lanes = len(ends)
    if not lanes or ends[-1] != frames_size:
        return False
    if lanes == 1:
        return frames_size > 0
    if lanes > _MANY:
        numbers = np.frombuffer(ends, np.uint32)
        return bool(numbers[0] > 0 and (numbers[1:] > numbers[:-1]).all())
    here, high = int.from_bytes(pack_numbers(ends), "big"), int.from_bytes(b"\x80\0\0\0" * lanes, "big")
    if here & high:
        return False
    one_more = (here >> 32) + int.from_bytes(b"\0\0\0\1" * lanes, "big")
    return ((here | high) - one_more) & high == high
