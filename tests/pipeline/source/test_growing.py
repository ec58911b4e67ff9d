"""Following journals without Spark: the two offsets of a batch always identify the same messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import sized
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_helpers import (
    ALL,
    BLOCKS,
    Append,
    available,
    batch_of,
    edited,
    heads_of,
    reader_of,
    rows_read,
    segment_of,
    stream_reader_of,
)
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows

from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.journal import list_segments
from zeps_pipeline.source.stream import ZepsStreamReader

EARLIEST = '{"s": -2}'
SEGMENT_BYTES = 600


def segments(path: Path) -> list[Path]:
    return [Path(segment.path) for segment in list_segments("s", path / "s")]


def earliest(journal: Path) -> dict[str, str]:
    return {"path": str(journal), "startingOffsets": "earliest"}


@settings(
    max_examples=sized(6, 150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    rows=st.one_of(st.none(), st.integers(1, 50)),
    bytes_max=st.one_of(st.none(), st.integers(1, 900)),
    parts=st.integers(1, 4),
    again=st.booleans(),
)
def test_batches_have_every_message_once_within_their_limits(
    append: Append,
    tmp_path_factory: pytest.TempPathFactory,
    rows: int | None,
    bytes_max: int | None,
    parts: int,
    again: bool,
) -> None:
    path = tmp_path_factory.mktemp("journal")
    append(BLOCKS, path=path, segment_bytes=SEGMENT_BYTES)
    options = {"path": str(path), "startingOffsets": EARLIEST, "minPartitions": str(parts)}
    if rows is not None:
        options["maxOffsetsPerTrigger"] = str(rows)
    if bytes_max is not None:
        options["maxBytesPerTrigger"] = str(bytes_max)
    reader = stream_reader_of(**options)
    offset, got = reader.initialOffset(), []
    while True:
        end = reader.latestOffset(offset, reader.getDefaultReadLimit())
        if end == offset:
            break
        # After a restart, another process knows only the two offsets.
        batch = batch_of(stream_reader_of(**options) if again else reader, offset, end)
        assert rows is None or len(batch) <= rows
        frames = sum(16 + len(key) + len(body) for _, key, body in batch)
        assert bytes_max is None or len(batch) == 1 or frames <= bytes_max
        got += batch
        offset = end
    assert got == ALL


def test_both_limits_apply_and_read_all_available_ignores_them(journal: Path) -> None:
    reader = stream_reader_of(
        path=str(journal), startingOffsets=EARLIEST, maxOffsetsPerTrigger="10", maxBytesPerTrigger="100"
    )
    start = reader.initialOffset()
    assert reader.getDefaultReadLimit() == ReadMaxRows(10)
    few = reader.latestOffset(start, ReadMaxRows(10))["stream:s"]
    assert 1 < few <= 11
    assert reader.latestOffset(start, ReadAllAvailable())["stream:s"] == len(ALL) + 1
    assert stream_reader_of(path="j", maxBytesPerTrigger="7").getDefaultReadLimit() == ReadMaxBytes(7)


def test_a_journal_that_grows_is_followed(append: Append, tmp_path: Path) -> None:
    reader = stream_reader_of(**earliest(tmp_path / "journal"))
    (tmp_path / "journal").mkdir()
    offset, end = available(reader)
    assert end == offset
    got = []
    for block in BLOCKS:
        append([block], segment_bytes=SEGMENT_BYTES)
        end = reader.latestOffset(offset, ReadAllAvailable())
        got.append(batch_of(reader, offset, end))
        offset = end
    assert [len(batch) for batch in got] == [len(block) for block in BLOCKS]
    assert [row for batch in got for row in batch] == ALL


def test_latest_begins_after_the_existing_messages(journal: Path, append: Append) -> None:
    reader = stream_reader_of(path=str(journal))
    offset = reader.initialOffset()
    append([[("new", b"1")]])
    end = reader.latestOffset(offset, ReadAllAvailable())
    assert batch_of(reader, offset, end) == [(len(ALL) + 1, b"new", b"1")]


def test_a_new_stream_is_read_from_its_beginning(journal: Path, append: Append) -> None:
    reader = stream_reader_of(path=str(journal), subscribePattern="s|t")
    offset = reader.initialOffset()
    append([[("first", b"1")], [("second", b"2")]], stream="t")
    append([[("not", b"wanted")]], stream="u")
    end = reader.latestOffset(offset, ReadAllAvailable())
    assert (end["from:t"], end["stream:t"]) == (1, 3)
    assert batch_of(reader, offset, end) == [(1, b"first", b"1"), (2, b"second", b"2")]
    append([[("more", b"3")]])
    after = reader.latestOffset(end, ReadAllAvailable())
    assert "from:t" not in after
    assert batch_of(reader, end, after) == [(len(ALL) + 1, b"more", b"3")]


@pytest.mark.parametrize("cut", [1, 30, 80])
def test_a_torn_tail_is_never_read_and_its_sequences_may_come_again(
    journal: Path, append: Append, cut: int
) -> None:
    (file,) = segments(journal)
    file.write_bytes(file.read_bytes()[:-cut])
    reader = stream_reader_of(**earliest(journal))
    offset, end = available(reader)
    whole = len(ALL) - len(BLOCKS[-1])
    assert batch_of(reader, offset, end) == ALL[:whole]
    append([[("again", b"another")]])
    after = reader.latestOffset(end, ReadAllAvailable())
    assert batch_of(reader, end, after) == [(whole + 1, b"again", b"another")]
    assert batch_of(reader, offset, end) == ALL[:whole]


def test_reported_messages_were_synced(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr("zeps_pipeline.source.growing.sync_path", synced.append)
    reader = stream_reader_of(**earliest(journal))
    _, end = available(reader)
    (file,) = segments(journal)
    assert synced == [str(file), str(journal / "s")]
    assert reader.latestOffset(end, ReadAllAvailable()) == end


def test_available_now_stops_at_the_messages_of_its_start(journal: Path, append: Append) -> None:
    reader = stream_reader_of(path=str(journal), startingOffsets="earliest", maxOffsetsPerTrigger="50")
    reader.prepareForTriggerAvailableNow()
    offset = reader.initialOffset()
    append([[("late", b"1")] * 5])
    append([[("late", b"1")]], stream="late")
    sizes = []
    while (end := reader.latestOffset(offset, ReadMaxRows(50))) != offset:
        sizes.append(len(batch_of(reader, offset, end)))
        offset = end
    assert sizes == [50, 50, 25]


def test_retention_that_overtakes_a_query_is_an_error(append: Append, tmp_path: Path) -> None:
    append(BLOCKS, segment_bytes=SEGMENT_BYTES)
    options = earliest(tmp_path / "journal")
    reader = stream_reader_of(**options)
    offset, end = available(reader)
    planned = reader.partitions(offset, end)
    oldest = list_segments("s", tmp_path / "journal" / "s")[0]
    Path(oldest.path).unlink()
    with pytest.raises(DataLossError, match="segment file does not exist"):
        [list(reader.read(part)) for part in planned]
    with pytest.raises(DataLossError, match="removed by retention"):
        stream_reader_of(**options).partitions(offset, end)
    with pytest.raises(DataLossError, match="removed by retention"):
        stream_reader_of(**options).latestOffset(offset, ReadAllAvailable())
    lossy = stream_reader_of(**options, failOnDataLoss="false")
    assert lossy.latestOffset(offset, ReadAllAvailable()) == end
    assert batch_of(lossy, offset, end) == ALL[oldest.limit :]


def test_another_journal_in_its_place_is_an_error(journal: Path, append: Append) -> None:
    reader = stream_reader_of(**earliest(journal))
    start, end = available(reader)
    for file in segments(journal):
        file.unlink()
    append([[("other", b"1")]])
    with pytest.raises(DataLossError, match="not the journal"):
        stream_reader_of(path=str(journal)).latestOffset(end, ReadAllAvailable())
    with pytest.raises(DataLossError, match="ends before"):
        batch_of(stream_reader_of(path=str(journal)), start, end)


@pytest.mark.parametrize("blocks", [0, 1])
def test_a_query_waits_until_another_journal_reaches_its_sequence_if_losses_are_skipped(
    journal: Path, append: Append, caplog: pytest.LogCaptureFixture, blocks: int
) -> None:
    """Without blocks the stream's folder is empty."""
    start, end = available(stream_reader_of(**earliest(journal)))
    for file in segments(journal):
        file.unlink()
    append([[("other", b"1")]] * blocks)
    reader = stream_reader_of(path=str(journal), failOnDataLoss="false")
    for _ in range(2):
        assert reader.latestOffset(end, ReadAllAvailable()) == end
    (warning,) = caplog.messages
    assert warning.startswith(f"s: the journal ends before sequence {blocks + 1}, but 126 should be next")
    assert batch_of(reader, start, end) == [(1, b"other", b"1")] * blocks
    append([[("other", b"2")] * len(ALL)])
    after = reader.latestOffset(end, ReadAllAvailable())
    assert batch_of(reader, end, after) == [(n, b"other", b"2") for n in range(126, 126 + blocks)]


