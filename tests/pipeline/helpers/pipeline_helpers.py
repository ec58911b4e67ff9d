"""Shared helpers of the pipeline's tests: sample messages, and journals as plain rows."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

import pyarrow as pa
from pyspark.sql.datasource import CaseInsensitiveDict, DataSourceReader
from pyspark.sql.streaming.datasource import ReadAllAvailable

from zeps_broker.journal.store import JournalStore
from zeps_pipeline.journal import (
    SCHEMA,
    BlockHead,
    Damage,
    MessageSelection,
    Segment,
    SegmentFile,
    list_segments,
    list_streams,
    read_segment,
    walk,
)
from zeps_pipeline.source.datasource import ZepsDataSource
from zeps_pipeline.source.stream import ZepsStreamReader
from zeps_wire.zeps import Deliver

Append = Callable[..., None]
Row = tuple[int, bytes, bytes]
BEGIN = 1_700_000_000 * 1_000_000
"""Time of the first block of a test's journal, in microseconds since 1970."""

BLOCKS = [
    [(f"k.{(block * 7 + i) % 30}", f"{block}/{i} ".encode() * (i % 5)) for i in range(size)]
    for block, size in enumerate([1, 40, 3, 1, 1, 17, 60, 2])
]
"""125 messages in eight blocks, with repeated keys and some empty bodies."""
ALL: list[Row] = [(n, key.encode(), body) for n, (key, body) in enumerate(chain(*BLOCKS), 1)]
"""The rows of BLOCKS: offset, key and value."""


def append_blocks(
    path: Path,
    stream: str,
    blocks: Iterable[Sequence[tuple[str, bytes]]],
    times: Iterable[int] | None = None,
    segment_bytes: int = 64 << 20,
) -> None:
    """Append blocks of messages (key, body) to a stream of the journal `path`. All messages of a block have one of
    `times`, in microseconds since 1970; by default a second apart, from BEGIN on.
    """
    store = JournalStore(path, sync="os", segment_bytes=segment_bytes)
    try:
        log = store.open(stream)
        for messages, time in zip(blocks, times or count(BEGIN, 1_000_000), strict=False):
            first = log.last_sequence + 1
            log.append([Deliver(first + i, *message).encode() for i, message in enumerate(messages)], time)
    finally:
        store.close()


def segment_of(path: Path) -> Segment:
    """The segment of the stream in the folder `path`, or whose file is `path`; it must be the only one."""
    folder = path if path.is_dir() else path.parent
    (segment,) = [
        candidate for candidate in list_segments("s", folder) if path.is_dir() or candidate.path == str(path)
    ]
    return segment


def heads_of(segment: Segment) -> list[BlockHead]:
    """The heads of the blocks, in file order."""
    with SegmentFile(segment.path, segment.size) as file:
        return [piece for piece in walk(segment, file) if isinstance(piece, BlockHead)]


@contextmanager
def edited(path: str | Path) -> Iterator[bytearray]:
    """Yields the file's bytes, and writes them back, changed, at the end."""
    data = bytearray(Path(path).read_bytes())
    yield data
    Path(path).write_bytes(data)


def pieces(
    path: Path, stream: str = "s", selection: MessageSelection | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch | Damage]:
    """Batches and damage of a stream, segment by segment."""
    folder = list_streams(path)[stream]
    return [
        piece
        for segment in list_segments(stream, folder)
        for piece in read_segment(segment, schema, selection)
    ]


def read(
    path: Path, stream: str = "s", selection: MessageSelection | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch]:
    """Batches of a stream that must not be damaged."""
    batches = pieces(path, stream, selection, schema)
    assert not [piece for piece in batches if isinstance(piece, Damage)]
    return batches


def rows_of(batches: Iterable[pa.RecordBatch | Damage]) -> list[Row]:
    """Offset, key and value of each row; damage is skipped."""
    return [
        (row["offset"], row["key"], row["value"])
        for batch in batches
        if not isinstance(batch, Damage)
        for row in batch.select(["offset", "key", "value"]).to_pylist()
    ]


def reader_of(**options: str) -> DataSourceReader:
    """The batch reader for these options, with all columns."""
    source = ZepsDataSource(CaseInsensitiveDict(options))
    return source.reader(source.schema())


def rows_read(reader: DataSourceReader) -> list[Row]:
    """The rows of all parts of a reader, in order. Reader and parts are pickled, as in Spark."""
    return [
        row
        for part in reader.partitions()
        for row in rows_of(pickle.loads(pickle.dumps(reader)).read(pickle.loads(pickle.dumps(part))))
    ]


def stream_reader_of(**options: str) -> ZepsStreamReader:
    """The stream reader for these options, with all columns."""
    source = ZepsDataSource(CaseInsensitiveDict(options))
    reader = source.streamReader(source.schema())
    assert isinstance(reader, ZepsStreamReader)
    return reader


def available(reader: ZepsStreamReader) -> tuple[dict[str, int], dict[str, int]]:
    """The first offset of a new query, and the offset after all messages that can be read now."""
    start = reader.initialOffset()
    return start, reader.latestOffset(start, ReadAllAvailable())


def batch_of(reader: ZepsStreamReader, start: dict[str, int], end: dict[str, int]) -> list[Row]:
    """The rows of a batch. Offsets are converted to JSON and back, as in a checkpoint, and parts are pickled."""
    start, end = json.loads(json.dumps(start)), json.loads(json.dumps(end))
    parts = [pickle.loads(pickle.dumps(part)) for part in reader.partitions(start, end)]
    return [row for part in parts for row in rows_of(reader.read(part))]
