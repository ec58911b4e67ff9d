"""Reading of blocks what is wanted: their indexes, and the pages on which the wanted frames lie.

A session that wants one message in a hundred would otherwise pay for the other ninety-nine: their bodies would
be read and summed up to be thrown away. What is read here is as sure as a whole block is (JOURNAL-BLOCK-1): the
index has a checksum of its own, and each page too.

Several blocks are selected from at once, so that what is asked of every message is asked of a few arrays, and
what remains to be done for each block is to read its index and to sum it up. How far to go at once, the caller
learns from what has been found so far: where little is wanted, far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google_crc32c import value

from zeps_broker.journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    NUMBERS_OCTETS,
    PAGE_OCTETS,
    Head,
    index_holds,
    page_checksums,
    unpack_ends,
    unpack_head,
)
from zeps_broker.ports import Wanted

__all__ = ["BLOCK_OCTETS_MIN", "Indexed", "Part", "Pread", "select_blocks"]

BLOCK_OCTETS_MIN = 16 * 1024
"""A smaller block is read faster whole, together with its neighbours."""
_GAP_PAGES = 2
"""So many pages between two that are wanted are read with them: that costs less than another call."""

_Numbers = npt.NDArray[np.int64]
Pread = Callable[[int, int], bytes]
"""So many octets of the file from an offset on; OSError, or less, is taken for something wrong with the block."""


class Indexed(NamedTuple):
    """A block whose index was read, and holds. Places are octets in the file."""

    at: int
    frames_at: int
    end: int
    """Of what follows the block."""
    first_sequence: int
    next_sequence: int
    head: Head
    octets: bytes
    """The block from its first octet to its frames, or further."""


class Part(NamedTuple):
    """What is wanted of some blocks that follow each other, at least one."""

    blocks: Sequence[Indexed]
    sequences: list[int]
    frames: list[bytes]
    octets: int
    """How much was read for it."""


class _Places(NamedTuple):
    """The wanted messages, in order: which of all they are, in which block, and where the frame begins and ends
    among its block's frames.
    """

    indices: npt.NDArray[np.intp]
    blocks: npt.NDArray[np.intp]
    starts: _Numbers
    stops: _Numbers


def select_blocks(
    read: Pread, at: int, sequence: int, end: int, limit: int, wanted: Wanted, reach: int = 0
) -> Part | None:
    """What `wanted` wants of the block at `at`, which begins with `sequence`, ends by octet `end`, and holds
    nothing beyond sequence `limit`; and of those after it that begin less than `reach` octets from `at`.

    None if that is better found out by reading the first whole: it is small, or something about it is wrong. The
    part ends before another such block.
    """
    blocks = _gather(read, at, sequence, end, limit, at + reach)
    if not blocks:
        return None
    frames: list[bytes] = []
    places = _places(blocks, wanted)
    taken = None if places is None else _take(read, blocks, places, frames)
    if places is None or taken is None:
        # One of the blocks is wrong: take them one by one.
        return None if len(blocks) == 1 else select_blocks(read, at, sequence, end, limit, wanted)
    octets = taken + sum([block.frames_at - block.at for block in blocks])
    return Part(blocks, (places.indices + sequence).tolist(), frames, octets)


def _gather(read: Pread, at: int, sequence: int, end: int, limit: int, stop: int) -> list[Indexed]:
    """The blocks from `at` on that can be selected from: the first, and those that begin before `stop`."""
    blocks: list[Indexed] = []
    guess = HEAD_OCTETS
    while at < end and (at < stop or not blocks):
        index = read(min(guess, end - at), at)
        head = unpack_head(index)
        if head is None:
            break
        size = head.frames_at
        following = at + size + head.frames_size
        next_sequence = sequence + head.messages
        if (
            following - at < BLOCK_OCTETS_MIN
            or following > end
            or head.first_sequence != sequence
            or next_sequence - 1 > limit
        ):
            break
        if len(index) < size:
            index += read(size - len(index), at + len(index))
        if not index_holds(index, head):
            break
        blocks.append(Indexed(at, at + size, following, sequence, next_sequence, head, index))
        at, sequence = following, next_sequence
        # The next will be alike, and then one call is enough.
        guess = size + size // 16
    return blocks


def _places(blocks: Sequence[Indexed], wanted: Wanted) -> _Places | None:
    """Where what is wanted lies; None if the writer of a block got its index wrong (JOURNAL-BLOCK-2)."""
    counts = np.array([block.head.messages for block in blocks])
    after = counts.cumsum()
    ends = np.frombuffer(_column(blocks, 8, NUMBERS_OCTETS), ">u4").astype(np.uint32)
    rises = ends[1:] > ends[:-1]
    rises[after[:-1] - 1] = ends[after[:-1]] > 0
    sizes = [block.head.frames_size for block in blocks]
    if not (ends[0] and rises.all() and ends[after - 1].tolist() == sizes):
        return None
    verdict = _verdict(blocks, counts, wanted)
    if verdict is None:
        return None
    indices = verdict.nonzero()[0]
    owners = after.searchsorted(indices, "right")
    starts = ends[indices - 1].astype(np.int64)
    starts[indices == (after - counts)[owners]] = 0
    return _Places(indices, owners, starts, ends[indices].astype(np.int64))


def _column(blocks: Sequence[Indexed], begin: int, end: int) -> bytes:
    """Of all blocks' indexes the part from `begin` to `end`, in octets for each message."""
    parts = []
    for block in blocks:
        count = block.head.messages
        parts.append(block.octets[HEAD_OCTETS + begin * count : HEAD_OCTETS + end * count])
    return b"".join(parts)


