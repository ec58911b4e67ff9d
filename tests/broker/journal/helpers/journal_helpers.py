"""Messages, a simple reader of all messages, and a disk that fails on request."""

from __future__ import annotations

import logging
import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from zeps_broker.journal import JournalStore
from zeps_broker.journal.disk import OsDisk
from zeps_broker.journal.encoding import encode_blocks
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import Block, Lost
from zeps_wire.zeps import Deliver

Opened = Callable[..., JournalStore]
"""The type of the fixture :func:`opened`."""

NOW = 1_700_000_000_000_000
"""A time in microseconds."""


def frames(first: int, count: int, size: int = 20, key: str = "key") -> list[bytes]:
    """Returns `count` DELIVER frames from sequence `first` on, each with a unique body."""
    return [
        Deliver(n, f"{key}/{n % 3}", (b"%d:" % n).ljust(size, b"x")).encode()
        for n in range(first, first + count)
    ]


def fill_random(
    log: StreamJournal, chance: Random, sizes: Iterable[tuple[int, int]], keys: Sequence[str]
) -> dict[int, bytes]:
    """Appends a block for each number of messages and bytes of the longest body; returns the stored messages."""
    stored = {}
    for count, longest in sizes:
        first = log.last_sequence + 1
        block = [
            Deliver(n, chance.choice(keys), chance.randbytes(chance.randint(0, longest))).encode()
            for n in range(first, first + count)
        ]
        log.append(block, NOW + first)
        stored.update(enumerate(block, first))
    return stored


def block_of(frames: Sequence[bytes], first: int = 1) -> bytes:
    """Returns the block of these frames, as on disk; the first has sequence `first`, and all have the time NOW."""
    (block,) = encode_blocks(first, frames, NOW)
    return b"".join(block.encoded)


def baited(behind: bytes) -> tuple[list[bytes], bytes]:
    """Frames 41 to 60, and a block of 50 to 54 with keys `FORGED`; the body of 58 is that block and `behind`."""
    bait = block_of(frames(50, 5, key="FORGED"), 50)
    inside = frames(41, 20, 100)
    inside[17] = Deliver(58, "key", bait + behind).encode()
    return inside, bait


def fill(log: StreamJournal, counts: Sequence[int], size: int = 20, time_us: int = NOW) -> dict[int, bytes]:
    """Appends a block of each of `counts` messages; returns the stored messages by sequence."""
    stored = {}
    for count in counts:
        first = log.last_sequence + 1
        block = frames(first, count, size)
        log.append(block, time_us + first)
        stored.update(zip(range(first, first + count), block, strict=True))
    return stored


def written(
    opened: Opened, counts: Sequence[int], size: int = 20, streams: Sequence[str] = ("s",), **options: Any
) -> dict[int, bytes]:
    """Fills streams of the test's store, and closes it; returns the stored messages, which are the same in each."""
    store = opened(**options)
    stored = [fill(store.open(stream), counts, size) for stream in streams]
    store.close()
    return stored[0]


def faulty(opened: Opened, **options: Any) -> tuple[FaultyDisk, JournalStore, StreamJournal]:
    """Opens the stream `s` on a disk that can be made to fail."""
    disk = FaultyDisk()
    store = opened(disk=disk, **options)
    return disk, store, store.open("s")


def pieces(log: StreamJournal, after: int = 0) -> Iterator[Block | Lost]:
    """Yields the log's content after a sequence, read as a subscriber would: each sequence once, served or lost."""
    while (piece := log.read(after)) is not None:
        if isinstance(piece, Lost):
            assert piece.first_sequence == after + 1
        else:
            assert len(piece.times) == len(piece.ends) == piece.count
            assert piece.ends[-1] == len(piece.data)
        assert piece.first_sequence <= after + 1 <= piece.last_sequence
        yield piece
        after = piece.last_sequence
    assert after >= log.last_sequence


