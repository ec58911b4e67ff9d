"""Full, slow, interrupted or broken disks: stored messages are kept, and failures are reported."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from journal_helpers import NOW, FaultyDisk, Opened, baited, faulty, fill, segment_files, served, written

from zeps_broker.journal import JournalStore
from zeps_broker.journal.inspection import verify
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import JournalError, Lost

FULL = OSError(errno.ENOSPC, "No space left on device")
BROKEN = OSError(errno.EIO, "Input/output error")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mounts a file system of one MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_up(log: StreamJournal, stored: dict[int, bytes], size: int) -> None:
    while True:
        stored |= fill(log, [3], size)


@pytest.mark.parametrize("size", [100, 5_000, 200_000])
@pytest.mark.parametrize("segment_bytes", [20_000, 1 << 26])
def test_a_full_disk(opened: Opened, small_disk: Path, size: int, segment_bytes: int) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(300_000))
    store = opened(path=small_disk, segment_bytes=segment_bytes)
    log = store.open("s")
    stored: dict[int, bytes] = {}
    with pytest.raises(JournalError, match=rf"{small_disk}.*No space left on device; free disk space"):
        fill_up(log, stored, size)
    assert log.last_sequence == max(stored, default=0)
    assert served(log) == stored
    with pytest.raises(JournalError, match="No space left on device"):
        fill(log, [30], size)
    store.close()
    store = opened(path=small_disk, segment_bytes=segment_bytes)
    log = store.open("s")
    assert (served(log), log.torn, log.damages) == (stored, None, [])
    with pytest.raises(JournalError, match="No space left on device"):
        fill(log, [30], size)
    ballast.unlink()
    stored |= fill(log, [1], size)
    store.close()
    assert served(opened(path=small_disk).open("s")) == stored


def test_a_limit_on_a_files_size(opened: Opened) -> None:
    log = opened(sync="os").open("s")
    stored = fill(log, [10])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.segments[0].size + 100, hard))
    try:
        with pytest.raises(JournalError, match="File too large"):
            fill(log, [10])
        assert log.segments[0].path.stat().st_size == log.segments[0].size
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    stored |= fill(log, [10])
    assert served(log) == stored


@pytest.mark.parametrize("fault", [FULL, BROKEN])
@pytest.mark.parametrize("taken", [None, 0, 1, 45, 100])
def test_a_write_that_fails_leaves_nothing(opened: Opened, fault: OSError, taken: int | None) -> None:
    disk, store, log = faulty(opened)
    stored = fill(log, [2])
    size = log.segments[0].path.stat().st_size
    disk.plan["pwritev"].extend([fault] if taken is None else [taken, fault] if taken else [0])
    message = rf"00001.segment: cannot write \d+ bytes at {size}: .*; free disk space"
    with pytest.raises(JournalError, match=message):
        fill(log, [4])
    assert (log.last_sequence, log.segments[0].path.stat().st_size) == (2, size)
    stored |= fill(log, [3])
    store.close()
    log = opened().open("s")
    assert (served(log), log.torn) == (stored, None)


@pytest.mark.parametrize(
    "pieces", [[1], [3, 5, 7], [40, 1, 1], [60] * 3, [InterruptedError(), 10, InterruptedError(), 10]]
)
def test_a_write_that_takes_its_time_is_whole(opened: Opened, pieces: list[int | OSError]) -> None:
    disk, store, log = faulty(opened)
    stored = fill(log, [1])
    disk.plan["pwritev"].extend(pieces)
    stored |= fill(log, [3, 1])
    store.close()
    assert served(opened().open("s")) == stored


def test_interrupted_calls_are_made_again(opened: Opened) -> None:
    disk, _, log = faulty(opened, cache_bytes_max=1)
    disk.plan["fdatasync"].extend([None, InterruptedError(), InterruptedError()])
    stored = fill(log, [1])
    disk.plan["pread"].extend([InterruptedError(), 3, InterruptedError(), 50])
    assert served(log) == stored


def test_what_cannot_be_cut_off_is_cut_off_before_the_next_append(opened: Opened) -> None:
    disk, store, log = faulty(opened)
    stored = fill(log, [2])
    disk.plan["pwritev"].extend([90, FULL])
    disk.plan["truncate"].extend([BROKEN, BROKEN])
    for message in ("cannot write", "cannot be cut off; check the device"):
        with pytest.raises(JournalError, match=message):
            fill(log, [9])
    assert served(log) == stored
    stored |= fill(log, [1])
    store.close()
    log = opened().open("s")
    assert (served(log), log.damages, log.torn) == (stored, [], None)


@pytest.mark.parametrize("call", ["mkdir", "create", "pwritev", "fdatasync", "sync_folder"])
@pytest.mark.parametrize("first", [True, False])
def test_a_segment_that_cannot_be_made(opened: Opened, tmp_path: Path, call: str, first: bool) -> None:
    disk, store, log = faulty(opened, segment_bytes=1)
    stored = {} if first else fill(log, [2])
    disk.plan[call].append(FULL)
    if first or call != "mkdir":
        message = "cannot create a segment: No space left on device; free disk space"
        with pytest.raises(JournalError, match=message):
            fill(log, [1])
        assert len(segment_files(tmp_path)) == len(stored) // 2
    assert served(log) == stored
    stored |= fill(log, [1, 3])
    store.close()
    log = opened().open("s")
    assert (served(log), log.damages) == (stored, [])


@pytest.mark.parametrize("crashes", [False, True])
def test_a_segment_that_can_neither_be_made_nor_removed(
    opened: Opened, tmp_path: Path, crashes: bool
) -> None:
    disk, store, log = faulty(opened, segment_bytes=1)
    stored = fill(log, [2])
    disk.plan["pwritev"].extend([10, FULL])
    disk.plan["unlink"].append(BROKEN)
    with pytest.raises(JournalError, match="cannot create a segment"):
        fill(log, [1])
    assert len(segment_files(tmp_path)) == 2
    assert served(log) == stored
    if not crashes:
        stored |= fill(log, [1])
    store.close()
    log = opened().open("s")
    assert (served(log), log.last_sequence, log.damages) == (stored, max(stored), [])
    assert (log.torn is not None) == crashes
    stored |= fill(log, [1])
    assert served(log) == stored


def test_pages_that_cannot_be_read_are_damage_and_the_rest_is_served(opened: Opened, tmp_path: Path) -> None:
    class BadPages(FaultyDisk):
        """Bytes 20,000 to 30,000 of the first segment are on bad pages."""

        def pread(self, fd: int, size: int, offset: int) -> bytes:
            name = os.readlink(f"/proc/self/fd/{fd}")
            if name.endswith("00000000000000000001.segment") and offset < 30_000 and offset + size > 20_000:
                raise BROKEN
            return super().pread(fd, size, offset)

    stored = written(opened, [1] * 400, size=250, segment_bytes=100_000)
    log = opened(disk=BadPages()).open("s")
    served_frames = served(log)
    assert served_frames.items() < stored.items()
    damages = sorted(log.damages, key=lambda damage: damage.offset)
    lost = {n for damage in damages for n in range(damage.first_sequence, damage.last_sequence + 1)}
    assert lost == set(stored) - set(served_frames)
    assert damages[0].offset > 15_000
    assert damages[-1].offset + damages[-1].size < 35_000


def test_a_device_that_will_not_read_is_an_error(opened: Opened) -> None:
    disk, _, log = faulty(opened, cache_bytes_max=1)
    stored = fill(log, [1])
    disk.plan["pread"].append(OSError(errno.ENXIO, "No such device or address"))
    with pytest.raises(JournalError, match="cannot read: No such device or address; check the device"):
        log.read(0)
    assert served(log) == stored


def test_a_torn_tail_that_cannot_be_cut_off_is_an_error(opened: Opened, tmp_path: Path) -> None:
    written(opened, [1])
    (segment,) = segment_files(tmp_path)
    with segment.open("ab") as file:
        file.write(b"ZBLK")
    disk = FaultyDisk()
    disk.plan["truncate"].append(OSError(errno.EROFS, "Read-only file system"))
    store = opened(disk=disk)
    with pytest.raises(JournalError, match="cannot open the stream: Read-only file system"):
        store.open("s")
    assert store.open("s").last_sequence == 1


def test_streams_that_cannot_be_counted_are_an_error(opened: Opened) -> None:
    disk = FaultyDisk()
    store = opened(disk=disk)
    disk.plan["listdir"].append(BROKEN)
    with pytest.raises(JournalError, match="cannot count the streams: Input/output error"):
        store.count()
    assert store.count() == 0


@pytest.mark.parametrize("reopened", [False, True])
def test_a_stream_whose_first_append_failed_is_counted_once(opened: Opened, reopened: bool) -> None:
    disk, store, log = faulty(opened)
    assert store.count() == 0
    disk.plan["create"].append(FULL)
    with pytest.raises(JournalError, match="cannot create a segment"):
        fill(log, [1])
    if reopened:
        store.leave("s")
        log = store.open("s")
    fill(log, [1])
    assert store.count() == 1
    fill(store.open("other"), [1])
    assert store.count() == 2


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot make the data folder: Not a directory"):
        JournalStore(tmp_path / "file" / "data")


def with_bait(opened: Opened, tmp_path: Path) -> tuple[dict[int, bytes], Path]:
    """Writes a journal with `baited` as a block of its first segment. Returns the stored messages and that segment."""
    store = opened(segment_bytes=20_000)
    log = store.open("s")
    stored = fill(log, [20, 20], 100)
    inside, _ = baited(b"the rest")
    log.append(inside, NOW)
    stored |= dict(enumerate(inside, 41)) | fill(log, [20] * 9, 100)
    store.close()
    assert len(segment_files(tmp_path)) > 1
    return stored, segment_files(tmp_path)[0]


def zero(file: Path, place: bytes, size: int) -> None:
    """Writes zeros over the start of the first block that begins with the sequence in `place`."""
    held = file.read_bytes()
    at = held.index(place)
    at = held.rindex(b"ZBLK", 0, at + len(place))
    file.write_bytes(held[:at] + bytes(size) + held[at + size :])


@pytest.mark.parametrize("size", [1024, 2700])
@pytest.mark.parametrize("when", ["closed", "indexed", "served"])
def test_no_message_comes_from_inside_a_message(opened: Opened, tmp_path: Path, size: int, when: str) -> None:
    stored, file = with_bait(opened, tmp_path)
    place = (41).to_bytes(8, "big") + NOW.to_bytes(8, "big")
    if when == "closed":
        zero(file, place, size)
    log = opened(segment_bytes=20_000, cache_bytes_max=1).open("s")
    if when != "closed":
        assert served(log) == stored if when == "served" else log.read(200) is not None
        zero(file, place, size)
    for _ in range(2):
        assert served(log) == {n: frame for n, frame in stored.items() if not 41 <= n <= 60}
        assert log.read(45) == Lost(46, 60, "damage")
    assert [(damage.first_sequence, damage.last_sequence) for damage in log.damages] == [(41, 60)]
    assert verify(log).messages == len(stored) - 20


def test_what_is_intact_between_two_damages_is_served(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [20] * 40, 100, segment_bytes=60_000)
    file = segment_files(tmp_path)[0]
    for first in (41, 241):
        place = first.to_bytes(8, "big") + (NOW + first).to_bytes(8, "big")
        zero(file, place, 1024)
    log = opened(segment_bytes=60_000).open("s")
    lost = {*range(41, 61), *range(241, 261)}
    assert served(log) == {n: frame for n, frame in stored.items() if n not in lost}
    assert verify(log).messages == len(stored) - 40
    assert len(log.damages) == 2


def test_what_is_left_behind_is_never_served_beside_the_next_segment(opened: Opened, tmp_path: Path) -> None:
    """A whole block that was not acknowledged, and cannot be cut off, while retention needs a new segment."""
    disk, store, log = faulty(opened, retain_seconds=100)
    stored = fill(log, [2])
    disk.plan["fdatasync"].append(BROKEN)
    disk.plan["truncate"].extend([BROKEN] * 3)
    with pytest.raises(JournalError):
        fill(log, [2])
    store.tick(NOW + 3_600_000_000)
    assert len(log.segments) == 1
    assert served(log) == stored


def test_a_block_that_the_next_segment_has_too_is_not_served(opened: Opened, tmp_path: Path) -> None:
    written(opened, [2, 3], path=tmp_path / "other")
    data = segment_files(tmp_path / "other")[0].read_bytes()
    stored = written(opened, [2, 1], size=40, segment_bytes=1)
    first = segment_files(tmp_path / "data")[0]
    header = first.read_bytes()[:28]
    first.write_bytes(header + data[28:])
    log = opened().open("s")
    served_frames = served(log)
    assert served_frames[3] == stored[3]
    assert list(served_frames) == [1, 2, 3]
    (damage,) = verify(log).damages
    assert damage.reason == "a block of sequences from 3, which the next segment has too"
