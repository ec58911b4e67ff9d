"""Converts offsets and times of the options to sequences of a journal's streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from zeps_journal.block import HEAD_SIZE, BlockHead, index_holds
from zeps_journal.damage import TORN, Damage
from zeps_journal.segment_file import Segment, SegmentFile
from zeps_journal.walk import served
from zeps_pipeline.errors import DataLossError, OptionError, PipelineError
from zeps_pipeline.journal.columns import SEQUENCE_MAX
from zeps_pipeline.journal.folder import list_segments, list_streams
from zeps_pipeline.source.options import EARLIEST, LATEST, ReadOptions
from zeps_pipeline.source.plan import Slice

__all__ = ["first_since", "next_sequence", "slices_of", "start_in", "streams_in"]


def streams_in(options: ReadOptions, *, strict: bool = True) -> dict[str, Path]:
    """Folders of the streams to read. Raises PipelineError if the journal does not exist. If `strict`, raises
    OptionError for a stream of the options that does not exist (yet).
    """
    assert options.path is not None
    folders = list_streams(options.path)
    missing = [name for name in (*options.streams, *options.named) if name not in folders]
    if missing and strict:
        raise OptionError(
            f"{options.path} has no stream {missing[0]!r}; existing streams: {', '.join(folders) or '-'}"
        )
    return {name: folder for name, folder in folders.items() if options.wants(name)}


def slices_of(options: ReadOptions) -> list[Slice]:
    """The segments to read, with the selected sequences of each. Raises DataLossError, PipelineError."""
    slices: list[Slice] = []
    for stream, folder in streams_in(options).items():
        segments = list_segments(stream, folder)
        if not segments:
            continue
        first = start_in(segments, options)
        end = options.end_of(stream)
        last = SEQUENCE_MAX if end == LATEST else end - 1
        slices += [
            Slice(segment, first, last)
            for segment in segments
            if first <= (segment.limit or SEQUENCE_MAX) and last >= segment.first_sequence
        ]
    return slices


def start_in(segments: Sequence[Segment], options: ReadOptions, default: int = EARLIEST) -> int:
    """First sequence to read from the stream of `segments`; `default` applies if no start is set. If retention has
    removed it: the first retained one if losses are skipped; otherwise raises DataLossError.
    """
    stream, earliest = segments[0].stream, segments[0].first_sequence
    if options.starting_time is not None:
        return first_since(segments, options.starting_time)
    first = options.start_of(stream, default)
    if first == LATEST:
        return next_sequence(segments)
    if first == EARLIEST:
        return earliest
    if first < earliest and options.fail_on_data_loss:
        raise DataLossError(
            f"{stream}: sequence {first} was removed by retention; the first retained sequence is {earliest}. Begin "
            "there, or skip missing messages with failOnDataLoss=false"
        )
    return max(first, earliest)


def next_sequence(segments: Sequence[Segment]) -> int:
    """Sequence after the last, without a torn block. Raises PipelineError if the newest segment cannot be read."""
    newest, following = segments[-1], segments[-1].first_sequence
    for piece in _pieces(newest):
        if not (isinstance(piece, Damage) and piece.kind == TORN):
            following = max(following, piece.last_sequence + 1)
    return following


def first_since(segments: Sequence[Segment], time: int) -> int:
    """First sequence that was stored at `time` (microseconds since 1970) or later; else the sequence after the last.
    Blocks are skipped by the times in their heads; implausible times, and those before the result, are verified, so
    that a damaged head does not hide a message. Lost messages may have been stored at any time between those of their
    neighbours, so they are not skipped. Raises PipelineError, or OSError, if a segment cannot be read.
    """
    before, passed = 0, None
    lost: int | None = None
    """First lost sequence after the last message that was stored before `time`."""
    for segment in segments:
        for piece in _pieces(segment):
            if isinstance(piece, Damage):
                lost = piece.first_sequence if lost is None and piece.messages else lost
                continue
            first = piece.first_sequence if lost is None else lost
            if before <= piece.first_time <= piece.last_time < time:
                before, passed, lost = piece.last_time, (segment, piece, first), None
                continue
            if passed is not None and _index(*passed[:2]) is None:
                return passed[2]
            index = _index(segment, piece)
            if index is None:
                return first
            later = np.flatnonzero(np.frombuffer(index, ">u8", piece.messages, HEAD_SIZE) >= time)
            if len(later):
                return piece.first_sequence + int(later[0]) if later[0] else first
            lost = None
    return next_sequence(segments) if lost is None else lost


def _index(segment: Segment, head: BlockHead) -> bytes | None:
    """The block's bytes before its frames; None if their checksum is wrong."""
    with SegmentFile(segment.path, segment.size) as file:
        index = file.read(head.at, head.frames_at)
    return index if len(index) == head.frames_at and index_holds(index, head) else None


def _pieces(segment: Segment) -> Iterator[BlockHead | Damage]:
    try:
        with SegmentFile(segment.path, segment.size) as file:
            yield from served(segment, file)
    except OSError as error:
        raise PipelineError(f"{segment.path}: {error.strerror or error}") from error
