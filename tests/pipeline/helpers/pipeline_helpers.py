"""What the pipeline's tests share: some messages, and a journal as plain rows."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
from pyspark.sql.datasource import CaseInsensitiveDict, DataSourceReader

from zeps_pipeline.journal import SCHEMA, Damage, Wanted, list_segments, list_streams, read_segment
from zeps_pipeline.source.datasource import ZepsDataSource
from zeps_pipeline.source.stream import ZepsStreamReader

Append = Callable[..., None]
Row = tuple[int, bytes, bytes]

BLOCKS = [
    [(f"k.{(block * 7 + i) % 30}", f"{block}/{i} ".encode() * (i % 5)) for i in range(size)]
    for block, size in enumerate([1, 40, 3, 1, 1, 17, 60, 2])
]
"""125 messages in eight blocks, with keys that come again and bodies that may be empty."""


def pieces(
    path: Path, stream: str = "s", wanted: Wanted | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch | Damage]:
    """All of a stream, segment by segment."""
    folder = list_streams(path)[stream]
    return [
        piece for segment in list_segments(stream, folder) for piece in read_segment(segment, schema, wanted)
    ]


def read(
    path: Path, stream: str = "s", wanted: Wanted | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch]:
    """All of a stream in which nothing is damaged."""
    batches = pieces(path, stream, wanted, schema)
    assert not [piece for piece in batches if isinstance(piece, Damage)]
    return batches


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """Offset, key and value of each row."""
    return [
        row
        for batch in batches
        for row in zip(
            batch.column("offset").to_pylist(),
            batch.column("key").to_pylist(),
            batch.column("value").to_pylist(),
            strict=True,
        )
    ]


def reader_of(**options: str) -> DataSourceReader:
    """The reader that Spark would get for these options, with all its columns."""
    source = ZepsDataSource(CaseInsensitiveDict(options))
    return source.reader(source.schema())


def rows_read(reader: DataSourceReader) -> list[Row]:
    """What the tasks of a reader hand out, one after another. As Spark does, each part is sent by pickle."""
    return [
        row
        for part in reader.partitions()
        for row in rows_of(pickle.loads(pickle.dumps(reader)).read(pickle.loads(pickle.dumps(part))))
    ]


def stream_reader_of(**options: str) -> ZepsStreamReader:
    """The reader that a streaming query would get for these options, with all its columns."""
    source = ZepsDataSource(CaseInsensitiveDict(options))
    reader = source.streamReader(source.schema())
    assert isinstance(reader, ZepsStreamReader)
    return reader


def batch_of(reader: ZepsStreamReader, start: dict[str, int], end: dict[str, int]) -> list[Row]:
    """What the tasks of a batch hand out. Offsets go through text, as in a checkpoint, and parts through pickle."""
    start, end = json.loads(json.dumps(start)), json.loads(json.dumps(end))
    parts = [pickle.loads(pickle.dumps(part)) for part in reader.partitions(start, end)]
    return [row for part in parts for row in rows_of(reader.read(part))]
