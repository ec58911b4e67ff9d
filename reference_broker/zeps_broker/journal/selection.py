"""Selective reading of blocks: reads only the pages that contain needed frames.

This is as safe as the read of a whole block (JOURNAL-BLOCK-1): the index has a checksum of its own, and so has each
page.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from itertools import groupby, islice
from operator import attrgetter, or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google_crc32c import value

from zeps_broker.ports import Wanted
from zeps_journal.block import PAGE_SIZE, page_checksums
from zeps_journal.index import Indexed, Indexes, Pread
from zeps_journal.numbers import unpack_ends

__all__ = ["Part", "select_from"]

_GAP_PAGES = 2
"""Gaps of up to this many pages between needed pages are read too, since that costs less than another call."""
_COMPARED_MAX = 4

_Table = npt.NDArray[np.bool_]
"""For each key of a block, whether it is needed."""


class Part(NamedTuple):
    """The needed messages of one or more consecutive blocks."""

    blocks: Sequence[Indexed]
    sequences: list[int]
    frames: list[bytes]
    bytes_read: int
    """Bytes that were read for it."""


class _Places(NamedTuple):
    """The needed messages, in order: numbers, from 0, of message and block; start and end in the block's frames."""

    indices: npt.NDArray[np.intp]
    blocks: npt.NDArray[np.intp]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    def before(self, count: int) -> _Places:
        return _Places(*(column[:count] for column in self))


def select_from(read: Pread, indexes: Indexes, skip: int, key_filter: Wanted, enough: int) -> Part | None:
    """Returns the messages that `key_filter` selects by key from the blocks after the first `skip`, from as few blocks
    as hold `enough` bytes of their frames, but at least one. The part ends before a block that should be read as a
    whole, because its frames are damaged or `key_filter` does not judge all its keys; None if that is the first block.
    """
    verdict, last = _verdict(indexes, skip, key_filter)
    if last == skip:
        return None
    places = _places(indexes, skip, verdict)
    sizes = (places.stops - places.starts).cumsum()
    if len(sizes) and sizes[-1] > enough:
        last = int(places.blocks[sizes.searchsorted(enough)]) + 1
    frames, bytes_read, wrong = _take(read, indexes, places.before(int(places.blocks.searchsorted(last))))
    if wrong is not None:
        last = wrong
        del frames[int(places.blocks.searchsorted(last)) :]
    if last == skip:
        return None
    first = indexes.blocks[0].first_sequence
    return Part(
        indexes.blocks[skip:last], (places.indices[: len(frames)] + first).tolist(), frames, bytes_read
    )


def _places(indexes: Indexes, skip: int, verdict: npt.NDArray[np.bool_]) -> _Places:
    """Returns the places of the needed messages; `verdict` begins with the first message after `skip` blocks."""
    indices = verdict.nonzero()[0] + int(indexes.messages[skip])
    owners = indexes.messages.searchsorted(indices, "right") - 1
    starts = indexes.ends[indices - 1].astype(np.int64)
    starts[indices == indexes.messages[owners]] = 0
    return _Places(indices, owners, starts, indexes.ends[indices].astype(np.int64))


def _verdict(indexes: Indexes, skip: int, key_filter: Wanted) -> tuple[npt.NDArray[np.bool_], int]:
    """Returns whether each message after `skip` blocks is needed, and the block at which the result ends."""
    known: dict[bytes, _Table] = {}
    verdicts: list[npt.NDArray[np.bool_]] = [np.empty(0, np.bool_)]
    last = skip
    for keys, blocks in groupby(indexes.blocks[skip:], attrgetter("keys")):
        block, *others = blocks
        table = known.get(keys)
        if table is None:
            table = known[keys] = np.array(_of_keys(block, key_filter), np.bool_)
        if len(table) < block.distinct:
            break
        first, last = last, last + 1 + len(others)
        verdicts.append(_lookup(table, indexes.keys[indexes.messages[first] : indexes.messages[last]]))
    return np.concatenate(verdicts), last