def _verdict(
    blocks: Sequence[Indexed], counts: npt.NDArray[np.int64], wanted: Wanted
) -> npt.NDArray[np.bool_] | None:
    """Of each message, whether it is wanted; None if a key's number or place is wrong."""
    known: dict[bytes, list[bool] | None] = {}
    verdicts: list[list[bool]] = []
    for block in blocks:
        table = _key_table(block)
        if table not in known:
            known[table] = _of_keys(table, block.head, wanted)
        of_keys = known[table]
        if of_keys is None:
            return None
        verdicts.append(of_keys)
    numbers: npt.NDArray[np.uint16] = np.frombuffer(_column(blocks, NUMBERS_OCTETS, ENTRY_OCTETS), ">u2")
    verdict: npt.NDArray[np.bool_]
    if len(known) == 1:
        if numbers.max() >= len(verdicts[0]):
            return None
        verdict = np.array(verdicts[0], np.bool_).take(numbers)
        return verdict
    sizes = np.array(list(map(len, verdicts)))
    if not (numbers < sizes.repeat(counts)).all():
        return None
    firsts = (sizes.cumsum() - sizes).repeat(counts)
    verdict = np.array(list(chain.from_iterable(verdicts)), np.bool_).take(numbers + firsts)
    return verdict


def _key_table(block: Indexed) -> bytes:
    """The ends of the distinct keys, and the keys."""
    stop = block.frames_at - block.at
    return block.octets[stop - 4 * block.head.keys - block.head.keys_size : stop]


def _of_keys(table: bytes, head: Head, wanted: Wanted) -> list[bool] | None:
    """Of each key in the table, whether it is wanted; None if the keys do not end where they should."""
    ends = unpack_ends(table[: 4 * head.keys]).tolist()
    if ends[-1] != head.keys_size:
        return None
    keys = table[4 * head.keys :]
    return list(wanted([keys[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]))


def _take(read: Pread, blocks: Sequence[Indexed], places: _Places, frames: list[bytes]) -> int | None:
    """Put the frames at `places` into `frames`; how many octets were read for them, or None if the checksum of a
    page did not hold.
    """
    if not len(places.indices):
        return 0
    stretches, cuts = _stretches(blocks, places)
    checksums = _checksums(blocks)
    octets = here = 0
    for offset, size, page, there in stretches:
        pages = read(size, offset)
        if size <= PAGE_OCTETS:
            if value(pages) != checksums[page]:
                return None
        elif page_checksums(pages) != checksums[page : page + -(-size // PAGE_OCTETS)]:
            return None
        while here < there:
            start, stop = cuts[here]
            frames.append(pages[start:stop])
            here += 1
        octets += size
    return octets


def _stretches(
    blocks: Sequence[Indexed], places: _Places
) -> tuple[Iterable[tuple[int, int, int, int]], list[tuple[int, int]]]:
    """Which pages to read, each stretch with one call, and how to cut the frames out of their stretches.

    A stretch is its place in the file, its octets, the number of its first page among those of all blocks, and how
    many of the frames lie in it or before; a cut is the first octet and the one after the last. For at least one place.
    """
    firsts = places.starts // PAGE_OCTETS
    lasts = (places.stops - 1) // PAGE_OCTETS
    apart = (firsts[1:] > lasts[:-1] + _GAP_PAGES) | (places.blocks[1:] != places.blocks[:-1])
    after = np.append(apart.nonzero()[0] + 1, len(firsts))
    head = np.append(0, after[:-1])
    owners, begins = places.blocks[head], firsts[head] * PAGE_OCTETS
    sizes = np.array([block.head.frames_size for block in blocks])[owners]
    sizes = np.minimum((lasts[after - 1] + 1) * PAGE_OCTETS, sizes) - begins
    offsets = np.array([block.frames_at for block in blocks])[owners] + begins
    pages = (
        np.array(list(accumulate([block.head.pages for block in blocks], initial=0)))[owners] + firsts[head]
    )
    shifts = begins.repeat(after - head)
    cuts = zip((places.starts - shifts).tolist(), (places.stops - shifts).tolist(), strict=True)
    return zip(offsets.tolist(), sizes.tolist(), pages.tolist(), after.tolist(), strict=True), list(cuts)


def _checksums(blocks: Sequence[Indexed]) -> list[int]:
    """Those of all pages of all blocks."""
    columns = []
    for block in blocks:
        begin = HEAD_OCTETS + ENTRY_OCTETS * block.head.messages
        columns.append(block.octets[begin : begin + 4 * block.head.pages])
    return unpack_ends(b"".join(columns)).tolist()
