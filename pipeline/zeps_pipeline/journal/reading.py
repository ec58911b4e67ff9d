"""Reads the selected messages of a segment as batches. Each block is read and verified at most once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from zeps_journal.block import BlockHead, index_holds
from zeps_journal.columns import HeldBlock
from zeps_journal.damage import MISSING, Damage
from zeps_journal.segment_file import Segment, SegmentFile
from zeps_journal.walk import read_block, served
from zeps_pipeline.journal.columns import SEQUENCE_MAX, TIME_MAX, BlockReader, matching_keys

__all__ = ["VANISHED", "Wanted", "read_segment"]

VANISHED = "the segment file does not exist; retention may have removed it"
"""Reason of a Damage whose file does not exist."""
_BATCH_OCTETS = 4 << 20
_BATCH_MESSAGES = 65_536


class Wanted(NamedTuple):
    """Selection of messages. Sequences and times (microseconds since 1970) are inclusive. The times apply only to whole
    blocks, so some messages outside them are included. Sequences up to `last_due` must exist; `last_due` does not limit
    the messages that are read.
    """

    first_sequence: int = 1
    last_sequence: int = SEQUENCE_MAX
    key_prefix: bytes = b""
    first_time: int = 0
    last_time: int = 2**64 - 1
    last_due: int = 0

    def has(self, head: BlockHead) -> bool:
        """Whether the block's times overlap the selected times."""
        first, last = min(head.first_time, TIME_MAX), min(head.last_time, TIME_MAX)
        return first <= self.last_time and last >= min(self.first_time, TIME_MAX)


def read_segment(
    segment: Segment,
    schema: pa.Schema,
    wanted: Wanted | None = None,
    *,
    at: int | None = None,
    sequence: int | None = None,
    end: int | None = None,
) -> Iterator[pa.RecordBatch | Damage]:
    """Yield the selected messages of `segment` in batches of about 4 MiB or 65,536 messages, and the damage between.
    `at`, `sequence` and `end` restrict reading to blocks that begin at an offset from `at` (where the block of
    `sequence` begins) to before `end`. All returned bytes were verified in the same call (JOURNAL-BLOCK-1).

    Damage is yielded if it loses selected sequences, or if it loses none and the sequence after it is selected. If the
    newest segment ends before the selected sequences up to `last_due`, that is yielded as damage too; if the file does
    not exist, a Damage with the reason VANISHED is the only result. Raises OSError, and PipelineError as BlockReader.
    """
    wanted = wanted or Wanted()
    reader = BlockReader(schema, segment.stream, wanted.key_prefix)
    held: list[HeldBlock] = []
    octets = messages = 0
    try:
        file = SegmentFile(segment.path, segment.size)
    except FileNotFoundError:
        yield _vanished(segment, wanted)
        return
    with file:
        for piece in _read(segment, file, wanted, _within(segment, file, wanted, at, sequence, end)):
            if isinstance(piece, Damage):
                yield from _batches(reader, held, wanted)
                yield piece
            else:
                held.append(piece)
                octets += piece[0].size
                messages += piece[0].messages
                if octets < _BATCH_OCTETS and messages < _BATCH_MESSAGES:
                    continue
                yield from _batches(reader, held, wanted)
            file.release()
            held, octets, messages = [], 0, 0
        yield from _batches(reader, held, wanted)


def _within(
    segment: Segment, file: SegmentFile, wanted: Wanted, at: int | None, sequence: int | None, end: int | None
) -> Iterator[BlockHead | Damage]:
    """Blocks and damage within the bounds that have, or may have had, selected sequences."""
    due = segment.first_sequence if sequence is None else sequence
    for piece in served(segment, file, at=at, sequence=sequence):
        offset = piece.offset if isinstance(piece, Damage) else piece.at
        if (end is not None and offset >= end) or piece.first_sequence > wanted.last_sequence:
            return
        due = max(due, piece.last_sequence + 1)
        if _concerns(wanted, piece):
            yield piece
    first, last = max(due, wanted.first_sequence), min(wanted.last_sequence, wanted.last_due)
    if segment.limit is None and first <= last:
        reason = "the journal ends before these sequences"
        yield Damage(segment.stream, segment.path, segment.size, 0, first, last, MISSING, reason)


def _vanished(segment: Segment, wanted: Wanted) -> Damage:
    first = max(segment.first_sequence, wanted.first_sequence)
    last = min(wanted.last_sequence, SEQUENCE_MAX if segment.limit is None else segment.limit)
    return Damage(segment.stream, segment.path, 0, 0, first, last, MISSING, VANISHED)


def _batches(reader: BlockReader, held: list[HeldBlock], wanted: Wanted) -> Iterator[pa.RecordBatch]:
    if held:
        batch = reader.batch(held, wanted.first_sequence, wanted.last_sequence)
        if batch.num_rows:
            yield batch


def _read(
    segment: Segment, file: SegmentFile, wanted: Wanted, pieces: Iterable[BlockHead | Damage]
) -> Iterator[HeldBlock | Damage]:
    """The verified blocks of `pieces` that may have selected messages, and the damage that concerns the selection."""
    for piece in pieces:
        if isinstance(piece, Damage):
            yield piece
        elif not (wanted.key_prefix or not wanted.has(piece)) or _may_have(file, piece, wanted):
            for found in read_block(segment, file, piece):
                if not isinstance(found, Damage) or _concerns(wanted, found):
                    yield found


def _concerns(wanted: Wanted, piece: BlockHead | Damage) -> bool:
    """Whether `piece` has selected sequences. Damage that loses no message belongs to the sequence after it."""
    last = max(piece.first_sequence, piece.last_sequence)
    return last >= wanted.first_sequence and piece.first_sequence <= wanted.last_sequence


def _may_have(file: SegmentFile, head: BlockHead, wanted: Wanted) -> bool:
    """Whether the block may have selected messages: its index has some, or the index is damaged."""
    index = file.read(head.at, head.frames_at)
    if len(index) < head.frames_at or not index_holds(index, head):
        return True
    return wanted.has(head) and bool(matching_keys(head, index, wanted.key_prefix).any())
