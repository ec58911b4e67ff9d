"""Audit of a journal as a Spark job: tasks read segments, the driver merges their reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from zeps_pipeline.audit.findings import Finding
from zeps_pipeline.audit.merge import Hole, Merged, SequenceRange, merge
from zeps_pipeline.audit.segment import Rate, audit_segment
from zeps_pipeline.journal import Segment, check_shared

__all__ = ["Audit", "StreamAudit", "audit", "balanced_groups"]

_REPORT = pa.schema(
    [
        ("number", pa.int32()),
        ("kind", pa.string()),
        ("at", pa.int64()),
        ("octets", pa.int64()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("begun", pa.int64()),
        ("ended", pa.int64()),
        ("begins_with", pa.int64()),
        ("reason", pa.string()),
    ]
)
"""Schema of a task's report. A row is a range of sequences, a hole or a rate of a segment; a rate's columns `at`,
`octets`, `first` and `last` hold its time, bytes, seconds and messages.
"""
_GROUP_BYTES = 256 << 20
"""Approximate upper limit for the bytes that one task reads."""
_RANGE, _RATE = "range", "rate"


@dataclass
class StreamAudit:
    """Audit of one stream: its segments, its merged pieces with the findings, and its rates."""

    stream: str
    segments: list[Segment]
    merged: Merged
    rates: list[Rate] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.segments)


@dataclass
class Audit:
    """Audit of a journal, stream by stream."""

    path: str
    streams: list[StreamAudit]

    @property
    def findings(self) -> list[Finding]:
        return [finding for stream in self.streams for finding in stream.merged.findings]


def audit(spark: SparkSession, path: str, segments: Sequence[Segment]) -> Audit:
    """Audit `segments` of the journal at `path`, which is only for the report. The segments are grouped by stream and
    ascend by sequence. A file that retention has removed since is left out, and so is a stream without other files.
    Raises Spark's error if a file cannot be read, and PipelineError if a task does not find a file that the driver has.
    """
    tasks = spark.sparkContext.defaultParallelism
    groups = balanced_groups([segment.size for segment in segments], tasks, _GROUP_BYTES)
    if not groups:
        return Audit(path, [])

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for group in batch.column(0).to_pylist():
                for number in groups[group]:
                    # A running broker's retention may have removed the file.
                    with suppress(FileNotFoundError):
                        yield _report(number, *audit_segment(segments[number]))

    rows = spark.range(0, len(groups), 1, len(groups)).mapInArrow(read, from_arrow_schema(_REPORT))
    reports = rows.toArrow()
    reported = set(reports.column("number").to_pylist())
    check_shared(segment.path for number, segment in enumerate(segments) if number not in reported)
    return _put_together(path, segments, reports)


def balanced_groups(sizes: Sequence[int], tasks: int, bytes_max: int) -> list[list[int]]:
    """Indexes into `sizes` in groups of neighbours with about equal sums of at most about `bytes_max`, in at most
    `tasks` groups if `bytes_max` allows that.
    """
    share = min(max(1, -(-sum(sizes) // tasks)), bytes_max)
    groups: dict[int, list[int]] = defaultdict(list)
    before = 0
    for number, size in enumerate(sizes):
        groups[(before + size // 2) // share].append(number)
        before += size
    return list(groups.values())


def _report(number: int, pieces: Sequence[SequenceRange | Hole], rates: Sequence[Rate]) -> pa.RecordBatch:
    rows = [
        *(
            (number, piece.kind, piece.at, piece.size, piece.first, piece.last, 0, 0, 0, piece.reason)
            if isinstance(piece, Hole)
            else (number, _RANGE, *piece[1:], "")
            for piece in pieces
        ),
        *(
            (number, _RATE, rate.time, rate.octets, rate.seconds, rate.messages, 0, 0, 0, "")
            for rate in rates
        ),
    ]
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, _REPORT, strict=True)], schema=_REPORT
    )


def _put_together(path: str, segments: Sequence[Segment], reports: pa.Table) -> Audit:
    pieces: dict[str, list[tuple[int, SequenceRange | Hole]]] = defaultdict(list)
    rates: dict[str, list[Rate]] = defaultdict(list)
    for row in zip(*(column.to_pylist() for column in reports.columns), strict=True):
        number, kind, at, size, first, last, begun, ended, begins_with, reason = row
        segment = segments[number]
        name = Path(segment.path).name
        if kind == _RATE:
            rates[segment.stream].append(Rate(at, first, last, size))
        elif kind == _RANGE:
            piece = SequenceRange(name, at, size, first, last, begun, ended, begins_with)
            pieces[segment.stream].append((number, piece))
        else:
            pieces[segment.stream].append((number, Hole(name, at, size, kind, first, last, reason)))
    return Audit(
        path,
        [
            StreamAudit(
                stream,
                [segment for segment in segments if segment.stream == stream],
                merge(
                    stream,
                    [
                        piece
                        for _, piece in sorted(numbered_pieces, key=lambda entry: (entry[0], entry[1].at))
                    ],
                ),
                sorted(rates[stream]),
            )
            for stream, numbered_pieces in pieces.items()
        ],
    )
