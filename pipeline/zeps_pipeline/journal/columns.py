"""Converts blocks to Arrow batches (key, value, stream, partition, offset, timestamp) without a loop over messages. The
frames of a block become the data of one binary array, in which every frame is four consecutive values: the bytes before
the key, the key, the body's length, and the body. Its offsets are computed from the block's column of frame ends; Arrow
then takes every fourth value as a column. If all frames and all keys have one size, the columns are slices of a matrix
of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from zeps_journal.block import BlockHead, Data
from zeps_journal.columns import PARTS, BlockColumns, HeldBlock, distinct_keys, key_numbers
from zeps_pipeline.errors import PipelineError

__all__ = ["SCHEMA", "SEQUENCE_MAX", "TIME_MAX", "BlockReader", "Columns", "matching_keys"]

SCHEMA = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("stream", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
    ]
)
"""All columns of messages. `offset` is the sequence; `partition` is 0, because a stream has one partition."""
SEQUENCE_MAX = 2**63 - 1
"""Highest sequence that fits a column of signed 64-bit integers."""
TIME_MAX = 253_402_214_400_000_000 - 1
"""End of 9999-12-30, which is in the year 9999 in every time zone. Later times are read as this one."""
_KEY, _BODY = 1, 3
"""Positions of the key and the body in the four values of a frame."""

Int64s = npt.NDArray[np.int64]


def matching_keys(head: BlockHead, index: Data, prefix: bytes) -> npt.NDArray[np.bool_]:
    """Mask of the block's messages whose key begins with `prefix`; `index` has at least the bytes before the frames."""
    offsets, data = distinct_keys(head, index)
    keys = pa.Array.from_buffers(pa.binary(), head.keys, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    matches: npt.NDArray[np.bool_] = pc.starts_with(keys, pattern=prefix).to_numpy(zero_copy_only=False)
    selected: npt.NDArray[np.bool_] = matches[key_numbers(head, index)]
    return selected


class BlockReader:
    """Converts blocks to batches with the columns of `schema`: some of :data:`SCHEMA`, in any order, nullable or not;
    another one raises PipelineError. With `key_prefix`, only messages whose key begins with it are included.
    """

    def __init__(self, schema: pa.Schema, stream: str, key_prefix: bytes = b"") -> None:
        unknown = [field.name for field in schema if SCHEMA.get_field_index(field.name) < 0]
        if unknown:
            raise PipelineError(f"unknown column {unknown[0]!r}; columns: {', '.join(SCHEMA.names)}")
        self.schema = schema
        self._stream = stream
        self._prefix = key_prefix

    def batch(self, blocks: Sequence[HeldBlock], first: int, last: int) -> pa.RecordBatch:
        """The messages of `blocks` from sequence `first` to `last` (inclusive), as one batch. The blocks ascend by
        sequence, and the caller has verified their checksums. Raises PipelineError if a block was written incorrectly,
        or if a sequence does not fit a column.
        """
        if blocks and blocks[-1][0].last_sequence > SEQUENCE_MAX:
            raise PipelineError(
                f"{self._stream}: sequences above {SEQUENCE_MAX} do not fit a column of integers"
            )
        columns = Columns(blocks, self._stream)
        rows = self._rows(blocks, columns.sequences, first, last)
        return pa.RecordBatch.from_arrays(
            [_GETTERS[field.name](columns, rows) for field in self.schema], schema=self.schema
        )

    def _rows(self, blocks: Sequence[HeldBlock], sequences: Int64s, first: int, last: int) -> Int64s | None:
        """Row numbers of the selected messages; None for all."""
        mask = None
        if self._prefix:
            mask = np.concatenate([matching_keys(head, data, self._prefix) for head, data in blocks])
        if len(sequences) and (sequences[0] < first or sequences[-1] > last):
            inside = (sequences >= first) & (sequences <= last)
            mask = inside if mask is None else mask & inside
        return None if mask is None or mask.all() else np.flatnonzero(mask)


class Columns:
    """The columns of some blocks. Each method takes the row numbers of the selected messages; None selects all."""

    def __init__(self, blocks: Sequence[HeldBlock], stream: str) -> None:
        self._blocks = BlockColumns(blocks)
        self.sequences: Int64s = self._blocks.sequences
        self._stream = stream
        self._parts: pa.Array | None = None
        self._matrix: npt.NDArray[np.uint8] | None = None
        """One row per frame, if all frames have one size and all keys have one size."""
        self._edges: dict[int, tuple[int, int]] = {}
        """Begin and end of key and body in a row of the matrix."""

    def keys(self, rows: Int64s | None) -> pa.Array:
        return self._take(_KEY, rows)

    def values(self, rows: Int64s | None) -> pa.Array:
        return self._take(_BODY, rows)

    def streams(self, rows: Int64s | None) -> pa.Array:
        return _repeated(self._stream, self._size(rows))

    def partitions(self, rows: Int64s | None) -> pa.Array:
        return _zeros(self._size(rows))

    def offsets(self, rows: Int64s | None) -> pa.Array:
        return pa.array(self.sequences if rows is None else self.sequences[rows])

    def timestamps(self, rows: Int64s | None) -> pa.Array:
        """Times at which the broker stored the messages; TIME_MAX for later ones."""
        times = np.minimum(self._blocks.times(), np.uint64(TIME_MAX)).astype(np.int64)
        return pa.array(times if rows is None else times[rows]).cast(SCHEMA.field("timestamp").type)

    def _size(self, rows: Int64s | None) -> int:
        return self._blocks.count if rows is None else len(rows)

    def _take(self, part: int, rows: Int64s | None) -> pa.Array:
        if self._parts is None:
            self._parts = self._split()
        if rows is None and self._matrix is not None:
            return _column(self._matrix, *self._edges[part])
        row_numbers = np.arange(self._blocks.count, dtype=np.int64) if rows is None else rows
        return self._parts.take(pa.array(row_numbers * PARTS + part))

    def _split(self) -> pa.Array:
        """All frames as one array, with four values per frame. Raises PipelineError if a frame is not a DELIVER."""
        try:
            data, bounds = self._blocks.parts()
        except ValueError as error:
            first = int(self.sequences[0])
            raise PipelineError(f"{self._stream}: blocks from sequence {first} on: {error}") from error
        self._see_whether_alike(data, bounds)
        return pa.Array.from_buffers(
            pa.binary(), self._blocks.count * PARTS, [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        )

    def _see_whether_alike(self, data: Data, bounds: npt.NDArray[np.int32]) -> None:
        size, key_end = int(bounds[1, 0]), int(bounds[0, 2])
        frames = bounds[:-1]
        if (bounds[1:, 0] - frames[:, 0] == size).all() and (frames[:, 2] - frames[:, 0] == key_end).all():
            self._matrix = np.frombuffer(data, np.uint8).reshape(self._blocks.count, size)
            self._edges = {_KEY: (int(bounds[0, 1]), key_end), _BODY: (int(bounds[0, 3]), size)}


def _column(matrix: npt.NDArray[np.uint8], begin: int, end: int) -> pa.Array:
    """The bytes from `begin` to `end` of each row, as one array."""
    count, size = len(matrix), end - begin
    # A copy even for one row, whose bytes are contiguous: the matrix may be borrowed memory.
    buffer = pa.py_buffer(matrix[:, begin:end].copy())
    return pa.Array.from_buffers(pa.binary(), count, [None, _offsets(count, size), buffer])


@lru_cache(maxsize=4)
def _offsets(count: int, size: int) -> pa.Buffer:
    return pa.py_buffer((np.arange(count + 1, dtype=np.int64) * size).astype(np.int32))


@lru_cache(maxsize=2)
def _repeated(text: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(text), count)


@lru_cache(maxsize=2)
def _zeros(count: int) -> pa.Array:
    return pa.array(np.zeros(count, np.int32))


_GETTERS: dict[str, Callable[[Columns, Int64s | None], Any]] = {
    "key": Columns.keys,
    "value": Columns.values,
    "stream": Columns.streams,
    "partition": Columns.partitions,
    "offset": Columns.offsets,
    "timestamp": Columns.timestamps,
}
"""The method for each column."""
