from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_helpers import NOW, Opened, QuickDisk, fill, frames, segment_files, served, written

from zeps_broker.journal import JournalStore
from zeps_broker.journal.inspection import verify
from zeps_broker.journal.lock import LOCK_FILE, FolderLock, holder
from zeps_broker.ports import JournalError

HOLD = """
import sys
from zeps_broker.journal import JournalStore
store = JournalStore(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_two_stores_never_share_a_folder(opened: Opened) -> None:
    first = opened()
    fill(first.open("s"), [1])
    message = rf"the journal is in use by process {os.getpid()}; stop it, or give"
    with pytest.raises(JournalError, match=message):
        opened()
    first.close()
    assert opened().open("s").last_sequence == 1


def test_another_process_is_named_and_its_death_frees_the_folder(opened: Opened, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(JournalError, match=f"in use by process {process.pid}"):
            opened()
        assert holder(tmp_path / "data") == process.pid
        process.send_signal(signal.SIGKILL)
    assert holder(tmp_path / "data") is None
    opened()


def test_asking_who_holds_it_does_not_take_it(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    lock = FolderLock(tmp_path)
    assert holder(tmp_path) == os.getpid()
    lock.release()
    lock.release()
    assert holder(tmp_path) is None
    FolderLock(tmp_path).release()


def test_a_lock_file_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot make the lock file: No such file"):
        FolderLock(tmp_path / "missing")


def test_reading_beside_a_writer(opened: Opened, tmp_path: Path) -> None:
    writer = opened()
    stored = fill(writer.open("s"), [2, 3])
    reader = opened(read_only=True)
    log = reader.open("s")
    assert served(log) == stored
    fill(writer.open("s"), [1])
    assert served(log) == stored, "messages written before it was opened"
    with pytest.raises(JournalError, match="for reading only"):
        log.append(frames(7, 1), NOW)
    reader.tick(NOW)
    assert served(opened(read_only=True).open("s")).keys() == {1, 2, 3, 4, 5, 6}


def test_reading_only_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [2, 3])
    (segment,) = segment_files(tmp_path)
    data = segment.read_bytes()[:-1]
    segment.write_bytes(data)
    reader = opened(read_only=True)
    log = reader.open("s")
    assert served(log) == {n: stored[n] for n in (1, 2)}
    assert log.torn is not None
    assert reader.open("unknown").last_sequence == 0
    reader.close()
    assert segment.read_bytes() == data
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["s", "zeps.lock"]


def test_reading_a_folder_that_is_not_there(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="the folder does not exist"):
        opened(read_only=True)
    assert not (tmp_path / "data").exists()


def test_segments_that_a_broker_drops_while_they_are_opened_are_left_out(
    opened: Opened, tmp_path: Path
) -> None:
    class Dropping(QuickDisk):
        """Another broker removes each old segment just before it is opened."""

        def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
            if path.name < "00000000000000000003.segment":
                path.unlink(missing_ok=True)
            return super().open(path, write=write, create=create)

    store = opened(segment_bytes=1)
    stored = fill(store.open("s"), [1] * 4)
    assert served(opened(read_only=True, disk=Dropping()).open("s")) == {n: stored[n] for n in (3, 4)}


def test_segments_that_a_broker_drops_while_they_are_verified_are_left_out(
    opened: Opened, tmp_path: Path
) -> None:
    store = opened(segment_bytes=1)
    fill(store.open("s"), [1] * 4)
    reader = opened(read_only=True)
    log = reader.open("s")
    reader._pool.close()
    segment_files(tmp_path)[0].unlink()
    verdict = verify(log)
    assert (verdict.messages, verdict.damages) == (3, [])


# Changes to the folder of a running broker


def delete_lock(folder: Path) -> None:
    (folder / LOCK_FILE).unlink()


def replace_lock(folder: Path) -> None:
    (folder / "new").touch()
    (folder / "new").replace(folder / LOCK_FILE)


def move_folder(folder: Path) -> Path:
    return folder.rename(folder.with_name("moved"))


def replace_folder(folder: Path) -> None:
    shutil.copytree(move_folder(folder), folder)


def start_another(folder: Path) -> None:
    delete_lock(folder)
    JournalStore(folder, disk=QuickDisk()).close()


LOCK_CHANGES = {
    delete_lock: "zeps.lock: the lock file is gone .*; the data folder must stay in place",
    replace_lock: "zeps.lock: the lock file was replaced, perhaps by another broker; the data folder must",
    move_folder: "zeps.lock: the lock file is gone",
    replace_folder: "zeps.lock: the lock file was replaced",
    start_another: "zeps.lock: the lock file was replaced, perhaps by another broker",
}


@pytest.mark.parametrize("change", LOCK_CHANGES)
@pytest.mark.parametrize("sync", ["always", "interval", "os"])
def test_no_block_is_confirmed_once_the_lock_is_lost(
    opened: Opened, tmp_path: Path, change: Callable[[Path], None], sync: str
) -> None:
    store = opened(sync=sync)
    log = store.open("s")
    stored = fill(log, [2])
    change(tmp_path / "data")
    with pytest.raises(JournalError, match=LOCK_CHANGES[change]):
        log.append(frames(3, 1), NOW)
    assert log.last_sequence == 2
    with pytest.raises(JournalError, match=LOCK_CHANGES[change]):
        store.open("new").append(frames(1, 1), NOW)
    left = tmp_path / ("moved" if (tmp_path / "moved").exists() else "data")
    assert not (left / "new").exists()
    assert served(opened(path=left, read_only=True).open("s")) == stored, "unconfirmed data is cut off"


@pytest.mark.parametrize("change", LOCK_CHANGES)
def test_a_lost_lock_is_noticed_each_second(
    opened: Opened, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    store = opened()
    store.tick(NOW)
    change(tmp_path / "data")
    store.tick(NOW + 999_999)
    with pytest.raises(JournalError, match=LOCK_CHANGES[change]):
        store.tick(NOW + 1_000_000)


def replace_segment(path: Path) -> None:
    shutil.copy(path, path.with_name("new"))
    path.with_name("new").replace(path)


def delete_stream(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize("change", [Path.unlink, replace_segment, delete_stream])
@pytest.mark.parametrize("is_held_open", [True, False])
def test_no_block_is_confirmed_in_a_segment_that_was_taken_away(
    opened: Opened, tmp_path: Path, change: Callable[[Path], None], is_held_open: bool
) -> None:
    store = opened()
    log = store.open("s")
    fill(log, [2])
    (path,) = segment_files(tmp_path)
    change(path)
    before = path.read_bytes() if path.exists() else None
    if not is_held_open:
        store._pool.drop(path)
    message = r"segment: the segment (is gone|was replaced).*restore the journal's files"
    for _ in range(2):
        with pytest.raises(JournalError, match=message):
            log.append(frames(3, 1), NOW)
    assert log.last_sequence == 2
    assert (path.read_bytes() if path.exists() else None) == before, "another file was written to"


def test_a_lock_file_that_is_deleted_while_it_is_locked_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = FolderLock._take

    def take_and_lose(lock: FolderLock) -> None:
        take(lock)
        delete_lock(tmp_path)

    monkeypatch.setattr(FolderLock, "_take", take_and_lose)
    with pytest.raises(JournalError, match="the lock file is gone"):
        FolderLock(tmp_path)