def _lookup(table: _Table, numbers: npt.NDArray[np.uint16]) -> npt.NDArray[np.bool_]:
    """Returns the table's entry for each number; if few entries are true, a comparison is faster."""
    chosen = table.nonzero()[0].tolist()
    if len(chosen) > _COMPARED_MAX:
        return table.take(numbers)
    return reduce(or_, [numbers == number for number in chosen], np.zeros(len(numbers), np.bool_))


def _of_keys(block: Indexed, key_filter: Wanted) -> list[bool]:
    """Returns for each key of the block, or for its first keys, whether it is needed."""
    ends = unpack_ends(block.keys[: 4 * block.distinct]).tolist()
    keys = block.keys[4 * block.distinct :]
    return list(key_filter([keys[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]))


def _take(read: Pread, indexes: Indexes, places: _Places) -> tuple[list[bytes], int, int | None]:
    """Reads and verifies the frames at `places`. Returns those before the first fault, the verified bytes, and the
    block of the fault, or None.
    """
    frames: list[bytes] = []
    bytes_read = 0
    if not len(places.indices):
        return frames, bytes_read, None
    stretches = _Stretches.of(indexes, places)
    cuts = map(slice, stretches.starts, stretches.stops)
    with suppress(OSError):
        for offset, size, checksums, count in zip(*stretches[:4], strict=True):
            pages = read(size, offset)
            if (value(pages) if size <= PAGE_SIZE else page_checksums(pages)) != checksums:
                break
            if count == 1:  # the usual case
                frames.append(pages[next(cuts)])
            else:
                frames += [pages[cut] for cut in islice(cuts, count)]
            bytes_read += size
    wrong = int(places.blocks[len(frames)]) if len(frames) < len(places.blocks) else None
    return frames, bytes_read, wrong


class _Stretches(NamedTuple):
    """Ranges of pages that are read with one call each, and how to cut the frames out of them."""

    offsets: list[int]
    """Offset of each range in the file."""
    sizes: list[int]
    """Bytes of each range."""
    checksums: list[int | list[int]]
    """Checksum of each range's only page, or checksums of all its pages."""
    counts: list[int]
    """Number of frames in each range."""
    starts: list[int]
    """Start of each frame in its range."""
    stops: list[int]
    """End of each frame in its range."""

    @classmethod
    def of(cls, indexes: Indexes, places: _Places) -> _Stretches:
        """Computes the ranges to read. There must be at least one place."""
        firsts = places.starts // PAGE_SIZE
        lasts = (places.stops - 1) // PAGE_SIZE
        apart = (firsts[1:] > lasts[:-1] + _GAP_PAGES) | (places.blocks[1:] != places.blocks[:-1])
        after = np.append(apart.nonzero()[0] + 1, len(firsts))
        head = np.append(0, after[:-1])
        owners, begins = places.blocks[head], firsts[head] * PAGE_SIZE
        sizes = np.array([block.frames_size for block in indexes.blocks])[owners]
        sizes = np.minimum((lasts[after - 1] + 1) * PAGE_SIZE, sizes) - begins
        offsets = np.array([block.frames_at for block in indexes.blocks])[owners] + begins
        pages = (indexes.pages[owners] + firsts[head]).tolist()
        checksums: list[int | list[int]] = list(map(indexes.checksums.__getitem__, pages))
        for stretch in (sizes > PAGE_SIZE).nonzero()[0].tolist():
            page = pages[stretch]
            checksums[stretch] = indexes.checksums[page : page - (-int(sizes[stretch]) // PAGE_SIZE)].tolist()
        counts = after - head
        shifts = begins.repeat(counts)
        return cls(
            offsets.tolist(),
            sizes.tolist(),
            checksums,
            counts.tolist(),
            (places.starts - shifts).tolist(),
            (places.stops - shifts).tolist(),
        )
