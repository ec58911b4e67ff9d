"""Batch reading without Spark: planning of parts, and their messages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from campaigns import sized
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_helpers import ALL, BLOCKS, Append, edited, heads_of, reader_of, rows_of, rows_read, segment_of
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual

from zeps_pipeline.errors import DataLossError, OptionError
from zeps_pipeline.journal import MessageSelection, list_segments
from zeps_pipeline.source.batch import narrowed


@settings(
    max_examples=sized(10, 300), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(parts=st.integers(1, 20), segment_bytes=st.sampled_from([600, 2000, 1 << 20]))
def test_any_number_of_parts_has_every_message_once(
    append: Append, tmp_path_factory: pytest.TempPathFactory, parts: int, segment_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("journal")
    append(BLOCKS, path=path, segment_bytes=segment_bytes)
    reader = reader_of(path=str(path), minPartitions=str(parts))
    planned = reader.partitions()
    assert len(planned) == min(parts, len(BLOCKS))
    assert rows_read(reader) == ALL


@pytest.mark.parametrize("large", [0, 4, 9])
@pytest.mark.parametrize("segment_bytes", [1 << 16, 1 << 24])
@pytest.mark.parametrize("parts", [2, 5, 10, 11])
def test_a_large_block_does_not_reduce_the_number_of_parts(
    append: Append, tmp_path: Path, large: int, segment_bytes: int, parts: int
) -> None:
    blocks = [[(f"k{n}", bytes(900_000 if n == large else 10_000))] for n in range(10)]
    append(blocks, segment_bytes=segment_bytes)
    reader = reader_of(path=str(tmp_path / "journal"), minPartitions=str(parts))
    assert len(reader.partitions()) == min(parts, 10)
    assert rows_read(reader) == [(n, key.encode(), body) for n, [(key, body)] in enumerate(blocks, 1)]


def test_a_journal_without_messages_is_one_empty_part(tmp_path: Path) -> None:
    reader = reader_of(path=str(tmp_path))
    assert len(reader.partitions()) == 1
    assert rows_read(reader) == []


def test_offsets_limit_the_read_messages(journal: Path) -> None:
    reader = reader_of(path=str(journal), startingOffsets='{"s": 40}', endingOffsets='{"s": 63}')
    assert rows_read(reader) == ALL[39:62]


def test_an_end_beyond_the_journal_is_data_loss(journal: Path) -> None:
    reader = reader_of(path=str(journal), endingOffsets='{"s": 1000}')
    with pytest.raises(DataLossError, match="ends before"):
        rows_read(reader)


def test_a_start_that_retention_took_is_data_loss(append: Append, tmp_path: Path) -> None:
    append(BLOCKS, segment_bytes=600)
    path = tmp_path / "journal"
    oldest = list_segments("s", path / "s")[0]
    Path(oldest.path).unlink()
    with pytest.raises(DataLossError, match="removed by retention"):
        reader_of(path=str(path), startingOffsets='{"s": 1}').partitions()
    lossy = reader_of(path=str(path), startingOffsets='{"s": 1}', failOnDataLoss="false")
    assert rows_read(lossy) == ALL[oldest.limit :]
    assert rows_read(reader_of(path=str(path))) == ALL[oldest.limit :]


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_a_time_is_where_its_block_begins(journal: Path, block: int) -> None:
    first = sum(len(messages) for messages in BLOCKS[:block])
    for milliseconds in (1_700_000_000_000 + 1000 * block, 1_700_000_000_000 + 1000 * block - 999):
        reader = reader_of(path=str(journal), startingTimestamp=str(milliseconds))
        assert rows_read(reader) == ALL[first:]


def test_a_time_after_the_end_reads_no_message(journal: Path) -> None:
    assert rows_read(reader_of(path=str(journal), startingTimestamp="2100-01-01T00:00:00")) == []


def test_a_damaged_time_does_not_hide_its_block(journal: Path) -> None:
    segment = segment_of(journal / "s")
    head = heads_of(segment)[5]
    with edited(segment.path) as data:
        data[head.at + 20 : head.at + 36] = bytes(16)  # first and last time
    reader = reader_of(path=str(journal), startingTimestamp="1700000005000")
    with pytest.raises(DataLossError, match="checksum"):
        rows_read(reader)


@pytest.mark.parametrize("block", range(len(BLOCKS) - 1))
def test_a_time_does_not_hide_lost_messages(journal: Path, block: int) -> None:
    segment = segment_of(journal / "s")
    heads = heads_of(segment)
    with edited(segment.path) as data:
        data[heads[block].at : heads[block].at + 20] = bytes(20)
    for at in range(len(BLOCKS)):
        reader = reader_of(path=str(journal), startingTimestamp=str(1_700_000_000_000 + 1000 * at))
        if at <= block + 1:
            # No readable time shows that the lost messages were stored before the block that follows them.
            with pytest.raises(DataLossError, match="no block begins here"):
                rows_read(reader)
        else:
            assert rows_read(reader) == ALL[heads[at].first_sequence - 1 :]


@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_damage_is_an_error_or_rows_or_skipped(journal: Path, damage: str) -> None:
    segment = segment_of(journal / "s")
    head = heads_of(segment)[1]
    with edited(segment.path) as data:
        if damage == "flip":
            data[head.at + 100] ^= 1
        else:
            del data[head.at : head.end]
    with pytest.raises(DataLossError, match=f"sequences {head.first_sequence} to {head.last_sequence} lost"):
        rows_read(reader_of(path=str(journal)))
    kept = [row for row in ALL if not head.first_sequence <= row[0] <= head.last_sequence]
    assert rows_read(reader_of(path=str(journal), failOnDataLoss="false")) == kept
    reader = reader_of(path=str(journal), includeDamage="true")
    rows = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
    (lost,) = [row for row in rows if row["damage"] is not None]
    assert (lost["damage"]["firstOffset"], lost["damage"]["lastOffset"]) == (2, 41)
    assert (lost["key"], lost["value"], lost["offset"]) == (None, None, 2)
    assert [row["offset"] for row in rows if row["damage"] is None] == [row[0] for row in kept]


def test_streams_are_chosen(append: Append, tmp_path: Path) -> None:
    for name in ("a", "ab", "b"):
        append([[(name, b"1")]], stream=name)
    path = str(tmp_path / "journal")
    choices = ({}, {"subscribe": "b,a"}, {"subscribePattern": "a.?"})
    keys = [[key for _, key, _ in rows_read(reader_of(path=path, **choice))] for choice in choices]
    assert keys == [[b"a", b"ab", b"b"], [b"a", b"b"], [b"a", b"ab"]]
    with pytest.raises(OptionError, match="no stream 'x'"):
        reader_of(path=path, subscribe="x").partitions()


@pytest.mark.parametrize("option", ["startingOffsets", "endingOffsets"])
def test_offsets_of_a_stream_that_is_not_there_are_refused(journal: Path, option: str) -> None:
    with pytest.raises(OptionError, match="has no stream 'S'; existing streams: s"):
        reader_of(path=str(journal), **{option: '{"S": 3}'}).partitions()


def test_columns_are_those_that_are_asked_for(journal: Path) -> None:
    reader = reader_of(path=str(journal), columns="offset,key")
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    assert {tuple(batch.schema.names) for batch in batches} == {("offset", "key")}
    with pytest.raises(OptionError, match="unknown column headers"):
        reader_of(path=str(journal), columns="headers")


def test_a_key_prefix_is_exact(journal: Path) -> None:
    assert rows_read(reader_of(path=str(journal), keyPrefix="k.2")) == [
        row for row in ALL if row[1].startswith(b"k.2")
    ]


SECOND = datetime(2023, 11, 14, 22, 13, 22, tzinfo=UTC)
MICROSECONDS = 1_700_000_002_000_000


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (GreaterThan(("offset",), 5), MessageSelection(first_sequence=6)),
        (LessThan(("offset",), 5), MessageSelection(last_sequence=4)),
        (EqualTo(("offset",), 5), MessageSelection(5, 5)),
        (GreaterThanOrEqual(("timestamp",), SECOND), MessageSelection(first_time=MICROSECONDS)),
        (
            LessThanOrEqual(("timestamp",), SECOND.replace(tzinfo=None)),
            MessageSelection(last_time=MICROSECONDS),
        ),
        (EqualTo(("key",), b"k.1"), MessageSelection(key_prefix=b"k.1")),
        (GreaterThan(("key",), b"k.1"), MessageSelection()),
        (EqualTo(("value",), b"x"), MessageSelection()),
    ],
)
def test_filters_narrow_the_selection(condition: Filter, expected: MessageSelection) -> None:
    got = narrowed(MessageSelection(), condition)
    assert got._replace(last_time=min(got.last_time, 2**63 - 1)) == expected._replace(
        last_time=min(expected.last_time, 2**63 - 1)
    )


def test_filters_skip_parts_and_are_returned_to_spark(append: Append, tmp_path: Path) -> None:
    append(BLOCKS, segment_bytes=600)
    reader = reader_of(path=str(tmp_path / "journal"), pushFilters="true")
    conditions: list[Filter] = [GreaterThan(("offset",), 60), EqualTo(("key",), b"k.20")]
    assert list(reader.pushFilters(conditions)) == conditions
    got = rows_read(reader)
    assert got == [row for row in ALL if row[0] > 60 and row[1] == b"k.20"]
    assert rows_of([]) == []


BEYOND: list[list[Filter]] = [
    [LessThan(("offset",), 10**6)],
    [LessThanOrEqual(("offset",), 2**63 - 2)],
    [EqualTo(("offset",), 10**6)],
    [GreaterThanOrEqual(("offset",), 100), LessThanOrEqual(("offset",), 10**6)],
]


@pytest.mark.parametrize("conditions", BEYOND)
@pytest.mark.parametrize("damage", ["false", "true"])
def test_a_filter_beyond_the_end_reads_the_existing_messages(
    append: Append, tmp_path: Path, conditions: list[Filter], damage: str
) -> None:
    append(BLOCKS, segment_bytes=600)
    reader = reader_of(path=str(tmp_path / "journal"), pushFilters="true", includeDamage=damage)
    list(reader.pushFilters(conditions))
    low = max(
        (
            condition.value
            for condition in conditions
            if not isinstance(condition, LessThan | LessThanOrEqual)
        ),
        default=0,
    )
    assert rows_read(reader) == [row for row in ALL if row[0] >= low]


def test_a_filter_does_not_change_the_sequences_that_offsets_require(journal: Path) -> None:
    for last, lost in ((100, False), (126, True)):
        reader = reader_of(path=str(journal), endingOffsets='{"s": 1000}', pushFilters="true")
        list(reader.pushFilters([LessThanOrEqual(("offset",), last)]))
        if lost:
            with pytest.raises(DataLossError, match=r"sequences? 126"):
                rows_read(reader)
        else:
            assert rows_read(reader) == ALL[:last]
