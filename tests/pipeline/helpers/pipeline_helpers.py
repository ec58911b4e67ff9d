"""Shared helpers of the pipeline's tests: sample messages, and journals as plain rows."""

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
"""125 messages in eight blocks, with repeated keys and some empty bodies."""


def pieces(
    path: Path, stream: str = "s", wanted: Wanted | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch | Damage]:
    """Batches and damage of a stream, segment by segment."""
    folder = list_streams(path)[stream]
    return [
        piece for segment in list_segments(stream, folder) for piece in read_segment(segment, schema, wanted)
    ]


def read(
    path: Path, stream: str = "s", wanted: Wanted | None = None, schema: pa.Schema = SCHEMA
) -> list[pa.RecordBatch]:
    """Batches of a stream that must not be damaged."""
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


def batch_of(reader: ZepsStreamReader, start: dict[str, int], end: dict[str, int]) -> list[Row]:
    """The rows of a batch. Offsets are converted to JSON and back, as in a checkpoint, and parts are pickled."""
    start, end = json.loads(json.dumps(start)), json.loads(json.dumps(end))
    parts = [pickle.loads(pickle.dumps(part)) for part in reader.partitions(start, end)]
    return [row for part in parts for row in rows_of(reader.read(part))]
