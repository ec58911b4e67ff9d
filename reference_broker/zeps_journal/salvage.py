"""Saves messages of a damaged block whose index is intact (JOURNAL-BLOCK-5), as separate blocks: those whose frames are
completely in pages (of 4,096 bytes) with correct checksums. The others are lost.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from zeps_journal.block import (
    HEAD_SIZE,
    PAGE_SIZE,
    Block,
    BlockHead,
    Data,
    EncodedBlock,
    encode_block,
    ends_of,
    index_holds,
    lenient_head,
    page_checksums,
)
from zeps_journal.block_run import Read
from zeps_journal.columns import distinct_keys, key_numbers
from zeps_journal.numbers import ascend, pack_numbers, unpack_times

__all__ = ["LostRange", "Salvage", "intact_index", "salvage"]


class LostRange(NamedTuple):
    """Lost messages of a damaged block, and their frames' bytes from `at` to before `end` in the file. `last_sequence`
    is `first_sequence - 1` if only the head is damaged; `at` is `end` for messages missing after the block.
    """

    at: int
    end: int
    first_sequence: int
    last_sequence: int
    reason: str = "a page's checksum does not match"


class Salvage(NamedTuple):
    """A damaged block: its saved and its lost messages, in the order of the sequences."""

    head: BlockHead
    saved: Sequence[EncodedBlock]
    """Consecutive intact messages, each run as a block of its own."""
    lost: Sequence[LostRange]
    """One range without a message if only the head is damaged; from `next_piece`, also sequences missing after it."""
    end: int
    """Offset of the next block in the file."""
    next_sequence: int
    """The next block's first sequence."""

    def in_order(self) -> list[EncodedBlock | LostRange]:
        """Returns saved and lost messages in the order of the sequences."""
        return sorted([*self.lost, *self.saved], key=_first_sequence)

    @property
    def at(self) -> int:
        """Offset of the damaged block in the file."""
        return self.head.at


def _first_sequence(piece: EncodedBlock | LostRange) -> int:
    return piece.block.first_sequence if isinstance(piece, EncodedBlock) else piece.first_sequence


def intact_index(
    read: Read, at: int, end: int, sequence: int | None = None, limit: int | None = None
) -> BlockHead | None:
    """Returns the head of the block at `at` if its index is intact, regardless of its magic and its frames. It must
    begin with `sequence` and end by `limit`, if these are given, and by `end`, the end of the file.
    """
    head = lenient_head(read(at, HEAD_SIZE), at)
    if (
        head is None
        or head.end > end
        or (sequence is not None and head.first_sequence != sequence)
        or (limit is not None and head.last_sequence > limit)
        or not _index_is_right(read(at, head.frames_at), head)
    ):
        return None
    return head


def salvage(data: Data, head: BlockHead) -> Salvage | None:
    """Saves messages of the block `data`, whose checksum fails; returns None if its index is damaged too."""
    if len(data) != head.size or not _index_is_right(data, head):
        return None
    ends = ends_of(data, head)
    damaged = _damaged_messages(data, head, ends)
    # Boundaries between lost and saved messages.
    edges = [0, *(np.flatnonzero(np.diff(damaged)) + 1).tolist(), head.messages]
    saved: list[EncodedBlock] = []
    lost: list[LostRange] = []
    for low, high in pairwise(edges):
        if damaged[low]:
            frames_at = head.at + head.frames_at
            first = head.first_sequence + low
            begin = frames_at + (ends[low - 1] if low else 0)
            lost.append(LostRange(begin, frames_at + ends[high - 1], first, head.first_sequence + high - 1))
        else:
            saved.append(_cut(data, head, ends, low, high))
    if not lost:
        first, reason = head.first_sequence, "a block's head is damaged, its messages are not"
        lost.append(LostRange(head.at, head.end, first, first - 1, reason))
    return Salvage(head, saved, lost, head.end, head.next_sequence)


def _index_is_right(data: Data, head: BlockHead) -> bool:
    """Returns whether the index's checksum and its columns are correct (JOURNAL-BLOCK-6, -8)."""
    if len(data) < head.frames_at or not index_holds(data, head):
        return False
    offsets, keys = distinct_keys(head, data)
    return bool(
        ascend(ends_of(data, head), head.frames_size)
        and (offsets[1:] >= offsets[:-1]).all()
        and offsets[-1] == len(keys)
        and (key_numbers(head, data) < head.keys).all()
    )


def _damaged_messages(
    data: Data, head: BlockHead, ends: array[int]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Returns for each message whether its frame touches a page whose checksum fails."""
    at = head.frames_at - head.keys_size - 4 * (head.keys + head.pages)
    expected = np.frombuffer(data[at : at + 4 * head.pages], ">u4")
    wrong = np.array(page_checksums(data[head.frames_at :]), np.uint32) != expected
    before = np.concatenate([[0], np.cumsum(wrong)])
    stops = np.frombuffer(ends, np.uint32).astype(np.int64)
    starts = np.concatenate([[0], stops[:-1]])
    damaged: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        before[(stops - 1) // PAGE_SIZE + 1] > before[starts // PAGE_SIZE]
    )
    return damaged


def _cut(data: Data, head: BlockHead, ends: array[int], low: int, high: int) -> EncodedBlock:
    """Returns the messages from number `low` to before `high`, counted from 0 in the block, as a separate block."""
    begin = ends[low - 1] if low else 0
    frames = bytes(data[head.frames_at + begin : head.frames_at + ends[high - 1]])
    own_ends = array("I", [end - begin for end in ends[low:high]])
    packed = bytes(data[HEAD_SIZE + 8 * low : HEAD_SIZE + 8 * high])
    times = unpack_times(packed)
    numbers = key_numbers(head, data)[low:high].tolist()
    renumbered = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
    offsets, keys = distinct_keys(head, data)
    own_keys = [bytes(keys[offsets[number] : offsets[number + 1]]) for number in renumbered]
    own_numbers = pack_numbers(array("H", [renumbered[number] for number in numbers]))
    first, span = head.first_sequence + low, (min(times), max(times))
    encoded = encode_block(first, span, packed, own_ends, own_keys, own_numbers, frames)
    return EncodedBlock(encoded, Block(first, frames, own_ends, times))
