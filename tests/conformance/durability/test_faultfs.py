"""The file system with faults: what each fault leaves, seen through the operating system's calls."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from zeps_conformance.durability import faultfs
from zeps_conformance.durability.faultfs import FaultFs, FaultFsError, build_faultfs

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FaultFs]:
    with FaultFs(tmp_path / "disk") as fs:
        yield fs


def write(path: Path, data: bytes, *, sync: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(fd, data)
    if sync:
        os.fsync(fd)
    os.close(fd)


def sync_folder(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def test_a_power_cut_loses_only_what_was_not_synced(disk: FaultFs) -> None:
    disk.mount()
    file = disk.mountpoint / "file"
    write(file, b"a" * 10_000, sync=True)
    write(file, b"b" * 700, sync=False)
    with file.open("r+b") as stream:
        stream.write(b"c" * 5)
    assert file.stat().st_size == 10_700
    disk.unmount()
    assert disk.cut("lost", 1) == (1, 705)
    disk.mount()
    assert file.read_bytes() == b"a" * 10_000


def test_a_truncation_is_lost_until_it_is_synced(disk: FaultFs) -> None:
    disk.mount()
    file = disk.mountpoint / "file"
    write(file, b"abcdef", sync=True)
    os.truncate(file, 2)
    write(file, b"Z", sync=False)
    assert file.read_bytes() == b"abZ"
    disk.unmount()
    disk.cut("lost", 1)
    disk.mount()
    assert file.read_bytes() == b"abcdef"
    os.truncate(file, 2)
    write(file, b"Z", sync=True)
    disk.unmount()
    disk.cut("lost", 1)
    disk.mount()
    assert file.read_bytes() == b"abZ"


@pytest.mark.parametrize(("entries", "kept"), [("journaled", ["late", "new"]), ("posix", ["old"])])
def test_names_are_durable_by_kind(disk: FaultFs, entries: str, kept: list[str]) -> None:
    """With ``journaled``, any sync commits earlier names; with ``posix``, only the folder's does."""
    disk.entries(entries)
    disk.mount()
    folder = disk.mountpoint / "folder"
    folder.mkdir()
    write(folder / "old", b"1", sync=True)
    sync_folder(disk.mountpoint)
    sync_folder(folder)
    (folder / "old").rename(folder / "new")
    write(folder / "late", b"2", sync=True)
    write(folder / "last", b"3", sync=False)
    assert sorted(os.listdir(folder)) == ["last", "late", "new"]
    disk.unmount()
    disk.cut("lost", 1)
    disk.mount()
    assert sorted(os.listdir(folder)) == kept
    assert (folder / kept[-1]).read_bytes() == b"1"


def test_a_torn_power_cut_keeps_sectors_of_unsynced_writes(disk: FaultFs) -> None:
    outcomes = set()
    for seed in range(40):
        disk.mount()
        file = disk.mountpoint / f"file{seed}"
        write(file, b"a" * 1000, sync=True)
        write(file, b"b" * 3000, sync=False)
        disk.unmount()
        disk.cut("torn", seed)
        disk.mount()
        data = file.read_bytes()
        disk.unmount()
        assert data[:1000] == b"a" * 1000
        assert 1000 <= len(data) <= 4000
        sectors = [data[1000:1024], *(data[start : start + 512] for start in range(1024, len(data), 512))]
        assert all(set(sector) <= {0} or set(sector) == {ord("b")} for sector in sectors)
        outcomes.add(data)
    assert b"a" * 1000 in outcomes
    assert any(0 < data.count(b"b") < 3000 and b"\0" not in data for data in outcomes), "a prefix"
    assert any(b"\0" in data for data in outcomes), "a hole"


