"""The time of each sync, counted at the disk."""

from __future__ import annotations

import errno
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from journal_helpers import NOW, FaultyDisk, Opened, faulty, fill, frames, served

from zeps_broker.ports import JournalError


def test_always_syncs_each_block_before_append_returns(opened: Opened) -> None:
    disk, _, log = faulty(opened, sync="always")
    assert disk.calls["sync_folder"] == 2, "the folder of the new data folder, and that folder's"
    fill(log, [1])
    header = disk.calls["fdatasync"] - 1
    assert header == 1, "a new segment's header is synced, and its folder"
    assert disk.calls["sync_folder"] == 4, "the segment's folder, and the folder of the stream's folder"
    fill(log, [1, 5, 3])
    assert disk.calls["fdatasync"] == header + 4
    assert disk.calls["pwritev"] == 5, "one call a block, one for the header"
    assert disk.calls["sync_folder"] == 4


def test_interval_syncs_when_it_is_due(opened: Opened) -> None:
    disk, store, log = faulty(opened, sync="interval", sync_seconds=0.1)
    log.append(frames(1, 1), NOW)
    before = disk.calls["fdatasync"]
    log.append(frames(2, 1), NOW + 99_999)
    store.tick(NOW + 99_999)
    assert disk.calls["fdatasync"] == before
    store.tick(NOW + 100_000)
    store.tick(NOW + 900_000)
    assert disk.calls["fdatasync"] == before + 1
    log.append(frames(3, 1), NOW + 1_000_000)
    log.append(frames(4, 1), NOW + 1_200_000)
    assert disk.calls["fdatasync"] == before + 2
    store.tick(NOW + 2_000_000)
    assert disk.calls["fdatasync"] == before + 2, "nothing waits"
    log.append(frames(5, 1), NOW)
    store.tick(NOW - 60_000_000)
    assert disk.calls["fdatasync"] == before + 3, "a clock that went back does not delay the sync"
    log.append(frames(6, 1), NOW)
    store.close()
    assert disk.calls["fdatasync"] == before + 4


def test_a_loop_is_told_how_long_it_may_sleep(opened: Opened) -> None:
    store = opened(sync="interval", sync_seconds=0.1)
    assert store.timeout(NOW) == math.inf
    store.open("s").append(frames(1, 1), NOW)
    store.open("t").append(frames(1, 1), NOW + 50_000)
    assert store.timeout(NOW + 60_000) == pytest.approx(0.04)
    assert store.timeout(NOW + 200_000) == 0
    store.tick(NOW + 120_000)
    assert store.timeout(NOW + 120_000) == pytest.approx(0.03)
    store.tick(NOW + 150_000)
    assert store.timeout(NOW + 150_000) == math.inf
    store = opened(path=store.path / "other", sync="os")
    store.open("s").append(frames(1, 1), NOW)
    assert store.timeout(NOW) == math.inf


def test_interval_syncs_a_segment_before_it_is_left(opened: Opened) -> None:
    disk, _, log = faulty(opened, sync="interval", sync_seconds=3600, segment_bytes=1)
    fill(log, [1])
    before = disk.calls["fdatasync"]
    fill(log, [1])
    assert disk.calls["fdatasync"] == before + 2, "the old segment, and the new one's header"


def test_os_never_syncs_but_at_the_end(opened: Opened) -> None:
    disk = FaultyDisk()
    store = opened(disk=disk, sync="os", segment_bytes=300)
    fill(store.open("s"), [1] * 10)
    store.tick(NOW + 3_600_000_000)
    assert disk.calls["fdatasync"] == disk.calls["sync_folder"] == 0
    segments = len(store.open("s").segments)
    assert segments > 2
    store.close()
    assert disk.calls["fdatasync"] == segments


def test_what_a_killed_writer_had_not_synced_is_synced_before_it_is_shown(
    opened: Opened, tmp_path: Any
) -> None:
    store = opened(sync="os")
    fill(store.open("s"), [3])
    store._lock.release()
    disk, _, log = faulty(opened, sync="always")
    assert log.last_sequence == 3
    assert (disk.calls["fdatasync"], disk.calls["sync_folder"]) == (1, 3), (
        "the folders up to the data folder's"
    )


