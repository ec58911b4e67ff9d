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

__all__ = ["VANISHED", "MessageSelection", "read_segment"]

VANISHED = "the segment file does not exist; retention may have removed it"
"""Reason of a Damage whose file does not exist."""
_BATCH_BYTES = 4 << 20
_BATCH_MESSAGES = 65_536


class MessageSelection(NamedTuple):
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
    selection: MessageSelection | None = None,
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
    selection = selection or MessageSelection()
    reader = BlockReader(schema, segment.stream, selection.key_prefix)
    held: list[HeldBlock] = []
    byte_count = messages = 0
    try:
        file = SegmentFile(segment.path, segment.size)
    except FileNotFoundError:
        yield _vanished(segment, selection)
        return
    with file:
        for piece in _read(segment, file, selection, _within(segment, file, selection, at, sequence, end)):
            if isinstance(piece, Damage):
                yield from _batches(reader, held, selection)
                yield piece
            else:
                held.append(piece)
                byte_count += piece[0].size
                messages += piece[0].messages
                if byte_count < _BATCH_BYTES and messages < _BATCH_MESSAGES:
                    continue
                yield from _batches(reader, held, selection)
            file.release()
            held, byte_count, messages = [], 0, 0
        yield from _batches(reader, held, selection)


def _within(
    segment: Segment,
    file: SegmentFile,
    selection: MessageSelection,
    at: int | None,
    sequence: int | None,
    end: int | None,
) -> Iterator[BlockHead | Damage]:
    """Blocks and damage within the bounds that have, or may have had, selected sequences."""
    due = segment.first_sequence if sequence is None else sequence
    for piece in served(segment, file, at=at, sequence=sequence):
        offset = piece.offset if isinstance(piece, Damage) else piece.at
        if (end is not None and offset >= end) or piece.first_sequence > selection.last_sequence:
            return
        due = max(due, piece.last_sequence + 1)
        if _concerns(selection, piece):
            yield piece
    first, last = max(due, selection.first_sequence), min(selection.last_sequence, selection.last_due)
    if segment.limit is None and first <= last:
        reason = "the journal ends before these sequences"
        yield Damage(segment.stream, segment.path, segment.size, 0, first, last, MISSING, reason)


def _vanished(segment: Segment, selection: MessageSelection) -> Damage:
    first = max(segment.first_sequence, selection.first_sequence)
    last = min(selection.last_sequence, SEQUENCE_MAX if segment.limit is None else segment.limit)
    return Damage(segment.stream, segment.path, 0, 0, first, last, MISSING, VANISHED)


def _batches(
    reader: BlockReader, held: list[HeldBlock], selection: MessageSelection
) -> Iterator[pa.RecordBatch]:
    if held:
        batch = reader.batch(held, selection.first_sequence, selection.last_sequence)
        if batch.num_rows:
            yield batch


def _read(
    segment: Segment, file: SegmentFile, selection: MessageSelection, pieces: Iterable[BlockHead | Damage]
) -> Iterator[HeldBlock | Damage]:
    """The verified blocks of `pieces` that may have selected messages, and the damage that concerns the selection."""
    for piece in pieces:
        if isinstance(piece, Damage):
            yield piece
        elif not (selection.key_prefix or not selection.has(piece)) or _may_have(file, piece, selection):
            for block in read_block(segment, file, piece):
                if not isinstance(block, Damage) or _concerns(selection, block):
                    yield block


def _concerns(selection: MessageSelection, piece: BlockHead | Damage) -> bool:
    """Whether `piece` has selected sequences. Damage that loses no message belongs to the sequence after it."""
    last = max(piece.first_sequence, piece.last_sequence)
    return last >= selection.first_sequence and piece.first_sequence <= selection.last_sequence


def _may_have(file: SegmentFile, head: BlockHead, selection: MessageSelection) -> bool:
    """Whether the block may have selected messages: its index has some, or the index is damaged."""
    index = file.read(head.at, head.frames_at)
    if len(index) < head.frames_at or not index_holds(index, head):
        return True
    return selection.has(head) and bool(matching_keys(head, index, selection.key_prefix).any())
