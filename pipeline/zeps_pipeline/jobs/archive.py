"""Archives a journal as Parquet files by stream and day, each sequence once.

The audit lists the readable sequences and the first place of each in the journal; these are archived in parts of some
hundred megabytes. All parts are written to a staging folder and their rows are counted. Then the list of files is
written, and the files are moved to their final folders. A failed run moves the files back and removes the staged ones,
so OUT has all new messages or none of them. If the process is killed between two moves, the next run completes the
moves first.

    OUT/stream=STREAM/day=DAY/*.parquet
    OUT/_zeps/lock           locked by the current run
    OUT/_zeps/state.json     archived sequences of each stream, and the origin of their segments
    OUT/_zeps/moving.json    files that are being moved
    OUT/_zeps/part/          staged files
    OUT/_zeps/writing/       part that is being written
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from zeps_pipeline.audit.job import Audit, balanced_groups
from zeps_pipeline.audit.spans import Span, Spans
from zeps_pipeline.durable import read_json, sync_path, write_json
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.jobs.origin import Origin, is_another, origin_of
from zeps_pipeline.jobs.tracking import ReportProgress
from zeps_pipeline.journal import SCHEMA, Damage, MessageSelection, Segment, read_segment
from zeps_pipeline.transforms.days import by_day

__all__ = ["Archive", "archive"]

COLUMNS = pa.schema([SCHEMA.field(name) for name in ("stream", "offset", "timestamp", "key", "value")])
"""Columns of the archive. The names of the folders hold the stream and the day."""
_PART_BYTES = 256 << 20
_REMEDY = "; archive into a new folder"


class _Piece(NamedTuple):
    """Sequences `first` to `last` (inclusive), which are in `segment` between the byte offsets `at`, where the block of
    the sequence `begins_with` begins, and `end` (exclusive).
    """

    segment: Segment
    at: int
    end: int
    begins_with: int
    first: int
    last: int

    @property
    def messages(self) -> int:
        return self.last - self.first + 1


@dataclass
class Archive:
    """Totals of an archive after a run."""

    out: Path
    rows: dict[str, int]
    """Archived rows of each stream."""
    added: int
    """Rows that this run added."""


def archive(spark: SparkSession, audit: Audit, out: Path, progress: ReportProgress | None = None) -> Archive:
    """Add to `out` the readable messages of `audit` that it does not have yet. `progress` is called with the numbers of
    written and of all new messages. Raises PipelineError if the archive cannot be read or written, if another run is
    using it, or if a stream in it came from another journal, and Spark's error if a message cannot be read any more.
    Either all new messages are added then, or none.
    """
    try:
        with _lock(out / "_zeps"):
            state = _State(out)
            try:
                return _archive(spark, audit, state, progress)
            finally:
                state.clear()
    except ConnectionError:  # of Spark, or of the output to which `progress` prints
        raise
    except OSError as error:
        raise PipelineError(
            f"{error.filename or out}: {error.strerror or error}; correct this and run again"
        ) from error


def _archive(spark: SparkSession, audit: Audit, state: _State, progress: ReportProgress | None) -> Archive:
    origins = {stream.stream: origin_of(stream.segments) for stream in audit.streams}
    state.check(origins)
    pieces = _missing(audit, state)
    total = sum(piece.messages for piece in pieces)
    done = 0
    for part in _parts(pieces):
        if progress is not None:
            progress(done, total)
        _write(spark, part, state)
        done += sum(piece.messages for piece in part)
    if pieces:
        state.commit([(piece.segment.stream, piece.first, piece.last) for piece in pieces], origins)
    if progress is not None:
        progress(done, total)
    return Archive(state.out, {stream: spans.count() for stream, spans in state.spans.items()}, done)


def _missing(audit: Audit, state: _State) -> list[_Piece]:
    """The parts of readable pieces that are not archived, by stream and in the order of the disk."""
    pieces = []
    for stream in audit.streams:
        segments = {Path(segment.path).name: segment for segment in stream.segments}
        archived = state.spans.get(stream.stream) or Spans()
        for source, first, last in stream.merged.kept:
            # The audit has already classified the bytes between valid blocks, so the segment's limit is not
            # checked again.
            segment = segments[source.segment]._replace(limit=None)
            end = source.at + source.size
            pieces += [
                _Piece(segment, source.at, end, source.begins_with, *span)
                for span in archived.missing(first, last)
            ]
    return pieces


def _parts(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    part: list[_Piece] = []
    byte_count = 0
    for piece in pieces:
        part.append(piece)
        byte_count += piece.end - piece.at
        if byte_count >= _PART_BYTES:
            yield part
            part, byte_count = [], 0
    if part:
        yield part


def _write(spark: SparkSession, part: Sequence[_Piece], state: _State) -> None:
    """Write `part`, check its number of rows, and stage its files. Raises PipelineError if the number is wrong."""
    sizes = [piece.end - piece.at for piece in part]
    groups = balanced_groups(sizes, spark.sparkContext.defaultParallelism, max(1, sum(sizes)))

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for group in batch.column(0).to_pylist():
                for number in groups[group]:
                    yield from _read(part[number])

    rows = spark.range(0, len(groups), 1, len(groups)).mapInArrow(read, from_arrow_schema(COLUMNS))
    shutil.rmtree(state.writing, ignore_errors=True)
    # With a scheme, because Hadoop looks for a bare path in its default file system, and takes text before a
    # colon for a scheme.
    by_day(rows).write.partitionBy("stream", "day").parquet(f"file://{state.writing.absolute()}")
    expected = sum(piece.messages for piece in part)
    written = sum(pq.read_metadata(path).num_rows for path in state.writing.rglob("*.parquet"))
    if written != expected:
        raise PipelineError(
            f"{state.writing}: {written} of {expected} rows were written; nothing is added, run again"
        )
    state.stage()


def _read(piece: _Piece) -> Iterator[pa.RecordBatch]:
    selection = MessageSelection(piece.first, piece.last, last_due=piece.last)
    batches = read_segment(
        piece.segment, COLUMNS, selection, at=piece.at, sequence=piece.begins_with, end=piece.end
    )
    for batch in batches:
        if not isinstance(batch, Damage):
            yield batch
        elif batch.messages:
            raise DataLossError(f"{batch}; it was intact during the audit: run again, which audits it again")


class _State:
    """State of the archive `out`. Opening it completes the moves of a killed run, and removes other staged files."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / "_zeps"
        self.part = self.folder / "part"
        self.writing = self.folder / "writing"
        self.spans: dict[str, Spans] = {}
        state = read_json(self.folder / "state.json", _REMEDY) or {"streams": {}}
        self.origins: dict[str, Origin] = state.get("origins", {})
        for stream, spans in state["streams"].items():
            self._add(stream, spans)
        moving = read_json(self.folder / "moving.json", _REMEDY)
        if moving is not None:
            self._move(moving["files"])
            self._finish(moving)
        self.clear()

    def check(self, origins: Mapping[str, Origin]) -> None:
        """Raises PipelineError if a stream in the archive came from another journal."""
        for stream, origin in origins.items():
            if is_another(self.origins.get(stream, {}), origin):
                raise PipelineError(
                    f"{self.out} has the stream {stream!r} of another journal: archive into a new folder"
                )

    def stage(self) -> None:
        """Move the files of the written part to the staged files."""
        for path in self.writing.rglob("*.parquet"):
            target = self.part / path.relative_to(self.writing)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)

    def commit(self, spans: Sequence[tuple[str, int, int]], origins: Mapping[str, Origin]) -> None:
        """Move the staged files to their final folders, and record `spans` (stream, first, last) as archived. If a move
        fails, or the record cannot be written, the moves are undone.
        """
        _sync(self.part)
        files = sorted(str(path.relative_to(self.part)) for path in self.part.rglob("*.parquet"))
        moving = {"files": files, "spans": spans, "origins": origins}
        write_json(self.folder / "moving.json", moving)
        before = self._recorded()
        try:
            self._move(files)
            self._finish(moving)
        except BaseException:
            if self._recorded() == before:
                self._undo(files)
            raise

    def clear(self) -> None:
        """Remove staged files, unless their moves are not complete."""
        if not (self.folder / "moving.json").exists():
            shutil.rmtree(self.part, ignore_errors=True)
            shutil.rmtree(self.writing, ignore_errors=True)

    def _move(self, files: Sequence[str]) -> None:
        folders = {self.out}
        for name in files:
            source, target = self.part / name, self.out / name
            target.parent.mkdir(parents=True, exist_ok=True)
            folders |= {target.parent, target.parent.parent}
            if source.exists():
                _move_file(source, target)
            elif not target.exists():
                raise PipelineError(
                    f"{source}: this file of an unfinished run is missing; archive into a new folder"
                )
        for folder in folders:
            sync_path(folder)

    def _undo(self, files: Sequence[str]) -> None:
        """Move the files back, and remove the list of moves; if that fails, the next run completes the moves."""
        for name in files:
            source, target = self.part / name, self.out / name
            if target.exists() and not source.exists():
                target.rename(source)
            for folder in (target.parent, target.parent.parent):
                with suppress(OSError):
                    folder.rmdir()
        (self.folder / "moving.json").unlink()

    def _finish(self, moving: Mapping[str, Any]) -> None:
        """Record the moved files in the archive's state, and remove the list of moves."""
        self.origins |= moving.get("origins", {})
        for stream, first, last in moving["spans"]:
            self._add(stream, [[first, last]])
        spans = {stream: spans.spans() for stream, spans in self.spans.items()}
        write_json(self.folder / "state.json", {"streams": spans, "origins": self.origins})
        (self.folder / "moving.json").unlink()

    def _recorded(self) -> bytes | None:
        """The content of state.json; None if it does not exist."""
        try:
            return (self.folder / "state.json").read_bytes()
        except FileNotFoundError:
            return None

    def _add(self, stream: str, spans: Sequence[Span | list[int]]) -> None:
        for first, last in spans:
            self.spans.setdefault(stream, Spans()).add(first, last)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Hold the archive's lock; the kernel releases it if the process dies. Raises PipelineError if another run holds
    it. Folders that it created are removed after an exception if nothing was archived.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "lock"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PipelineError(
                f"{folder.parent}: another run is archiving into this folder; run again when it has ended"
            ) from None
        try:
            yield
        except BaseException:
            if made and not any(entry != path for entry in folder.iterdir()):
                path.unlink()
                with suppress(OSError):
                    for directory in made:
                        directory.rmdir()
            raise
    finally:
        os.close(fd)


def _move_file(source: Path, target: Path) -> None:
    source.rename(target)


def _sync(folder: Path) -> None:
    """Sync `folder` with all files and folders in it."""
    for path in [folder, *folder.rglob("*")]:
        sync_path(path)
