"""Files that are not regular files, in place of a journal's files."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_helpers import Opened, fill, served

from zeps_broker.journal.lock import LOCK_FILE, FolderLock, holder
from zeps_broker.ports import JournalError
from zeps_journal.segment_file import SegmentFile


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


KINDS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "socket": make_socket,
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def make(request: pytest.FixtureRequest) -> Callable[[Path], object]:
    """Returns a function that creates a file that is not a regular file."""
    made: Callable[[Path], object] = request.param
    return made


@pytest.mark.parametrize("number", [1, 8, 99], ids=["oldest", "instead", "newest"])
@pytest.mark.parametrize("stream", ["s", "long" * 60])
def test_a_segment_that_is_not_a_regular_file_is_an_error_that_names_it(
    opened: Opened, tmp_path: Path, make: Callable[[Path], object], number: int, stream: str
) -> None:
    first = opened(segment_bytes=100)
    fill(first.open(stream), [7, 7])
    stored = fill(first.open("other"), [7])
    folder = first.open(stream).segments[0].path.parent
    first.close()
    path = folder / f"{number:020}.segment"
    path.unlink(missing_ok=True)
    make(path)
    for options in ({}, {"read_only": True}, {"retain_seconds": 60}):
        store = opened(**options)
        assert set(store.streams()) == {"other", stream}
        with pytest.raises(JournalError, match=f"{path}: cannot open the stream: .*; make it readable"):
            store.open(stream)
        assert served(store.open("other")) == stored
        store.close()


def test_a_segment_file_is_a_regular_file(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "file")
    with pytest.raises(OSError, match="not a regular file"):
        SegmentFile(str(tmp_path / "file"), 1000)


def test_a_lock_is_a_regular_file(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / LOCK_FILE)
    assert holder(tmp_path) is None
    with pytest.raises(JournalError, match="cannot make the lock file"):
        FolderLock(tmp_path)


def test_a_segment_may_be_a_link_to_a_regular_file(opened: Opened, tmp_path: Path) -> None:
    first = opened()
    stored = fill(first.open("s"), [7])
    path = first.open("s").segments[0].path
    first.close()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    log = opened().open("s")
    stored |= fill(log, [2])
    assert served(log) == stored
