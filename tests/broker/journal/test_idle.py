"""Logs without sessions: closed when there are many, and still synced, retained and served."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from garbage import nothing_to_collect
from journal_helpers import NOW, FaultyDisk, Opened, fill, segment_files, served

from zeps_broker.core.broker import Broker
from zeps_broker.journal import JournalStore, store
from zeps_broker.ports import JournalError
from zeps_wire import caches, zeps

SECOND = 1_000_000


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits the number of idle logs to two."""
    monkeypatch.setattr(store, "IDLE_MAX", 2)


def tick(journal: JournalStore, seconds: int) -> None:
    """Ticks eight times in each second, so that each stream can be opened once."""
    for second in range(seconds):
        for _ in range(8):
            journal.tick(NOW + second * SECOND)


def write(journal: JournalStore, *streams: str) -> None:
    for stream in streams:
        fill(journal.open(stream), [3, 4])
        journal.leave(stream)


def test_names_that_never_had_a_message_leave_nothing(opened: Opened, tmp_path: Path) -> None:
    broker = Broker(opened())

    def attach(first: int, count: int) -> None:
        for number in range(first, first + count):
            name = f"a stream's name {number}"
            broker.handle(1.0, NOW, [("peer", zeps.Attach(name).encode()), ("peer", zeps.Detach().encode())])
            assert len(broker.poll_output()) == 1
            broker.undelivered([])

    attach(0, 10)
    tracemalloc.start()
    try:
        with nothing_to_collect():
            attach(10, 1000)
        for table in (*caches.TEXTS.values(), *caches.OCTETS.values()):  # bounded, and the codec's
            table.clear()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100_000
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["zeps.lock"]


def test_at_most_so_many_stay_open_and_the_others_are_freed(opened: Opened, few: None) -> None:
    journal = opened(sync="os")
    kept = journal.open("in use")
    fill(kept, [1])
    with nothing_to_collect():
        write(journal, *"abcdef")
    assert len(journal._logs) == 3
    assert journal._cache.memory_bytes < 3 * 10_000
    assert len(journal._pool) == 3
    assert journal.open("in use") is kept
    assert [journal.open(stream).last_sequence for stream in "abcdef"] == [7] * 6


def test_the_least_recently_used_is_closed(opened: Opened, few: None) -> None:
    journal = opened(sync="os")
    write(journal, "a", "b")
    first, second = journal.open("a"), journal.open("b")
    journal.leave("b")
    journal.leave("a")
    write(journal, "c")
    assert journal.open("a") is first
    assert journal.open("b") is not second


def test_a_log_that_is_used_again_stays_open(opened: Opened, few: None) -> None:
    journal = opened(sync="os")
    write(journal, "a")
    log = journal.open("a")
    write(journal, "b", "c", "d")
    assert journal.open("a") is log
    stored = fill(log, [2])
    assert served(log, 7) == stored


@pytest.mark.parametrize("sync", ["interval", "os"])
def test_what_is_closed_is_synced(opened: Opened, few: None, sync: str) -> None:
    disk = FaultyDisk()
    journal = opened(sync=sync, disk=disk)
    write(journal, "a", "b")
    before = disk.calls["fdatasync"]
    write(journal, "c")
    assert disk.calls["fdatasync"] == before + (2 if sync == "interval" else 1), (
        "a, and in interval c's new segment"
    )
    journal.leave("a")
    journal.tick(NOW + SECOND)
    assert not journal.open("b").is_dirty or sync == "os"


def test_a_log_that_cannot_be_synced_when_it_is_closed_stops_the_broker(opened: Opened, few: None) -> None:
    disk = FaultyDisk()
    journal = opened(sync="os", disk=disk)
    write(journal, "a", "b")
    broker = Broker(journal)

    def say(*messages: zeps.Message) -> None:
        broker.handle(1.0, NOW, [("peer", message.encode()) for message in messages])
        broker.poll_output()
        broker.undelivered([])

    say(zeps.Attach("c"), zeps.Publish("k", b""))
    disk.plan["fdatasync"].append(OSError(5, "Input/output error"))
    say(zeps.Detach())
    assert broker.failure is not None
    assert "cannot sync: Input/output error" in broker.failure


def test_retention_by_age_covers_closed_streams(opened: Opened, few: None, tmp_path: Path) -> None:
    journal = opened(sync="os", retain_seconds=60)
    write(journal, *"abcdef")
    tick(journal, 100)
    assert len(journal._logs) == 2
    assert not journal._retention_due
    assert [path.name for path in segment_files(tmp_path)] == ["00000000000000000008.segment"] * 6
    assert journal.timeout(NOW) > 0
    for stream in "abcdef":
        assert (journal.open(stream).first_sequence, served(journal.open(stream))) == (8, {})


def test_closed_streams_are_opened_only_when_something_is_due(opened: Opened, few: None) -> None:
    disk = FaultyDisk()
    journal = opened(sync="os", retain_seconds=60, disk=disk)
    write(journal, *"abcdef")
    journal.tick(NOW)
    before = disk.calls["open"]
    for second in range(14):
        journal.tick(NOW + second * SECOND)
        assert journal.timeout(NOW + second * SECOND) > 0
    assert disk.calls["open"] == before
    journal.tick(NOW + 16 * SECOND)
    assert journal.timeout(NOW + 16 * SECOND) == 0


def test_a_closed_stream_that_cannot_be_opened_does_not_stop_retention(
    opened: Opened, few: None, tmp_path: Path
) -> None:
    journal = opened(sync="os", retain_seconds=60)
    write(journal, *"abcdef")
    (tmp_path / "data" / "a").rename(tmp_path / "elsewhere")
    (tmp_path / "data" / "a").touch()
    tick(journal, 100)
    assert [path.name for path in segment_files(tmp_path / "data")] == ["00000000000000000008.segment"] * 5
    with pytest.raises(JournalError, match="cannot open the stream"):
        journal.open("a")