def test_what_has_settled_is_durable(disk: FaultFs) -> None:
    disk.entries("posix")
    disk.mount()
    (disk.mountpoint / "folder").mkdir()
    write(disk.mountpoint / "folder" / "file", b"1", sync=False)
    disk.unmount()
    disk.settle()
    assert disk.cut("lost", 1) == (0, 0)
    disk.mount()
    assert (disk.mountpoint / "folder" / "file").read_bytes() == b"1"


def test_a_full_disk_takes_what_fits(disk: FaultFs) -> None:
    disk.limit(8192)
    disk.mount()
    file = disk.mountpoint / "file"
    with file.open("wb", buffering=0) as stream:
        assert stream.write(b"x" * 5000) == 5000
        assert stream.write(b"x" * 5000) == 3192
        with pytest.raises(OSError, match="No space left") as caught:
            stream.write(b"x")
        assert caught.value.errno == errno.ENOSPC
    status = os.statvfs(disk.mountpoint)
    assert (status.f_bavail, status.f_blocks) == (0, 2)
    file.unlink()
    write(disk.mountpoint / "other", b"x" * 8192, sync=True)


def test_flips_change_the_named_bytes(disk: FaultFs) -> None:
    disk.mount()
    (disk.mountpoint / "folder").mkdir()
    names = ["a", "folder/b"]
    for name in names:
        write(disk.mountpoint / name, bytes(4096), sync=True)
    disk.unmount()
    flips = disk.flip(5, 3)
    disk.mount()
    changed = {
        (f"/{name}", offset)
        for name in names
        for offset, byte in enumerate((disk.mountpoint / name).read_bytes())
        if byte
    }
    assert len(flips) == 5
    assert changed == set(flips)


def test_an_armed_mount_stops_in_the_middle_of_a_process(disk: FaultFs) -> None:
    """The process is killed before its tenth write; the ninth was not synced."""
    code = f"""
import os
fd = os.open({str(disk.mountpoint / "file")!r}, os.O_WRONLY | os.O_CREAT)
for number in range(100):
    os.write(fd, b"%03d" % number)
    os.fsync(fd)
"""
    disk.mount(freeze_at=1 + 2 * 8 + 2)
    writer = subprocess.Popen([sys.executable, "-c", code])
    disk.on_frozen = writer.kill
    assert writer.wait(60) == -signal.SIGKILL
    assert disk.frozen.is_set()
    disk.unmount()
    assert disk.cut("lost", 0) == (1, 3)
    disk.mount()
    assert (disk.mountpoint / "file").read_bytes() == b"000001002003004005006007"


def test_hard_links_and_open_files_without_names_work(disk: FaultFs) -> None:
    disk.mount()
    first, second = disk.mountpoint / "first", disk.mountpoint / "second"
    write(first, b"x", sync=True)
    os.link(first, second)
    os.symlink("second", disk.mountpoint / "third")
    with first.open("rb") as stream:
        first.unlink()
        second.unlink()
        assert stream.read() == b"x"
    assert os.readlink(disk.mountpoint / "third") == "second"
    assert os.listdir(disk.mountpoint) == ["third"]


def test_the_end_of_the_suite_unmounts(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from zeps_conformance.durability.faultfs import FaultFs
fs = FaultFs(Path({str(tmp_path / "disk")!r}))
fs.mount()
print(os.path.ismount(fs.mountpoint), fs._process.pid, flush=True)
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    mounted, pid = done.stdout.split()
    assert mounted == "True"
    while Path(f"/proc/{pid}/stat").exists() and ") Z " not in Path(f"/proc/{pid}/stat").read_text():
        os.sched_yield()
    assert not os.path.ismount(tmp_path / "disk")


def test_a_missing_compiler_is_reported_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FaultFsError, match=r"cc or pkg-config not found.*apt-get install gcc"):
        build_faultfs(tmp_path)


def test_denied_access_to_fuse_is_reported_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faultfs.os, "access", lambda *_: False)
    with pytest.raises(FaultFsError, match=r"/dev/fuse.*--device /dev/fuse"):
        FaultFs(tmp_path / "disk")
