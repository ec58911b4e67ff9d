"""Reading a live broker without Spark: what was delivered once is delivered again the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pipeline_helpers import batch_of, reader_of, rows_read, stream_reader_of
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows

from zeps_broker.io.config import Config, CurveConfig
from zeps_broker.io.curve import make_certificates
from zeps_broker.io.embedded import EmbeddedBroker
from zeps_client import Client, Curve
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.source.stream import ZepsStreamReader
from zeps_wire.journal import Segment

MESSAGES = [(f"k.{n % 7}", b"%d" % n) for n in range(1, 201)]
ALL = [(n, key.encode(), body) for n, (key, body) in enumerate(MESSAGES, 1)]


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as made:
        yield made


def publish(broker: EmbeddedBroker, messages: list[tuple[str, bytes]], stream: str = "s") -> None:
    with Client(broker.endpoint, stream) as client:
        client.publish_many(messages)
        client.flush(30)


def given(broker: EmbeddedBroker, **options: str) -> dict[str, str]:
    return {"zeps.endpoint": broker.endpoint, "subscribe": "s", **options}


def follow(reader: ZepsStreamReader, offset: dict[str, int], upto: int, limit: object = None) -> list[int]:
    """Read batch after batch until `upto` messages came; returns their numbers."""
    sizes: list[int] = []
    while sum(sizes) < upto:
        end = reader.latestOffset(offset, limit or reader.getDefaultReadLimit())  # type: ignore[arg-type]
        batch = batch_of(reader, offset, end)
        assert [row[0] for row in batch] == list(range(sum(sizes) + 1, sum(sizes) + len(batch) + 1))
        sizes += [len(batch)] if batch else []
        offset = end
    return sizes


def test_batch_reads_what_there_is(broker: EmbeddedBroker) -> None:
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


def test_a_stream_of_nothing_is_read_as_nothing(broker: EmbeddedBroker) -> None:
    assert rows_read(reader_of(**given(broker, **{"zeps.quiet": "0.3"}))) == []


def test_batches_keep_to_their_limits(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    reader = stream_reader_of(**given(broker, startingOffsets="earliest"))
    try:
        assert max(follow(reader, reader.initialOffset(), 200, ReadMaxRows(70))) <= 70
        # Each frame takes from 20 to 22 octets.
        assert max(follow(reader, reader.initialOffset(), 200, ReadMaxBytes(1000))) <= 50
    finally:
        reader.stop()


def test_two_offsets_name_the_same_messages_for_another_process(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    first = stream_reader_of(**given(broker, startingOffsets="earliest"))
    start = first.initialOffset()
    end = first.latestOffset(start, ReadMaxRows(50))
    assert (end["from:s"], end["stream:s"]) == (1, 51)
    first.stop()
    publish(broker, [("late", b"")] * 10)
    second = stream_reader_of(**given(broker, startingOffsets="earliest", minPartitions="4"))
    assert len(second.partitions(start, end)) == 4
    assert batch_of(second, start, end) == ALL[:50]
    second.stop()


def test_latest_begins_with_what_comes_next(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    reader = stream_reader_of(**given(broker))
    start = reader.initialOffset()
    assert start["stream:s"] == 201
    assert reader.latestOffset(start, ReadAllAvailable()) == start
    publish(broker, [("new", b"1"), ("new", b"2")])
    while (end := reader.latestOffset(start, ReadAllAvailable())) == start:
        pass
    assert batch_of(reader, start, end)[0] == (201, b"new", b"1")
    reader.stop()


def test_available_now_ends_though_messages_keep_coming(broker: EmbeddedBroker) -> None:
    publish(broker, MESSAGES)
    reader = stream_reader_of(**given(broker, startingOffsets="earliest"))
    reader.prepareForTriggerAvailableNow()
    publish(broker, [("late", b"")] * 10)
    offset, got = reader.initialOffset(), []
    while (end := reader.latestOffset(offset, ReadMaxRows(90))) != offset:
        got += batch_of(reader, offset, end)
        offset = end
    assert got[:200] == ALL
    assert len(got) in (200, 210)
    reader.stop()


def test_what_retention_took_is_an_error(tmp_path: Path) -> None:
    config = Config()
    config = replace(config, journal=replace(config.journal, segment_octets=8192))
    with EmbeddedBroker(tmp_path / "data", config=config) as broker:
        for _ in range(10):
            publish(broker, [("k", bytes(500))] * 20)
        reader = stream_reader_of(**given(broker, startingOffsets="earliest"))
        start = reader.initialOffset()
        end = reader.latestOffset(start, ReadMaxRows(30))
        reader.stop()
    for file in sorted((tmp_path / "data" / "s").glob("*.segment"))[:2]:
        file.unlink()
    with EmbeddedBroker(tmp_path / "data", config=config) as broker:
        strict = stream_reader_of(**given(broker))
        with pytest.raises(DataLossError, match="not there any more"):
            batch_of(strict, start, end)
        lossy = stream_reader_of(**given(broker, failOnDataLoss="false"))
        assert len(batch_of(lossy, start, end)) < 30


def test_a_broker_that_is_not_there_is_said() -> None:
    options = {"zeps.endpoint": "tcp://127.0.0.1:9", "subscribe": "s", "zeps.timeout": "0.3"}
    with pytest.raises(PipelineError, match="cannot subscribe"):
        reader_of(**options).partitions()


def test_a_broker_with_keys_is_read_with_keys(tmp_path: Path) -> None:
    server, secret = make_certificates(tmp_path, "broker")
    _, own = make_certificates(tmp_path / "clients", "spark")
    config = Config(curve=CurveConfig(secret, tmp_path / "clients"))
    with EmbeddedBroker(config=config) as broker:
        with Client(broker.endpoint, "s", curve=Curve.load(server, own)) as client:
            client.publish_many(MESSAGES)
            client.flush(30)
        keys = {"zeps.serverKey": str(server), "zeps.key": str(own)}
        assert rows_read(reader_of(**given(broker, **keys))) == ALL
        with pytest.raises(PipelineError, match="does not let this client in"):
            rows_read(reader_of(**given(broker, **{"zeps.serverKey": str(server), "zeps.timeout": "1"})))


@pytest.mark.parametrize("loss", ["true", "false"])
def test_a_prefix_is_no_expression(tmp_path: Path, loss: str) -> None:
    config = replace(Config(), matching=(("s", "regex"),))
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


def test_what_retention_took_of_a_stream_that_is_empty_now_is_passed_over(tmp_path: Path) -> None:
    with EmbeddedBroker(tmp_path / "data") as broker:
        publish(broker, MESSAGES)
    start, end = {"version": 1, "stream:s": 51}, {"version": 1, "stream:s": 101}
    soon = {"zeps.timeout": "2", "zeps.quiet": "0.5"}
    (file,) = (tmp_path / "data" / "s").glob("*.segment")
    file.unlink()
    (file.parent / f"{201:020}.segment").write_bytes(Segment(201, 1, "s").encode())
    with EmbeddedBroker(tmp_path / "data") as broker:
        assert batch_of(stream_reader_of(**given(broker, failOnDataLoss="false", **soon)), start, end) == []
        with pytest.raises(PipelineError, match="in vain"):
            batch_of(stream_reader_of(**given(broker, **soon)), start, end)
        publish(broker, [("k", b"late")])
        assert batch_of(stream_reader_of(**given(broker, failOnDataLoss="false", **soon)), start, end) == []
    with EmbeddedBroker() as another:
        publish(another, MESSAGES[:20])
        with pytest.raises(PipelineError, match="in vain"):
            batch_of(stream_reader_of(**given(another, failOnDataLoss="false", **soon)), start, end)


def test_latest_is_the_same_after_a_restart_before_the_first_message(broker: EmbeddedBroker) -> None:
    for stream in ("s", "quiet"):
        publish(broker, MESSAGES, stream)
    options = given(broker, subscribe="s,quiet,empty", **{"zeps.quiet": "0.3"})
    reader = stream_reader_of(**options)
    start = reader.initialOffset()
    publish(broker, [("new", b"1")])
    while (end := reader.latestOffset(start, ReadAllAvailable())) == start:
        pass
    assert batch_of(reader, start, end) == [(201, b"new", b"1")]
    reader.stop()
    publish(broker, [("down", b"2")] * 3, "quiet")
    publish(broker, [("down", b"3")], "empty")
    reader = stream_reader_of(**options)
    got = []
    while len(got) < 4:
        after = reader.latestOffset(end, ReadAllAvailable())
        got += batch_of(reader, end, after) if after != end else []
        end = after
    assert sorted(got) == [(1, b"down", b"3"), *((n, b"down", b"2") for n in (201, 202, 203))]
    reader.stop()


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 30_000])
def test_latest_is_behind_the_last_message(broker: EmbeddedBroker, size: int) -> None:
    publish(broker, [("k", b"x" * 50)] * size)
    reader = stream_reader_of(**given(broker, **{"zeps.quiet": "0.3"}))
    assert reader.initialOffset()["stream:s"] == size + 1
    reader.stop()