def test_a_journal_without_segments_is_an_error_for_a_query_that_has_read_it(journal: Path) -> None:
    start, end = available(stream_reader_of(**earliest(journal)))
    for file in segments(journal):
        file.unlink()
    reader = stream_reader_of(path=str(journal))
    with pytest.raises(DataLossError, match="ends before sequence 1, but 126 should be next"):
        reader.latestOffset(end, ReadAllAvailable())
    with pytest.raises(DataLossError, match="ends before sequence 1, but 126 should be next"):
        reader.partitions(start, end)


def test_available_now_reports_another_journal(journal: Path, append: Append) -> None:
    _, end = available(stream_reader_of(**earliest(journal)))
    for file in segments(journal):
        file.unlink()
    append([[("other", b"1")]])
    reader = stream_reader_of(path=str(journal))
    reader.prepareForTriggerAvailableNow()
    with pytest.raises(DataLossError, match="not the journal"):
        reader.latestOffset(end, ReadAllAvailable())


def test_a_removed_stream_is_an_error(journal: Path) -> None:
    reader = stream_reader_of(**earliest(journal))
    start = reader.initialOffset()
    (journal / "s").rename(journal / "elsewhere")
    with pytest.raises(DataLossError, match="does not exist or is not selected"):
        reader.latestOffset(start, ReadAllAvailable())