def served(log: StreamJournal, after: int = 0) -> dict[int, bytes]:
    """Returns all messages that the log serves, by sequence."""
    frames_by_sequence: dict[int, bytes] = {}
    for block in pieces(log, after):
        if isinstance(block, Block):
            frames_by_sequence.update(enumerate(block.frames(), block.first_sequence))
    return {sequence: frame for sequence, frame in frames_by_sequence.items() if sequence > after}


def lost(log: StreamJournal, after: int = 0) -> list[Lost]:
    """Returns all ranges that the log cannot serve."""
    return [piece for piece in pieces(log, after) if isinstance(piece, Lost)]


def quiet() -> logging.Logger:
    """Returns a logger without output."""
    logger = logging.Logger("quiet")
    logger.disabled = True
    return logger


@contextmanager
def stream_in(folder: Path, **options: Any) -> Iterator[StreamJournal]:
    """Yields the stream `s` of a folder, opened on a quick disk and without log output; then closes its store."""
    store = JournalStore(folder, **{"disk": QuickDisk(), "log": quiet(), **options})
    try:
        yield store.open("s")
    finally:
        store.close()


def segment_files(folder: Path) -> list[Path]:
    """Returns all segment files below `folder`, oldest first within a stream."""
    return sorted(folder.rglob("*.segment"))


def flip(path: Path, offset: int, mask: int) -> None:
    """Inverts bits of one byte."""
    data = bytearray(path.read_bytes())
    data[offset] ^= mask
    path.write_bytes(data)


class QuickDisk(OsDisk):
    """The real disk without waiting for the device; only tests that kill processes could detect the difference."""

    def fdatasync(self, fd: int) -> None:
        pass

    def sync_folder(self, path: Path) -> None:
        pass


def _stepped(call: str) -> Callable[..., Any]:
    """Returns a method of :class:`FaultyDisk` that takes the next step of `call`, and then makes the call."""

    def method(disk: FaultyDisk, *arguments: Any) -> Any:
        disk._step(call)
        return getattr(super(FaultyDisk, disk), call)(*arguments)

    return method


class FaultyDisk(QuickDisk):
    """A disk that counts calls and fails as planned. `plan["fdatasync"]` is a queue with one entry per call: an
    exception is raised, None means success, a number (pwritev, pread) is the maximum number of bytes processed.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.plan: defaultdict[str, deque[BaseException | int | None]] = defaultdict(deque)

    def _step(self, call: str) -> int | None:
        self.calls[call] += 1
        step = self.plan[call].popleft() if self.plan[call] else None
        if isinstance(step, BaseException):
            raise step
        return step

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        self._step("create" if create else "open")
        return super().open(path, write=write, create=create)

    def pread(self, fd: int, size: int, offset: int) -> bytes:
        most = self._step("pread")
        return super().pread(fd, size if most is None else min(most, size), offset)

    def reader(self, fd: int) -> Callable[[int, int], bytes]:
        return lambda size, offset: self.pread(fd, size, offset)

    def pwritev(self, fd: int, buffers: Sequence[bytes], offset: int) -> int:
        most = self._step("pwritev")
        if most is None:
            return super().pwritev(fd, buffers, offset)
        return os.pwrite(fd, b"".join(buffers)[:most], offset) if most else 0

    def listdir(self, path: Path) -> list[str]:
        self._step("listdir")
        return super().listdir(path)

    truncate = _stepped("truncate")
    fdatasync = _stepped("fdatasync")
    sync_folder = _stepped("sync_folder")
    unlink = _stepped("unlink")
    mkdir = _stepped("mkdir")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Returns a factory of JournalStores in the test's folder, on a quick disk; open stores are closed at the end."""
    stores: list[JournalStore] = []

    def open_store(**options: Any) -> JournalStore:
        options.setdefault("disk", QuickDisk())
        store = JournalStore(options.pop("path", tmp_path / "data"), **options)
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        store.close()
