"""Reading a live broker without Spark: delivered messages are replayed unchanged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from killable_broker import KillableBroker, publish_rows
from pipeline_helpers import batch_of, reader_of, rows_of, rows_read, stream_reader_of
from pyspark.sql.datasource import DataSourceReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows

from zeps_broker.core.settings import Settings
from zeps_broker.service.config import Config
from zeps_broker.service.embedded import EmbeddedBroker
from zeps_broker.transport.certificates import make_certificates
from zeps_broker.transport.options import CurveOptions, RouterOptions
from zeps_client import Client, Curve
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.source.live import _replay
from zeps_pipeline.source.options import read_options
from zeps_pipeline.source.stream import ZepsStreamReader
from zeps_wire.journal import Segment

MESSAGES = [(f"k.{n % 7}", b"%d" % n) for n in range(1, 201)]
ALL = [(n, key.encode(), body) for n, (key, body) in enumerate(MESSAGES, 1)]
Following = Callable[..., ZepsStreamReader]


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as made:
        yield made


def publish(broker: EmbeddedBroker, messages: list[tuple[str, bytes]], stream: str = "s") -> None:
    publish_rows(broker.endpoint, stream, messages)


@pytest.fixture
def following() -> Iterator[Following]:
    """`following(broker, **options)` returns a stream reader that is stopped after the test."""
    with ExitStack() as stops:

        def make(broker: EmbeddedBroker, **options: str) -> ZepsStreamReader:
            reader = stream_reader_of(**given(broker, **options))
            stops.callback(reader.stop)
            return reader

        yield make


def given(broker: EmbeddedBroker, **options: str) -> dict[str, str]:
    return {"zeps.endpoint": broker.endpoint, "subscribe": "s", **options}


def follow(reader: ZepsStreamReader, offset: dict[str, int], upto: int, limit: object = None) -> list[int]:
    """Read batches until `upto` messages have arrived. Returns the sizes of the batches."""
    sizes: list[int] = []
    while sum(sizes) < upto:
        end = reader.latestOffset(offset, limit or reader.getDefaultReadLimit())  # type: ignore[arg-type]
        batch = batch_of(reader, offset, end)
        assert [row[0] for row in batch] == list(range(sum(sizes) + 1, sum(sizes) + len(batch) + 1))
        sizes += [len(batch)] if batch else []
        offset = end
    return sizes


def test_batch_reads_the_existing_messages(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    assert rows_read(reader_of(**given(broker, minPartitions="3"))) == ALL
    assert rows_read(reader_of(**given(broker, keyPrefix="k.3"))) == [row for row in ALL if row[1] == b"k.3"]
    bounded = given(broker, startingOffsets='{"s": 20}', endingOffsets='{"s": 30}')
    assert rows_read(reader_of(**bounded)) == ALL[19:29]


@pytest.mark.parametrize("loss", ["true", "false"])
def test_the_users_end_need_not_have_the_prefix(broker: EmbeddedBroker, loss: str) -> None:
    publish(broker, MESSAGES)
    options = given(
        broker, keyPrefix="k.3", failOnDataLoss=loss, endingOffsets='{"s": 201}', minPartitions="3"
    )
    for starting in ({}, {"startingOffsets": '{"s": 1}'}):
        reader = reader_of(**options, **starting, **{"zeps.timeout": "5"})
        assert rows_read(reader) == [row for row in ALL if row[1] == b"k.3"]


def test_an_empty_stream_has_no_rows(broker: EmbeddedBroker) -> None:
    assert rows_read(reader_of(**given(broker))) == []


def test_batches_keep_to_their_limits(broker: EmbeddedBroker, following: Following) -> None:
    publish(broker, MESSAGES)
    reader = following(broker, startingOffsets="earliest")
    assert max(follow(reader, reader.initialOffset(), 200, ReadMaxRows(70))) <= 70
    # Each frame has from 20 to 22 bytes.
    assert max(follow(reader, reader.initialOffset(), 200, ReadMaxBytes(1000))) <= 50


def test_two_offsets_name_the_same_messages_for_another_process(
    broker: EmbeddedBroker, following: Following
) -> None:
    publish(broker, MESSAGES)
    first = following(broker, startingOffsets="earliest")
    start = first.initialOffset()
    end = first.latestOffset(start, ReadMaxRows(50))
    assert (end["from:s"], end["stream:s"]) == (1, 51)
    publish(broker, [("late", b"")] * 10)
    second = following(broker, startingOffsets="earliest", minPartitions="4")
    assert len(second.partitions(start, end)) == 4
    assert batch_of(second, start, end) == ALL[:50]


def test_latest_begins_with_the_next_message(broker: EmbeddedBroker, following: Following) -> None:
    publish(broker, MESSAGES)
    reader = following(broker)
    start = reader.initialOffset()
    assert start["stream:s"] == 201
    assert reader.latestOffset(start, ReadAllAvailable()) == start
    publish(broker, [("new", b"1"), ("new", b"2")])
    while (end := reader.latestOffset(start, ReadAllAvailable())) == start:
        pass
    assert batch_of(reader, start, end)[0] == (201, b"new", b"1")


def test_available_now_ends_though_messages_keep_coming(broker: EmbeddedBroker, following: Following) -> None:
    publish(broker, MESSAGES)
    reader = following(broker, startingOffsets="earliest")
    reader.prepareForTriggerAvailableNow()
    publish(broker, [("late", b"")] * 10)
    offset, got = reader.initialOffset(), []
    while (end := reader.latestOffset(offset, ReadMaxRows(90))) != offset:
        got += batch_of(reader, offset, end)
        offset = end
    assert got == ALL


@pytest.fixture
def segments(tmp_path: Path) -> Config:
    """Configuration of a broker whose stream has 200 messages of 500 bytes, in segments of about 15 messages."""
    config = Config()
    config = replace(config, journal=replace(config.journal, segment_bytes=8192))
    with EmbeddedBroker(tmp_path / "data", config=config) as broker:
        for block in range(20):
            publish(
                broker, [(f"k.{n % 7}", b"%3d" % n + bytes(500)) for n in range(10 * block, 10 * block + 10)]
            )
    return config


def files(folder: Path) -> list[Path]:
    return sorted((folder / "data" / "s").glob("*.segment"))


MATCHING: list[dict[str, str]] = [{}, {"keyPrefix": "k.3"}, {"keyPrefix": "k.3", "zeps.matching": "prefix"}]


@pytest.mark.parametrize("matching", MATCHING)
def test_messages_removed_by_retention_are_an_error(
    segments: Config, tmp_path: Path, matching: dict[str, str]
) -> None:
    for file in files(tmp_path)[:4]:
        file.unlink()
    first = int(files(tmp_path)[0].stem)
    assert 20 < first < 150
    start, end = {"version": 1, "stream:s": 11}, {"version": 1, "stream:s": 181}
    with EmbeddedBroker(tmp_path / "data", config=segments) as broker:
        strict = stream_reader_of(**given(broker, minPartitions="3", **matching))
        with pytest.raises(
            DataLossError, match=rf"not-retained.*; sequences 11 to {min(first - 1, 66)} lost"
        ):
            batch_of(strict, start, end)
        lossy = stream_reader_of(**given(broker, failOnDataLoss="false", minPartitions="3", **matching))
        offsets = [row[0] for row in batch_of(lossy, start, end)]
        assert offsets == [n for n in range(first, 181) if not matching or (n - 1) % 7 == 3]
        everything = [row[0] for row in rows_read(reader_of(**given(broker, **matching)))]
        assert everything == [n for n in range(first, 201) if not matching or (n - 1) % 7 == 3]


@pytest.mark.parametrize("matching", MATCHING)
def test_damage_is_the_same_as_when_reading_the_folder(
    segments: Config, tmp_path: Path, matching: dict[str, str]
) -> None:
    for file in (files(tmp_path)[3], files(tmp_path)[7], files(tmp_path)[-1]):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    folder = damage_in(reader_of(path=str(tmp_path / "data" / "s"), includeDamage="true"))
    assert len(folder) == 3
    with EmbeddedBroker(tmp_path / "data", config=segments) as broker:
        options = given(broker, **matching)
        assert damage_in(reader_of(includeDamage="true", **options)) == folder
        with pytest.raises(DataLossError, match="damage"):
            rows_read(reader_of(**options))
        rows = rows_read(reader_of(failOnDataLoss="false", **options))
    lost = {n for first, last in folder for n in range(first, last + 1)}
    assert [row[0] for row in rows] == [
        n for n in range(1, 201) if n not in lost and (not matching or (n - 1) % 7 == 3)
    ]


def damage_in(reader: DataSourceReader) -> list[tuple[int, int]]:
    """Ranges of sequences in the reader's column `damage`; ranges that touch are joined."""
    lost_ranges = [
        (row["firstOffset"], row["lastOffset"])
        for part in reader.partitions()
        for batch in reader.read(part)
        for row in batch.column("damage").to_pylist()
        if row is not None and row["lastOffset"] >= row["firstOffset"]
    ]
    joined: list[tuple[int, int]] = []
    for first, last in sorted(lost_ranges):
        if joined and joined[-1][1] + 1 == first:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined


def test_with_prefix_matching_the_broker_sends_only_selected_messages(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    options = read_options(given(broker, keyPrefix="k.3", **{"zeps.matching": "prefix"}))
    pieces = list(_replay("s", options, 1, 200, "k.3"))
    assert [message.sequence for piece in pieces if isinstance(piece, list) for message in piece] == [
        n for n in range(1, 201) if n % 7 == 3 or n == 200
    ]


def test_a_stream_that_ends_before_the_read_sequences_is_an_error(
    broker: EmbeddedBroker, following: Following, caplog: pytest.LogCaptureFixture
) -> None:
    publish(broker, MESSAGES[:20])
    start, end = {"version": 1, "stream:s": 51}, {"version": 1, "stream:s": 101}
    strict = following(broker)
    lossy = following(broker, failOnDataLoss="false")
    with pytest.raises(DataLossError, match="ends with sequence 20, but the query has read up to 50"):
        strict.latestOffset(start, ReadAllAvailable())
    for _ in range(3):
        assert lossy.latestOffset(start, ReadAllAvailable()) == start
    (warning,) = caplog.messages
    assert warning.startswith("s: the stream ends with sequence 20, but the query has read up to 50")
    with pytest.raises(DataLossError, match="ends with sequence 20, but the query has read up to 100"):
        batch_of(strict, start, end)
    assert batch_of(lossy, start, end) == []
    publish(broker, MESSAGES[20:60])
    assert lossy.latestOffset(start, ReadAllAvailable())["stream:s"] == 61


@pytest.fixture
def killable(tmp_path: Path) -> Iterator[KillableBroker]:
    broker = KillableBroker(tmp_path)
    broker.start()
    yield broker
    broker.end()


@pytest.mark.parametrize("size", [1_000, 1_000_000], ids=["reader-past-backup", "reader-within-backup"])
def test_a_stream_that_is_replaced_during_a_read_is_an_error(
    killable: KillableBroker, tmp_path: Path, size: int
) -> None:
    """The broker restarts with a restored backup of 10 messages, to which others have published. The stream is larger
    than a client receives in advance; with large messages, so is the backup.
    """
    made = [("k", b"%d" % n + bytes(size)) for n in range(30_000_000 // size)]
    publish_rows(killable.endpoint, "s", made[:10])
    killable.kill()
    shutil.copytree(killable.data, tmp_path / "backup")
    killable.start()
    publish_rows(killable.endpoint, "s", made[10:])
    options = {"zeps.endpoint": killable.endpoint, "subscribe": "s", "failOnDataLoss": "false"}
    reader = reader_of(**options)
    (part,) = reader.partitions()
    batches = reader.read(part)
    rows = rows_of([next(batches)])
    killable.kill()
    shutil.rmtree(killable.data)
    (tmp_path / "backup").rename(killable.data)
    killable.start()
    publish_rows(killable.endpoint, "s", [("k", b"another")] * 5)
    with pytest.raises(DataLossError, match="another stream"):
        rows += rows_of(batches)
    assert b"another" not in {row[2] for row in rows}


def test_an_unreachable_broker_is_an_error() -> None:
    options = {"zeps.endpoint": "tcp://127.0.0.1:9", "subscribe": "s", "zeps.timeout": "0.3"}
    with pytest.raises(PipelineError, match="querying the end of s"):
        reader_of(**options).partitions()


def test_a_broker_with_keys_is_read_with_keys(tmp_path: Path) -> None:
    server, secret = make_certificates(tmp_path, "broker")
    _, own = make_certificates(tmp_path / "clients", "spark")
    config = Config(transport=RouterOptions(curve=CurveOptions(secret, tmp_path / "clients")))
    with EmbeddedBroker(config=config) as broker:
        with Client(broker.endpoint, "s", curve=Curve.load(server, own)) as client:
            client.publish_many(MESSAGES)
            client.flush(30)
        keys = {"zeps.serverKey": str(server), "zeps.key": str(own)}
        assert rows_read(reader_of(**given(broker, **keys))) == ALL
        with pytest.raises(PipelineError, match="the broker rejects this client's key"):
            rows_read(reader_of(**given(broker, **{"zeps.serverKey": str(server), "zeps.timeout": "1"})))


@pytest.mark.parametrize("loss", ["true", "false"])
def test_a_prefix_is_not_a_regular_expression(tmp_path: Path, loss: str) -> None:
    config = Config(core=Settings(matching=(("s", "regex"),)))
    with EmbeddedBroker(tmp_path / "data", config=config) as broker:
        publish(broker, [("a+b1", b"1"), ("aab", b"2"), ("xa+b", b"3"), ("a+b2", b"4"), ("$SYS", b"5")])
        options = given(broker, keyPrefix="a+b", failOnDataLoss=loss, startingOffsets="earliest")
        expected = [(1, b"a+b1", b"1"), (4, b"a+b2", b"4")]
        assert rows_read(reader_of(**options)) == expected
        reader = stream_reader_of(**options)
        start = reader.initialOffset()
        while (end := reader.latestOffset(start, ReadAllAvailable()))["stream:s"] < 5:
            pass
        assert batch_of(reader, start, end) == expected
        reader.stop()


def test_removed_messages_of_an_empty_stream_are_skipped(tmp_path: Path) -> None:
    with EmbeddedBroker(tmp_path / "data") as broker:
        publish(broker, MESSAGES)
    start, end = {"version": 1, "stream:s": 51}, {"version": 1, "stream:s": 101}
    (file,) = files(tmp_path)
    file.unlink()
    (file.parent / f"{201:020}.segment").write_bytes(Segment(201, 1, "s").encode())
    with EmbeddedBroker(tmp_path / "data") as broker:
        lossy = stream_reader_of(**given(broker, failOnDataLoss="false"))
        assert batch_of(lossy, start, end) == []
        with pytest.raises(DataLossError, match="sequences 51 to 100 lost"):
            batch_of(stream_reader_of(**given(broker)), start, end)
        assert rows_read(reader_of(**given(broker))) == []
        publish(broker, [("k", b"late")])
        assert batch_of(lossy, start, end) == []
        assert rows_read(reader_of(**given(broker))) == [(201, b"k", b"late")]


def test_latest_is_the_same_after_a_restart_before_the_first_message(
    broker: EmbeddedBroker, following: Following
) -> None:
    for stream in ("s", "quiet"):
        publish(broker, MESSAGES, stream)
    reader = following(broker, subscribe="s,quiet,empty")
    start = reader.initialOffset()
    publish(broker, [("new", b"1")])
    while (end := reader.latestOffset(start, ReadAllAvailable())) == start:
        pass
    assert batch_of(reader, start, end) == [(201, b"new", b"1")]
    reader.stop()
    publish(broker, [("down", b"2")] * 3, "quiet")
    publish(broker, [("down", b"3")], "empty")
    reader = following(broker, subscribe="s,quiet,empty")
    got = []
    while len(got) < 4:
        after = reader.latestOffset(end, ReadAllAvailable())
        got += batch_of(reader, end, after) if after != end else []
        end = after
    assert sorted(got) == [(1, b"down", b"3"), *((n, b"down", b"2") for n in (201, 202, 203))]


@pytest.mark.parametrize("size", [1, 30_000])
def test_latest_is_behind_the_last_message(broker: EmbeddedBroker, size: int, following: Following) -> None:
    publish(broker, [("k", b"x" * 50)] * size)
    reader = following(broker)
    assert reader.initialOffset()["stream:s"] == size + 1