def test_a_query_continues_without_a_removed_stream_if_losses_are_skipped(
    journal: Path, append: Append
) -> None:
    append([[("k", b"1")]], stream="t")
    start, end = available(stream_reader_of(**earliest(journal)))
    (journal / "s").rename(journal.parent / "elsewhere")
    lossy = stream_reader_of(**earliest(journal), failOnDataLoss="false")
    assert lossy.latestOffset(start, ReadAllAvailable())["stream:t"] == 2
    assert batch_of(lossy, start, end) == [(1, b"k", b"1")]
    with pytest.raises(DataLossError, match="no longer has the stream 's'"):
        batch_of(stream_reader_of(**earliest(journal)), start, end)


def test_damage_is_reported_by_the_batch_that_has_it(journal: Path) -> None:
    (file,) = segments(journal)
    with edited(file) as data:
        data[len(data) // 2] ^= 1
    reader = stream_reader_of(**earliest(journal))
    start, end = available(reader)
    assert end["stream:s"] == len(ALL) + 1
    with pytest.raises(DataLossError, match="checksum"):
        batch_of(reader, start, end)


def test_a_checkpoint_of_another_version_is_refused(journal: Path) -> None:
    with pytest.raises(PipelineError, match="version"):
        stream_reader_of(path=str(journal)).latestOffset({"version": 2}, ReadAllAvailable())


def test_a_stream_without_segments_does_not_block_others(journal: Path, append: Append) -> None:
    (journal / "empty").mkdir()
    assert rows_read(reader_of(path=str(journal))) == ALL
    for starting in ("earliest", "latest"):
        reader = stream_reader_of(path=str(journal), startingOffsets=starting)
        start, end = available(reader)
        assert batch_of(reader, start, end) == (ALL if starting == "earliest" else [])
        (journal / "empty").mkdir(exist_ok=True)
        append([[("first", b"1")]], stream="empty")
        after = reader.latestOffset(end, ReadAllAvailable())
        assert batch_of(reader, end, after) == [(1, b"first", b"1")]
        for file in (journal / "empty").iterdir():
            file.unlink()


@pytest.mark.parametrize("lost", ["in a segment", "at its end"])
def test_messages_missing_at_a_batchs_end_are_reported_by_that_batch(
    append: Append, tmp_path: Path, lost: str
) -> None:
    append([[("k", b"x" * 50)] * 3] * 4 + [[("k", b"y" * 500)] * 3] * 4, segment_bytes=1000)
    oldest = list_segments("s", tmp_path / "journal" / "s")[0]
    gone = heads_of(oldest)[-2 if lost == "in a segment" else -1]
    with edited(oldest.path) as data:
        del data[gone.at : gone.end]
    reported = set()
    for limit in range(100, 1000, 75):
        options = {**earliest(tmp_path / "journal"), "maxBytesPerTrigger": str(limit)}
        reader = stream_reader_of(**options)
        offset = reader.initialOffset()
        while (end := reader.latestOffset(offset, ReadMaxBytes(limit))) != offset:
            results = [
                read_or_lost(stream_reader, offset, end)
                for stream_reader in (reader, stream_reader_of(**options))
            ]
            assert results[0] == results[1]
            sequences = range(offset["stream:s"], end["stream:s"])
            missing = [n for n in sequences if gone.first_sequence <= n <= gone.last_sequence]
            assert results[0] == (None if missing else [*sequences])
            reported |= {limit} if missing else set()
            offset = end
    assert reported == {*range(100, 1000, 75)}


def read_or_lost(reader: ZepsStreamReader, start: dict[str, int], end: dict[str, int]) -> list[int] | None:
    """The sequences of a batch; None if some are reported as lost."""
    try:
        return [row[0] for row in batch_of(reader, start, end)]
    except DataLossError:
        return None


@pytest.mark.parametrize("limit", [3, 5, 6, 100])
def test_damage_without_lost_messages_is_reported_by_one_batch(
    append: Append, tmp_path: Path, limit: int
) -> None:
    append([[("k", b"x")] * 3] * 4)
    path = tmp_path / "journal"
    segment = segment_of(path / "s")
    second = heads_of(segment)[1]
    with edited(segment.path) as data:
        data[3] ^= 1
        data[second.end : second.end] = data[second.at : second.end]
    options = {**earliest(path), "includeDamage": "true", "maxOffsetsPerTrigger": str(limit)}
    reader = stream_reader_of(**options)
    offset, reported = reader.initialOffset(), []
    for _ in range(2):
        while (end := reader.latestOffset(offset, ReadMaxRows(limit))) != offset:
            batch = batch_of(reader, offset, end)
            assert batch_of(stream_reader_of(**options), offset, end) == batch
            reported += [row[0] for row in batch if row[1] is None]
            offset = end
        append([[("k", b"x")] * 3])
    assert reported == [1, 7]
    assert batch_of(reader, {"version": 1, "stream:s": 8}, offset) == [(n, b"k", b"x") for n in range(8, 16)]
