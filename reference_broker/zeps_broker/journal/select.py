"""Reading of a block what is wanted: its index, and the pages on which the wanted frames lie.

A session that wants one message in a hundred would otherwise pay for the other ninety-nine: their bodies would
be read and summed up to be thrown away. What is read here is as sure as a whole block is (JOURNAL-BLOCK-1): the
index has a checksum of its own, and each page too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zeps_broker.journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    NUMBERS_OCTETS,
    PAGE_OCTETS,
    Head,
    index_holds,
    page_checksums,
    unpack_head,
)
from zeps_broker.journal.scan import Read
from zeps_broker.ports import Wanted

__all__ = ["BLOCK_OCTETS_MIN", "Part", "select_block"]

BLOCK_OCTETS_MIN = 16 * 1024
"""A smaller block is read faster whole, together with its neighbours."""
_GAP_PAGES = 2
"""So many pages between two that are wanted are read with them: that costs less than another call."""


class Part(NamedTuple):
    """What is wanted of one block."""

    last_sequence: int
    end: int
    """Offset of what follows the block."""
    sequences: list[int]
    frames: list[bytes]
    octets: int
    """How much was read for it."""


class _Index(NamedTuple):
    ends: np.ndarray[tuple[int], np.dtype[np.uint32]]
    key_numbers: np.ndarray[tuple[int], np.dtype[np.uint16]]
    checksums: list[int]
    keys: list[bytes]


def select_block(read: Read, at: int, sequence: int, end: int, limit: int, wanted: Wanted) -> Part | None:
    """What `wanted` wants of the block at `at`, which begins with `sequence`, ends by octet `end`, and holds
    nothing beyond sequence `limit`.

    None if that is better found out by reading all of it: the block is small, or something about it is wrong.
    """
    head = unpack_head(octets := read(at, HEAD_OCTETS))
    if (
        head is None
        or head.size < BLOCK_OCTETS_MIN
        or at + head.size > end
        or head.first_sequence != sequence
        or sequence + head.messages - 1 > limit
    ):
        return None
    octets += read(at + HEAD_OCTETS, head.frames_at - HEAD_OCTETS)
    index = _index(octets, head) if index_holds(octets, head) else None
    if index is None:
        return None
    last, following = sequence + head.messages - 1, at + head.size
    verdict = wanted(index.keys)
    if not any(verdict):
        return Part(last, following, [], [], len(octets))
    indices = np.flatnonzero(np.array(verdict, np.bool_)[index.key_numbers])
    stops = index.ends[indices].tolist()
    starts = index.ends[indices - 1].tolist()
    if not indices[0]:
        starts[0] = 0
    frames: list[bytes] = []
    taken = _take(read, at + head.frames_at, head.frames_size, index.checksums, starts, stops, frames)
    if taken is None:
        return None
    return Part(last, following, (indices + sequence).tolist(), frames, len(octets) + taken)


def _index(octets: bytes, head: Head) -> _Index | None:
    """The index, whose checksum holds; None if its writer got it wrong (JOURNAL-BLOCK-2)."""
    count, at = head.messages, HEAD_OCTETS
    ends = np.frombuffer(octets, ">u4", count, at + 8 * count).astype(np.uint32)
    key_numbers = np.frombuffer(octets, ">u2", count, at + NUMBERS_OCTETS * count)
    at += ENTRY_OCTETS * count
    checksums: list[int] = np.frombuffer(octets, ">u4", head.pages, at).tolist()
    at += 4 * head.pages
    key_ends = np.frombuffer(octets, ">u4", head.keys, at).tolist()
    at += 4 * head.keys
    keys = [octets[at + begin : at + stop] for begin, stop in zip([0, *key_ends], key_ends, strict=False)]
    right = (
        ends[0] > 0
        and ends[-1] == head.frames_size
        and bool((ends[1:] > ends[:-1]).all())
        and key_numbers.max() < head.keys
        and at + key_ends[-1] == head.frames_at
    )
    return _Index(ends, key_numbers.astype(np.uint16), checksums, keys) if right else None


def _take(
    read: Read,
    frames_at: int,
    frames_size: int,
    checksums: Sequence[int],
    starts: Sequence[int],
    stops: Sequence[int],
    frames: list[bytes],
) -> int | None:
    """Put the frames between `starts` and `stops` into `frames`; how many octets were read for them, or None if
    the checksum of a page did not hold.
    """
    octets = here = 0
    while here < len(starts):
        first = starts[here] // PAGE_OCTETS
        last = (stops[here] - 1) // PAGE_OCTETS
        there = here + 1
        while there < len(starts) and starts[there] // PAGE_OCTETS <= last + _GAP_PAGES:
            last = (stops[there] - 1) // PAGE_OCTETS
            there += 1
        base = first * PAGE_OCTETS
        pages = read(frames_at + base, min((last + 1) * PAGE_OCTETS, frames_size) - base)
        if page_checksums(pages) != checksums[first : last + 1]:
            return None
        frames += [pages[starts[each] - base : stops[each] - base] for each in range(here, there)]
        octets += len(pages)
        here = there
    return octets
