from __future__ import annotations

import errno
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journal_helpers import NOW, Opened, QuickDisk, faulty, fill, flip, frames, segment_files, served, written

from zeps_broker.journal import JournalStore
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import Block, JournalError, Lost

SECOND = 1_000_000


def stored_bytes(log: StreamJournal) -> int:
    return sum(segment.path.stat().st_size for segment in log.segments)


def test_by_bytes(opened: Opened, tmp_path: Path) -> None:
    store = opened(sync="os", retain_bytes=40_000)
    log = store.open("s")
    stored = {}
    for _ in range(300):
        stored |= fill(log, [10])
        assert stored_bytes(log) <= 40_000 + 10_000, "the newest segment comes on top until the next one"
    assert log.last_sequence == 3000
    assert log.first_sequence > 2000
    assert served(log) == {n: frame for n, frame in stored.items() if n >= log.first_sequence}
    assert stored_bytes(log) > 25_000
    first = log.first_sequence
    store.close()
    assert int(segment_files(tmp_path)[0].name[:20]) == first
    log = opened().open("s")
    assert (log.first_sequence, log.last_sequence) == (first, 3000)


def test_what_is_expired_is_lost_to_retention(opened: Opened) -> None:
    log = opened(sync="os", retain_bytes=20_000).open("s")
    fill(log, [1] * 1000)
    first = log.first_sequence
    assert first > 7
    for result in (log.read(5), log.select(5, lambda keys: [True] * len(keys))):
        assert result == Lost(6, first - 1, "retention")
    assert log.read(first - 2) == Lost(first - 1, first - 1, "retention")
    assert isinstance(log.read(first - 1), Block)


def test_by_age(opened: Opened) -> None:
    store = opened(sync="os", retain_seconds=100)
    log = store.open("s")
    for second in range(0, 400, 10):
        now = NOW + second * SECOND
        store.tick(now)
        log.append(frames(log.last_sequence + 1, 1), now)
    store.tick(NOW + 400 * SECOND)
    block = log.read(log.first_sequence - 1)
    assert isinstance(block, Block)
    oldest = (NOW + 400 * SECOND - block.times[0]) / SECOND
    assert 100 <= oldest + 10 <= 135
    assert log.last_sequence == 40


def test_a_stream_that_falls_silent_ends_up_empty_and_keeps_its_sequence(
    opened: Opened, tmp_path: Path
) -> None:
    store = opened(retain_seconds=60)
    log = store.open("s")
    fill(log, [3, 4])
    for second in range(200):
        store.tick(NOW + second * SECOND)
    assert served(log) == {}
    assert (log.first_sequence, log.last_sequence) == (8, 7)
    assert [path.name for path in segment_files(tmp_path)] == ["00000000000000000008.segment"]
    store.close()
    log = opened(retain_seconds=60).open("s")
    assert (log.first_sequence, log.last_sequence) == (8, 7)
    assert log.read(0) == Lost(1, 7, "retention")
    assert log.read(7) is None
    stored = fill(log, [1])
    assert served(log) == stored
    assert list(stored) == [8]


@pytest.mark.parametrize("options", [{"retain_seconds": 60}, {"retain_bytes": 5000}])
def test_streams_that_nobody_opens_are_looked_after(
    opened: Opened, tmp_path: Path, options: dict[str, int]
) -> None:
    written(opened, [1] * 200, streams="abc", segment_bytes=1000)
    before = len(segment_files(tmp_path))
    store = opened(segment_bytes=1000, **options)
    for second in range(100, 110):
        store.tick(NOW + second * SECOND)
    assert len(segment_files(tmp_path)) < before / 2
    store.close()
    store = opened()
    assert [store.open(name).last_sequence for name in "abc"] == [200] * 3


def test_retention_starts_with_what_was_there(opened: Opened, tmp_path: Path) -> None:
    store = opened(segment_bytes=1000)
    log = store.open("s")
    for number in range(30):
        log.append(frames(log.last_sequence + 1, 5), NOW + number * SECOND)
    store.close()
    store = opened(segment_bytes=1000, retain_seconds=20)
    store.tick(NOW + 30 * SECOND)
    log = store.open("s")
    block = log.read(log.first_sequence - 1)
    assert isinstance(block, Block)
    assert NOW + 5 * SECOND < block.times[0] <= NOW + 11 * SECOND


