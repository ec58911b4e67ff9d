"""Follows a stream's journal, to which a broker may be writing, by the heads of its blocks. Only durable messages are
reported: whole valid blocks, never a tail that may still be torn, and only after a sync. So a query never reads
messages that the broker later removes as torn.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pyspark.sql.datasource import InputPartition

from zeps_journal.block import HEAD_SIZE, BlockHead
from zeps_journal.damage import TORN, Damage
from zeps_journal.segment_file import Segment, SegmentFile
from zeps_journal.walk import served
from zeps_pipeline.durable import sync_path
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.journal.folder import list_segments
from zeps_pipeline.source.offsets import Budget, StreamProgress
from zeps_pipeline.source.options import LATEST, ReadOptions
from zeps_pipeline.source.places import start_in
from zeps_pipeline.source.plan import Slice, parts_of

__all__ = ["JournalFollower"]

_LOG = logging.getLogger("zeps.pipeline")
_BOOKMARKS = 16


class _Place(NamedTuple):
    """Place of a block in the segment with the first sequence `segment`, or the place after its last block."""

    segment: int
    at: int
    sequence: int


class JournalFollower:
    """Follows a stream in a journal's folder. Implements follow.Follower."""

    def __init__(self, stream: str, folder: Path, options: ReadOptions) -> None:
        self._stream = stream
        self._folder = folder
        self._options = options
        self._end: int | None = None
        self._bookmarks: dict[int, _Place] = {}
        """Places of some sequences, so that a batch need not begin at the start of its segment."""
        self._reported = 0
        """Next sequence of the query at the last warning that the journal ends before it."""

    def start(self) -> int:
        segments = self._segments()
        if not segments:
            return 1
        if self._options.starting_time is None and self._options.start_of(self._stream, LATEST) == LATEST:
            return self.advance(segments[-1].first_sequence, Budget()).following
        return start_in(segments, self._options)

    def earliest(self) -> int:
        segments = self._segments()
        return segments[0].first_sequence if segments else 1

    def fix_end(self) -> None:
        self._end = None
        segments = self._segments()
        first = segments[-1].first_sequence if segments else 1
        self._end = self.advance(first, Budget()).following

    def advance(self, following: int, budget: Budget) -> StreamProgress:
        if self._end is not None:
            self._check_end(self._end, following)
        segments = self._segments_from(following)
        if not segments:
            self._check_end(1, following)
            return StreamProgress(following)
        self._check_retained(segments[0], following)
        reached = max(following, segments[0].first_sequence)
        known, place = segments[-1].first_sequence, None
        touched = set()
        for segment, piece in self._pieces(segments, reached):
            if budget.is_spent or (self._end is not None and reached >= self._end):
                break
            known = max(known, piece.last_sequence + 1)
            if piece.last_sequence < reached:
                continue
            before = reached
            reached = self._taken(segment, piece, reached, budget)
            if reached > before:
                touched.add(segment.path)
                place = _Place(segment.first_sequence, *_place_of(piece, reached))
            if reached <= piece.last_sequence:
                break
        else:
            if following not in self._bookmarks:
                self._check_end(known, following)
        if place is not None:
            self._mark(reached, place)
        self._sync(touched)
        return StreamProgress(reached)

    def parts(self, first: int, end: int) -> list[InputPartition]:
        segments = self._segments_from(first)
        if not segments:
            self._check_end(1, end)
            return list(parts_of([], self._options.min_partitions))
        self._check_retained(segments[0], first)
        slices = [Slice(segment, first, end - 1) for segment in segments if segment.first_sequence < end]
        begin, stop = self._bookmarks.get(first), self._bookmarks.get(end)
        if slices and begin is not None and begin.segment == slices[0].segment.first_sequence:
            slices[0] = slices[0]._replace(at=begin.at, sequence=begin.sequence)
        if slices and stop is not None and stop.segment == slices[-1].segment.first_sequence:
            # A block that begins before the end may have the last messages; a block that begins at the end
            # has none.
            slices[-1] = slices[-1]._replace(end=stop.at + (stop.sequence < end))
        return list(parts_of(slices, self._options.min_partitions))

    def close(self) -> None:
        self._bookmarks.clear()

    def _segments(self) -> list[Segment]:
        return list_segments(self._stream, self._folder)

    def _segments_from(self, sequence: int) -> list[Segment]:
        return [segment for segment in self._segments() if segment.limit is None or segment.limit >= sequence]

    def _pieces(
        self, segments: list[Segment], following: int
    ) -> Iterator[tuple[Segment, BlockHead | Damage]]:
        """Blocks and damage from sequence `following` on, or shortly before, without a tail that may still change."""
        place = self._bookmarks.get(following)
        for segment in segments:
            known = place is not None and place.segment == segment.first_sequence
            at, sequence = (place.at, place.sequence) if known and place is not None else (None, None)
            try:
                with SegmentFile(segment.path, segment.size) as file:
                    for piece in served(segment, file, at=at, sequence=sequence):
                        if isinstance(piece, Damage) and _is_open_end(segment, piece):
                            return
                        yield segment, piece
            except FileNotFoundError:
                # Retention removed the file between two calls; reading this range will report the loss.
                continue

    def _taken(self, segment: Segment, piece: BlockHead | Damage, reached: int, budget: Budget) -> int:
        """The sequence after the messages of `piece` that precede the end and fit the budget, which they reduce."""
        if isinstance(piece, Damage):
            return max(reached, piece.last_sequence + 1)
        end = piece.last_sequence + 1 if self._end is None else min(piece.last_sequence + 1, self._end)
        messages = end - reached
        if budget.messages is not None:
            messages = min(messages, budget.messages)
        byte_count = piece.frames_size
        if budget.byte_count is not None and (messages < piece.messages or byte_count > budget.byte_count):
            messages, byte_count = _fitting(segment, piece, reached, messages, budget)
        budget.take(messages, byte_count)
        return reached + messages

    def _check_retained(self, oldest: Segment, following: int) -> None:
        if following < oldest.first_sequence and self._options.fail_on_data_loss:
            raise DataLossError(
                f"{self._stream}: sequences {following} to {oldest.first_sequence - 1} were removed by retention. "
                "With failOnDataLoss=false the query continues after them"
            )

    def _check_end(self, known: int, following: int) -> None:
        """Raises DataLossError if the journal ends before `following`, or logs a warning once if losses are skipped.
        `known` is the sequence after its last one.
        """
        if known >= following:
            return
        lost = (
            f"{self._stream}: the journal ends before sequence {known}, but {following} should be next: it is not the "
            "journal that the query has read, or its last messages were lost"
        )
        if self._options.fail_on_data_loss:
            raise DataLossError(
                f"{lost}. Use a new checkpoint for another journal. With failOnDataLoss=false the query continues when "
                "the journal has reached that sequence"
            )
        if self._reported != following:
            self._reported = following
            _LOG.warning("%s", lost)

    def _mark(self, sequence: int, place: _Place) -> None:
        self._bookmarks.pop(sequence, None)
        self._bookmarks[sequence] = place
        while len(self._bookmarks) > _BOOKMARKS:
            del self._bookmarks[next(iter(self._bookmarks))]

    def _sync(self, paths: set[str]) -> None:
        """Sync these files and their folder."""
        for path in sorted(paths):
            sync_path(path)
        if paths:
            sync_path(str(self._folder))


