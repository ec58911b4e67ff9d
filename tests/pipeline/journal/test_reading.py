"""Batches of a journal have exactly the selected messages, for any sizes of blocks and segments."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from campaigns import sized
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_helpers import ALL, BLOCKS, Append, append_blocks, heads_of, read, rows_of, segment_of

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.journal import (
    SCHEMA,
    BlockHead,
    BlockReader,
    MessageSelection,
    SegmentFile,
    list_segments,
    list_streams,
)
from zeps_pipeline.journal.columns import TIME_MAX


def test_all_columns(append: Append, tmp_path: Path) -> None:
    append([[("a", b"1"), ("bc", b"")], [("", b"33")]], stream="Ströme/x")
    (batch,) = read(tmp_path / "journal", "Ströme/x")
    assert batch.schema.equals(SCHEMA)
    second = datetime.fromtimestamp(1_700_000_001, UTC)
    assert batch.to_pylist()[2] == {
        "key": b"",
        "value": b"33",
        "stream": "Ströme/x",
        "partition": 0,
        "offset": 3,
        "timestamp": second,
    }
    assert rows_of([batch]) == [(1, b"a", b"1"), (2, b"bc", b""), (3, b"", b"33")]


def test_only_the_columns_that_are_asked_for_in_their_order(append: Append, tmp_path: Path) -> None:
    append([[("a", b"1")]])
    schema = pa.schema([SCHEMA.field("offset"), SCHEMA.field("key").with_nullable(False)])
    (batch,) = read(tmp_path / "journal", schema=schema)
    assert batch.schema.equals(schema)
    assert batch.to_pylist() == [{"offset": 1, "key": b"a"}]


def test_segments_of_any_size_are_read_alike(append: Append, tmp_path: Path) -> None:
    append(BLOCKS, segment_bytes=600)
    (folder,) = list_streams(tmp_path / "journal").values()
    assert len(list_segments("s", folder)) > 5
    assert rows_of(read(tmp_path / "journal")) == ALL


@settings(max_examples=sized(20, 600), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=5), min_size=1, max_size=5), st.booleans())
def test_bodies_of_any_size(
    append: Append, tmp_path_factory: pytest.TempPathFactory, sizes: list[list[int]], few: bool
) -> None:
    """Short and long bodies side by side, in one block and in several."""
    numbers = iter(range(1, 1000))
    blocks = [[(f"{size % 3}", next(numbers).to_bytes(2, "big") * size) for size in block] for block in sizes]
    folder = tmp_path_factory.mktemp("sizes")
    append(blocks, path=folder)
    selection = MessageSelection(key_prefix=b"1") if few else None
    got = rows_of(read(folder, selection=selection))
    messages = enumerate((message for block in blocks for message in block), 1)
    assert got == [(n, key.encode(), body) for n, (key, body) in messages if not few or key == "1"]


def test_a_block_that_was_written_incorrectly_is_an_error(journal: Path) -> None:
    """Although its checksum may be valid, invalid lengths are not followed."""
    segment = segment_of(journal / "s")
    head = heads_of(segment)[0]
    data = bytearray(Path(segment.path).read_bytes()[head.at : head.end])
    data[head.frames_at + 11] = 0xFF  # the first key's length
    with pytest.raises(PipelineError, match="s: blocks from sequence 1 on: frames that are not DELIVERs"):
        BlockReader(SCHEMA, "s").batch([(head, pa.py_buffer(bytes(data)))], 1, 2**62)


def test_a_name_too_long_for_a_folder_comes_from_the_header(append: Append, tmp_path: Path) -> None:
    name = "Ä" * 120
    append([[("a", b"1")]], stream=name)
    assert list(list_streams(tmp_path / "journal")) == [name]
    assert rows_of(read(tmp_path / "journal", name)) == [(1, b"a", b"1")]


def test_a_streams_own_folder_is_a_journal_of_that_stream(append: Append, tmp_path: Path) -> None:
    append([[("a", b"1")]], stream="a b")
    (folder,) = list_streams(tmp_path / "journal").values()
    assert list_streams(folder) == {"a b": folder}


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="cannot list the streams"):
        list_streams(tmp_path / "nowhere")


@settings(max_examples=sized(20, 600), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 126), st.integers(0, 125), st.sampled_from(["", "k", "k.1", "k.17", "absent"]))
def test_ranges_and_prefixes_are_exact(journal: Path, first: int, last: int, prefix: str) -> None:
    selection = MessageSelection(first, last, prefix.encode())
    expected = [row for row in ALL if first <= row[0] <= last and row[1].startswith(prefix.encode())]
    assert rows_of(read(journal, selection=selection)) == expected


def test_times_leave_out_whole_blocks_only(journal: Path) -> None:
    second = 1_700_000_002 * 1_000_000
    got = rows_of(read(journal, selection=MessageSelection(first_time=second, last_time=second)))
    assert [body for _, _, body in got] == [body for _, body in BLOCKS[2]]


def test_skipped_blocks_are_not_read_beyond_their_index(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bytes_read = 0

    def counted(original: Callable[[SegmentFile, BlockHead], pa.Buffer]) -> object:
        def count(self: SegmentFile, head: BlockHead) -> pa.Buffer:
            nonlocal bytes_read
            block = original(self, head)
            bytes_read += block.size
            return block

        return count

    monkeypatch.setattr(SegmentFile, "block", counted(SegmentFile.block))
    monkeypatch.setattr(SegmentFile, "borrow", counted(SegmentFile.borrow))
    # The file's last block is always read completely.
    assert not list(read(journal, selection=MessageSelection(key_prefix=b"absent")))
    alone = bytes_read
    assert list(read(journal))
    assert bytes_read > 3 * alone > 0


@pytest.mark.parametrize(
    "sizes",
    [[300_000, 40_000, 3_000_000, 5_000_000, 10, 200_000, 4_500_000, 600_000], [5_000_000] * 3],
)
def test_batches_are_unchanged_while_others_are_read(
    append: Append, tmp_path: Path, sizes: list[int]
) -> None:
    blocks = [[(f"k{n}", bytes([n]) * size)] for n, size in enumerate(sizes)]
    append(blocks)
    batches = list(read(tmp_path / "journal"))
    assert len(batches) > 2
    assert rows_of(batches) == [(n, key.encode(), body) for n, ((key, body),) in enumerate(blocks, 1)]


def test_a_failed_read_is_repeated_page_by_page(
    append: Append, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append([[("a", bytes(100_000))], [("b", bytes(200_000))]])

    def broken(*arguments: object) -> int:
        raise OSError(errno.EIO, "the device is broken")

    monkeypatch.setattr(os, "preadv", broken)
    assert [(n, key) for n, key, _ in rows_of(read(tmp_path / "journal"))] == [(1, b"a"), (2, b"b")]


def test_sequences_that_do_not_fit_a_column_are_refused(journal: Path) -> None:
    segment = segment_of(journal / "s")
    head = heads_of(segment)[0]
    data = pa.py_buffer(Path(segment.path).read_bytes()[head.at : head.end])
    with pytest.raises(PipelineError, match="sequences above"):
        BlockReader(SCHEMA, "s").batch([(head._replace(first_sequence=2**63), data)], 1, 2**64)


def test_a_folder_without_segments_is_a_stream_without_messages(journal: Path) -> None:
    (journal / "empty").mkdir()
    assert list_segments("empty", journal / "empty") == []
    assert len(rows_of(read(journal))) == sum(map(len, BLOCKS))
    assert read(journal, "empty") == []


@pytest.mark.parametrize("time", [300_000_000_000_000_000, 2**63, 2**64 - 1])
def test_times_beyond_the_calendar_are_read_as_its_end(tmp_path: Path, time: int) -> None:
    append_blocks(tmp_path / "journal", "s", [[("k", b"")] * 2], [time])
    last = datetime(9999, 12, 30, 23, 59, 59, 999_999, UTC)
    (batch,) = read(tmp_path / "journal")
    assert batch.column("timestamp").to_pylist() == [last, last]
    assert (
        len(read(tmp_path / "journal", selection=MessageSelection(last_time=TIME_MAX, first_time=TIME_MAX)))
        == 1
    )
    assert not read(tmp_path / "journal", selection=MessageSelection(last_time=TIME_MAX - 1))