class FolderDisk(FaultyDisk):
    """A disk that keeps which folders are synced."""

    def __init__(self) -> None:
        super().__init__()
        self.synced: list[Path] = []

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self.synced.append(path)


@pytest.mark.parametrize("sync", ["always", "interval"])
def test_a_data_folder_whose_maker_was_killed_before_its_sync_is_synced(
    opened: Opened, tmp_path: Path, sync: str
) -> None:
    (tmp_path / "parent" / "data").mkdir(parents=True)
    disk = FolderDisk()
    opened(path=tmp_path / "parent" / "data", disk=disk, sync=sync)
    assert disk.synced == [tmp_path / "parent"]


def test_missing_folders_are_made_and_synced_in_turn(opened: Opened, tmp_path: Path) -> None:
    """So that of folders that exist at a start, only the innermost can be unsynced."""
    disk = FolderDisk()
    existed: list[bool] = []
    disk.mkdir = lambda path: existed.append(path.parent.exists()) or path.mkdir()  # type: ignore[method-assign, func-returns-value]
    opened(path=tmp_path / "a" / "b" / "data", disk=disk, sync="always")
    assert existed == [True, True, True]
    assert disk.synced == [tmp_path.parent, tmp_path, tmp_path / "a", tmp_path / "a" / "b"]


def test_a_parent_that_cannot_be_opened_does_not_prevent_a_start(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    disk = FolderDisk()
    disk.plan["sync_folder"].append(PermissionError(errno.EACCES, "denied"))
    opened(path=tmp_path / "data", disk=disk, sync="always")
    assert disk.calls["sync_folder"] == 1


def test_the_folder_of_a_stream_that_was_never_synced_is_synced_when_it_is_opened(
    opened: Opened, tmp_path: Path
) -> None:
    store = opened(sync="os")
    fill(store.open("s"), [3])
    store._lock.release()
    disk = FolderDisk()
    log = opened(path=store.path, disk=disk, sync="always").open("s")
    assert disk.synced[-2:] == [log.segments[0].path.parent, store.path]


@pytest.mark.parametrize("sync", ["always", "interval"])
def test_after_a_sync_that_failed_the_stream_takes_nothing(opened: Opened, sync: str) -> None:
    disk, store, log = faulty(opened, sync=sync, sync_seconds=0.1)
    stored = fill(log, [2])
    store.tick(NOW + 1_000_000)
    fail = partial(log.append, frames(3, 1), NOW)
    if sync == "interval":
        stored |= fill(log, [1])
        fail = partial(store.tick, NOW + 9_000_000)
    disk.plan["fdatasync"].append(OSError(errno.EIO, "Input/output error"))
    message = r"cannot sync: Input/output error; check the device.*no more mess"
    with pytest.raises(JournalError, match=message):
        fail()
    calls = disk.calls["pwritev"]
    last = log.last_sequence
    with pytest.raises(JournalError, match="no more messages"):
        log.append(frames(last + 1, 1), NOW)
    store.tick(NOW + 99_000_000)
    assert disk.calls["pwritev"] == calls
    assert served(log) == stored
    other = store.open("t")
    fill(other, [1])
    syncs = disk.calls["fdatasync"]
    store.close()
    assert disk.calls["fdatasync"] == syncs + (sync == "interval"), "only the healthy stream"
    log = opened().open("s")
    assert served(log) == stored
    assert fill(log, [1])


def test_a_sync_that_fails_in_append_takes_the_block_back(opened: Opened) -> None:
    disk, store, log = faulty(opened, sync="interval", sync_seconds=0.1)
    stored = fill(log, [1])
    disk.plan["fdatasync"].append(OSError(errno.EIO, "Input/output error"))
    with pytest.raises(JournalError):
        log.append(frames(2, 1), NOW + 1_000_000)
    assert log.last_sequence == 1
    store.close()
    assert served(opened().open("s")) == stored


def test_a_close_that_cannot_sync_closes_all_and_says_so(opened: Opened) -> None:
    disk = FaultyDisk()
    store = opened(disk=disk, sync="os")
    for name in "abc":
        fill(store.open(name), [1])
    disk.plan["fdatasync"].extend([None, OSError(errno.EIO, "Input/output error")])
    with pytest.raises(JournalError, match="cannot sync"):
        store.close()
    assert disk.calls["fdatasync"] == 3
    opened()
