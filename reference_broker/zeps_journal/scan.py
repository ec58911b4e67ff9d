"""Divides a segment's bytes into runs of valid blocks, damaged blocks with saved messages, and holes.

Reading, recovery and verification walk a segment with :func:`next_piece`. It verifies the checksum of every returned
byte in the same call (JOURNAL-BLOCK-1), which costs less than a record of verified blocks. Small neighbouring blocks
are returned as one run, which saves time. After damage :mod:`zeps_journal.resync` finds the next block.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from zeps_journal.block import (
    HEAD_SIZE,
    MAGIC,
    NUMBERS_SIZE,
    Block,
    BlockHead,
    index_holds,
    lenient_head,
    messages_max_in,
    unpack_head,
)
from zeps_journal.block_run import SEQUENCE_MAX, BlockRun, Read, read_run, valid_block
from zeps_journal.damage import MISPLACED, MISSING, SPOILT, TORN
from zeps_journal.numbers import ascend, unpack_ends, unpack_times
from zeps_journal.resync import resync
from zeps_journal.salvage import LostRange, Salvage, intact_index, salvage
from zeps_wire.zeps import deliver_head

__all__ = ["Hole", "Piece", "blocks_of", "could_be_torn", "damaged_block", "hole_at", "next_piece"]


class Hole(NamedTuple):
    """Bytes without a block that can be served, or a place where blocks are missing."""

    at: int
    end: int
    next_sequence: int
    """The first sequence not lost; if no data after `end` gives it, after all messages that fit (ZEPS-SEQUENCE-3)."""
    kind: str
    """As in :class:`zeps_journal.damage.Damage`."""
    reason: str


Piece: TypeAlias = BlockRun | Salvage | Hole
"""The pieces of a segment; each has `at`, `end` and `next_sequence`."""


def next_piece(read: Read, at: int, sequence: int, end: int, limit: int | None = None) -> Piece:
    """Returns the piece at `at`, before the file's `end`, where the block that begins with `sequence` should be.
    `limit` is the last sequence that belongs to the segment, None if it is the newest.
    """
    past = SEQUENCE_MAX if limit is None else limit
    run = read_run(read, at, sequence, end, past)
    if run is not None:
        return run
    head = valid_block(read, at, end)
    if head is not None:
        # The device may have returned other bytes this time.
        return read_run(read, at, sequence, head.end, past) or _misplaced(head, sequence, past)
    damaged = damaged_block(read, at, sequence, end, limit)
    if damaged is None:
        return hole_at(read, at, sequence, end, limit)
    salvaged = salvage(read(at, damaged.head.size), damaged.head)
    if salvaged is None:
        return hole_at(read, at, sequence, end, limit)
    if damaged.missing:
        # Behind the block's own end.
        first, last = damaged.head.next_sequence, damaged.next_sequence - 1
        lost = LostRange(damaged.end, damaged.end, first, last, "sequences are missing before this block")
        salvaged = salvaged._replace(lost=[*salvaged.lost, lost])
    return salvaged._replace(end=damaged.end, next_sequence=damaged.next_sequence)


class DamagedBlock(NamedTuple):
    """A damaged block whose index is intact, and the offset (`end`) and first sequence of the next block."""

    head: BlockHead
    end: int
    next_sequence: int

    @property
    def missing(self) -> int:
        """Number of messages lost between this block and the next."""
        return self.next_sequence - self.head.next_sequence


def damaged_block(
    read: Read, at: int, sequence: int, end: int, limit: int | None = None
) -> DamagedBlock | None:
    """Returns the block of `sequence` at `at` if its index is intact, else None; arguments as in :func:`next_piece`."""
    head = intact_index(read, at, end, sequence, limit)
    if head is None:
        return None
    following = lenient_head(read(head.end, HEAD_SIZE))
    own = DamagedBlock(head, head.end, head.next_sequence)
    if head.end == end or (following is not None and following.first_sequence == head.next_sequence):
        return own
    # The next block is damaged too, or bytes of this one are missing. The interpretation with fewer lost messages is
    # right.
    behind = hole_at(read, head.end, head.next_sequence, end, limit)
    here = hole_at(read, at, sequence, end, limit)
    if head.next_sequence <= here.next_sequence < behind.next_sequence:
        return DamagedBlock(head, here.end, here.next_sequence)
    return own


def blocks_of(piece: Piece) -> list[Block]:
    """Returns the blocks of a piece that can be served, in order; empty for a hole."""
    if isinstance(piece, BlockRun):
        return [piece.block]
    return [saved.block for saved in piece.saved] if isinstance(piece, Salvage) else []


def hole_at(read: Read, at: int, sequence: int, end: int, limit: int | None = None) -> Hole:
    """Returns the hole at `at`, where no block can be served. Arguments as in :func:`next_piece`."""
    if limit is None and could_be_torn(read, at, sequence, end):
        return Hole(at, end, sequence, TORN, "an incomplete block")
    unknown = sequence + messages_max_in(end - at) if limit is None else max(sequence, limit + 1)
    reason = _reason(read, at, sequence, end)
    return Hole(at, *(resync(read, at, sequence, end, limit) or (end, unknown)), SPOILT, reason)


def could_be_torn(read: Read, at: int, sequence: int, end: int) -> bool:
    """Returns whether the bytes from `at` to `end` are the beginning of a block of `sequence` that was never complete.

    Its sequences may be used again; those of a complete block with a damaged size must not be, so the size alone does
    not decide. The times present must be between its first and last time. The ends present must ascend and, if
    complete, agree with the size. A complete index must have a correct checksum and be followed by the beginning of a
    first frame, if by anything; while it is incomplete, no frame may have begun.
    """
    size = end - at
    if messages_max_in(size) == 0:
        return True
    head = unpack_head(read(at, HEAD_SIZE))
    if (
        head is None
        or head.first_sequence != sequence
        or head.size <= size
        or head.first_time > head.last_time
    ):
        return False
    numbers = read(at + HEAD_SIZE, NUMBERS_SIZE * head.messages)
    split = 8 * head.messages
    times = unpack_times(numbers[: min(split, len(numbers)) // 8 * 8])
    if times and not head.first_time <= min(times) <= max(times) <= head.last_time:
        return False
    ends = unpack_ends(numbers[split : split + max(0, len(numbers) - split) // 4 * 4])
    all_there = len(ends) == head.messages
    last_is_right = not ends or (ends[-1] == head.frames_size if all_there else ends[-1] < head.frames_size)
    if ends and not (last_is_right and ascend(ends, ends[-1])):
        return False
    present = read(at, min(size, head.frames_at + len(deliver_head(sequence))))
    if size < head.frames_at:
        return deliver_head(sequence) not in present
    return index_holds(present, head) and deliver_head(sequence).startswith(present[head.frames_at :])


def _misplaced(head: BlockHead, sequence: int, limit: int) -> Hole:
    """Returns the hole for a valid block that is not the block of `sequence`."""
    at, end, first = head.at, head.end, head.first_sequence
    if head.last_sequence > limit:
        reason = f"a block of sequences from {first}, which the next segment has too"
        return Hole(at, end, sequence, MISPLACED, reason)
    if first > sequence:
        return Hole(at, at, first, MISSING, "sequences are missing before this block")
    if first < sequence:
        return Hole(at, end, sequence, MISPLACED, f"a block of sequences from {first} out of its place")
    return Hole(at, end, head.next_sequence, SPOILT, "a block that the device reads correctly only at times")


def _reason(read: Read, at: int, sequence: int, end: int) -> str:
    data = read(at, HEAD_SIZE)
    head = unpack_head(data, 0, at)
    if data[: len(MAGIC)] != MAGIC:
        return "no block begins here"
    if head is None:
        return "a block's head has values that are not allowed"
    if head.first_sequence != sequence:
        return f"a block's head has sequence {head.first_sequence} where {sequence} is expected"
    if head.end > end:
        return "a block's sizes do not agree with its content"
    return "a block's checksum does not match"