def _place_of(piece: BlockHead | Damage, reached: int) -> tuple[int, int]:
    """Offset and first sequence of the block that has `reached`, or of the next one if `piece` ends before it; for
    missing sequences, the offset where they should be, and the first of them.
    """
    if isinstance(piece, Damage) and not piece.size:
        return piece.offset, piece.first_sequence
    if isinstance(piece, Damage):
        return piece.offset + piece.size, piece.last_sequence + 1
    if reached > piece.last_sequence:
        return piece.end, piece.last_sequence + 1
    return piece.at, piece.first_sequence


def _is_open_end(segment: Segment, damage: Damage) -> bool:
    """Whether the damage is at the end of the journal, which a broker may be writing or may not have checked yet."""
    at_end = damage.offset + damage.size >= segment.size
    return segment.limit is None and (damage.kind == TORN or at_end)


def _fitting(
    segment: Segment, head: BlockHead, reached: int, messages: int, budget: Budget
) -> tuple[int, int]:
    """How many of the next `messages` messages fit the budget, and their bytes; at least one if it is the batch's
    first. The sizes come from the block's frame ends, which are not verified here.
    """
    with SegmentFile(segment.path, segment.size) as file:
        data = file.read(head.at + HEAD_SIZE + 8 * head.messages, 4 * head.messages)
    skipped = reached - head.first_sequence
    ends = np.concatenate([[0], np.frombuffer(data, ">u4")]).astype(np.int64)[skipped:]
    sizes = ends[1 : messages + 1] - ends[0]
    fitting = max(int(np.searchsorted(sizes, budget.byte_count or 0, side="right")), 0 if budget.taken else 1)
    return fitting, int(sizes[fitting - 1]) if fitting else 0