def test_damage_neither_stops_retention_nor_is_needed_for_it(opened: Opened, tmp_path: Path) -> None:
    store = opened(segment_bytes=1)
    log = store.open("s")
    for number in range(6):
        log.append(frames(log.last_sequence + 1, 1), NOW + number * SECOND)
    store.close()
    for path in segment_files(tmp_path)[:5]:
        flip(path, path.stat().st_size - 1, 1)
    store = opened(segment_bytes=1, retain_seconds=2)
    store.tick(NOW + 10 * SECOND)
    assert served(store.open("s")) == {}
    assert store.open("s").last_sequence == 6


def test_a_segment_that_cannot_be_dropped_is_tried_again(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    disk, store, log = faulty(opened, sync="os", retain_seconds=10)
    stored = fill(log, [2])
    disk.plan["unlink"].append(OSError(errno.EPERM, "Operation not permitted"))
    store.tick(NOW + 100 * SECOND)
    assert served(log) == stored
    waits = [record.zeps for record in caplog.records if record.zeps["event"] == "retention-waits"]
    assert len(waits) == 1
    assert "Operation not permitted" in waits[0]["reason"]
    store.tick(NOW + 101 * SECOND)
    assert log.first_sequence == 3


def test_no_room_for_a_new_segment_stops_retention_only(opened: Opened) -> None:
    disk, store, log = faulty(opened, retain_seconds=10)
    stored = fill(log, [2])
    disk.plan["create"].append(OSError(errno.ENOSPC, "No space left on device"))
    store.tick(NOW + 100 * SECOND)
    assert served(log) == stored
    stored |= fill(log, [1], time_us=NOW + 100 * SECOND)
    assert served(log).keys() >= {3}


def test_the_new_name_is_on_the_device_before_an_old_one_goes(opened: Opened) -> None:
    disk, _, log = faulty(opened, sync="os", retain_bytes=4096)
    fill(log, [1] * 40)
    assert disk.calls["fdatasync"] == 0
    while not disk.calls["unlink"]:
        assert disk.calls["fdatasync"] == 0
        fill(log, [1])
    assert (disk.calls["fdatasync"], disk.calls["sync_folder"]) == (1, 1)
    disk.plan["fdatasync"].append(OSError(errno.EIO, "Input/output error"))
    dropped = disk.calls["unlink"]
    fill(log, [1] * 200)
    assert disk.calls["unlink"] > dropped


def test_a_failed_stream_is_left_alone(opened: Opened) -> None:
    disk, store, log = faulty(opened, retain_seconds=10)
    stored = fill(log, [2])
    disk.plan["fdatasync"].append(OSError(errno.EIO, "Input/output error"))
    with pytest.raises(JournalError):
        fill(log, [1])
    store.tick(NOW + 100 * SECOND)
    assert served(log) == stored


@given(
    retain_bytes=st.none() | st.integers(1, 30_000),
    retain_seconds=st.none() | st.integers(1, 500),
    steps=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 40), st.booleans()), max_size=40),
)
def test_what_is_retained_is_always_the_newest_part(
    tmp_path_factory: pytest.TempPathFactory,
    retain_bytes: int | None,
    retain_seconds: int | None,
    steps: list[tuple[int, int, bool]],
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    bounds = {"retain_bytes": retain_bytes, "retain_seconds": retain_seconds}
    options = {"disk": QuickDisk(), "segment_bytes": 5000, **bounds}
    store = JournalStore(folder, **options)
    now, stored = NOW, {}
    for seconds, count, reopen in steps:
        now += seconds * SECOND
        log = store.open("s")
        stored |= fill(log, [count], time_us=now) if count else {}
        store.tick(now)
        retained = [(n, frame) for n, frame in sorted(stored.items()) if n >= log.first_sequence]
        assert list(served(log).items()) == retained
        assert log.last_sequence == max(stored, default=0)
        assert log.first_sequence <= log.last_sequence + 1
        assert not log.damages
        if reopen:
            store.close()
            store = JournalStore(folder, **options)
    store.close()
