"""`select` finds the same messages as a full read, for all block sizes and all damage."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import sized
from google_crc32c import value
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_helpers import NOW, FaultyDisk, Opened, block_of, flip, quiet, segment_files, served, stream_in

from zeps_broker.journal.selection import select_from
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import Lost, Selected
from zeps_journal import block
from zeps_journal.index import BLOCK_SIZE_MIN, Indexes, Pread, read_indexes
from zeps_wire.zeps import Deliver


def starts_with(prefix: str, keys_max: int | None = None) -> Callable[[Sequence[bytes]], list[bool]]:
    return lambda keys: [key.startswith(prefix.encode()) for key in keys[:keys_max]]


def fill(log: StreamJournal, blocks: Sequence[Sequence[tuple[str, int]]]) -> None:
    """Appends a block for each list of (key, bytes of the body)."""
    for messages in blocks:
        first = log.last_sequence + 1
        numbered = [(first + n, key, bytes([n % 256]) * size) for n, (key, size) in enumerate(messages)]
        log.append([Deliver(*message).encode() for message in numbered], NOW)


def selected(
    log: StreamJournal, prefix: str, after: int = 0, keys_max: int | None = None
) -> tuple[dict[int, bytes], int]:
    """Returns the messages found by selecting (whole blocks are searched here), and the number of selective results."""
    frames_by_sequence: dict[int, bytes] = {}
    times = 0
    while (piece := log.select(after, starts_with(prefix, keys_max))) is not None:
        assert piece.first_sequence <= after + 1 <= piece.last_sequence
        if isinstance(piece, Lost):
            assert piece.first_sequence == after + 1
        elif isinstance(piece, Selected):
            times += 1
            assert list(piece.sequences) == sorted(piece.sequences)
            assert all(piece.first_sequence <= n <= piece.last_sequence for n in piece.sequences)
            frames_by_sequence.update(zip(piece.sequences, piece.frames, strict=True))
        else:
            frames = zip(range(piece.first_sequence, piece.last_sequence + 1), piece.frames(), strict=True)
            frames_by_sequence.update(
                (n, frame) for n, frame in frames if block.key_of(frame).startswith(prefix.encode())
            )
        after = piece.last_sequence
    return frames_by_sequence, times


def matching(log: StreamJournal, prefix: str) -> dict[int, bytes]:
    return {n: frame for n, frame in served(log).items() if block.key_of(frame).startswith(prefix.encode())}


messages = st.tuples(
    st.sampled_from(["", "a", "ab", "b/x", "é", "k" * 255]), st.sampled_from([0, 1, 300, 4090, 9000])
)


@settings(max_examples=sized(20, 600), deadline=None)
@given(
    st.lists(st.lists(messages, min_size=1, max_size=40), min_size=1, max_size=12),
    st.sampled_from(["", "a", "b", "é", "z"]),
    st.integers(0, 100),
)
def test_finds_what_reading_finds(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple[str, int]]], prefix: str, after: int
) -> None:
    folder = tmp_path_factory.mktemp("data")
    for is_written in (False, True):  # and again with a store that has not walked the older segments
        with stream_in(folder, sync="os", cache_bytes_max=1, segment_bytes=100_000) as log:
            fill(log, () if is_written else blocks)
            expected = {n: frame for n, frame in matching(log, prefix).items() if n > after}
            selected_frames, _ = selected(log, prefix, after)
            assert {n: frame for n, frame in selected_frames.items() if n > after} == expected


@given(
    st.lists(st.lists(messages, min_size=1, max_size=9), min_size=1, max_size=12),
    st.sampled_from(["", "a", "b"]),
    st.integers(1, 5),
)
def test_finds_what_reading_finds_if_not_all_keys_are_judged(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple[str, int]]], prefix: str, keys_max: int
) -> None:
    """A block with more keys than are judged at a time is returned whole, and a selection ends before it."""
    folder = tmp_path_factory.mktemp("data")
    with stream_in(folder, sync="os", cache_bytes_max=1) as log:
        fill(log, blocks)
    with stream_in(folder, sync="os", cache_bytes_max=1) as log:
        assert selected(log, prefix, keys_max=keys_max)[0] == matching(log, prefix)


def large(opened: Opened, blocks: int = 8, count: int = 200, **options: Any) -> dict[int, bytes]:
    """Writes large blocks to the stream `s`; returns the messages whose keys are hot, one of fifty."""
    with closing(opened(sync="os", **options)) as store:
        log = store.open("s")
        fill(log, [[("hot" if n % 50 == 7 else f"cold{n % 5}", 300) for n in range(count)]] * blocks)
        return matching(log, "hot")


def reopened(opened: Opened, **options: Any) -> StreamJournal:
    """Opens the stream `s` for reading, without a cache."""
    return opened(**({"log": quiet(), "read_only": True, "cache_bytes_max": 1} | options)).open("s")


def test_reads_a_small_part_only(opened: Opened, tmp_path: Path) -> None:
    large(opened)
    disk = FaultyDisk()
    bytes_read = 0
    pread = disk.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        nonlocal bytes_read
        data = pread(fd, size, offset)
        bytes_read += len(data)
        return data

    log = reopened(opened, disk=disk)
    disk.pread = counted  # type: ignore[method-assign]
    selected_frames, times = selected(log, "hot")
    assert len(selected_frames) == 8 * 4
    assert times >= 1
    assert bytes_read < segment_files(tmp_path)[0].stat().st_size / 3


@pytest.mark.parametrize("seed", range(6))
def test_damage_is_never_served(opened: Opened, tmp_path: Path, seed: int) -> None:
    """A bit flipped anywhere: no returned byte is wrong, and only messages of the damaged block are missing."""
    chance = random.Random(seed)
    whole = large(opened, 4, 100)
    (segment,) = segment_files(tmp_path)
    data = segment.read_bytes()
    for _ in range(25):
        flip(segment, chance.randrange(30, len(data)), 1 << chance.randrange(8))
        selected_frames, _ = selected(reopened(opened), "hot")
        assert selected_frames.items() <= whole.items()
        missing = {(n - 1) // 100 for n in whole if n not in selected_frames}
        assert len(missing) <= 1
        segment.write_bytes(data)


def test_damage_where_nothing_is_wanted_costs_nothing(opened: Opened, tmp_path: Path) -> None:
    whole = large(opened, 4, segment_bytes=100_000)
    first = segment_files(tmp_path)[0]
    flip(first, first.stat().st_size - 10, 1)
    log = reopened(opened)
    assert selected(log, "hot")[0] == whole
    assert log.damages == []
    assert len(served(log)) == 800 - sum(damage.messages for damage in log.damages) > 780
    assert len(log.damages) == 1


def encoded(count: int) -> list[bytes]:
    """Returns blocks of 100 messages each, every tenth of them hot."""
    blocks = []
    for first in range(1, 100 * count, 100):
        keys = [(n, "hot" if n % 10 == 0 else "cold") for n in range(first, first + 100)]
        blocks.append(block_of([Deliver(n, key, bytes(300)).encode() for n, key in keys], first))
    return blocks


def reader(data: bytes) -> Pread:
    return lambda size, at: data[at : at + size]


def read_from(data: bytes, at: int = 0, sequence: int = 1, stop: int = 1 << 20) -> Indexes | None:
    return read_indexes(reader(data), at, sequence, len(data), 999, stop)


def test_a_small_block_is_not_selected_from() -> None:
    data = block_of([Deliver(n, "k", b"").encode() for n in range(1, 4)])
    assert len(data) < BLOCK_SIZE_MIN
    assert read_from(data) is None


def test_indexes_are_read_as_far_as_told() -> None:
    data = b"".join(encoded(5))
    size = len(data) // 5
    for stop, blocks in ((0, 1), (1, 1), (size + 1, 2), (10 * size, 5)):
        indexes = read_from(data, stop=stop)
        assert indexes is not None
        assert [block.next_sequence for block in indexes.blocks] == [101 + 100 * n for n in range(blocks)]
        assert indexes.bytes_read < indexes.end / 5
        assert indexes.number(size * (blocks - 1)) == blocks - 1
        assert indexes.number(size * blocks) is None
        assert indexes.number(1) is None


@pytest.mark.parametrize("skip", range(5))
@pytest.mark.parametrize(("enough", "blocks"), [(0, 1), (1, 1), (3500, 2), (1 << 20, 5)])
def test_blocks_are_selected_from_together_until_there_is_enough(skip: int, enough: int, blocks: int) -> None:
    data = b"".join(encoded(5))
    indexes = read_from(data)
    assert indexes is not None
    part = select_from(reader(data), indexes, skip, starts_with("hot"), enough)
    assert part is not None
    assert list(part.blocks) == list(indexes.blocks[skip : skip + blocks])
    assert part.sequences == list(range(100 * skip + 10, 100 * min(skip + blocks, 5) + 1, 10))
    assert part.frames == [Deliver(n, "hot", bytes(300)).encode() for n in part.sequences]


def test_a_wrong_page_ends_the_part_before_its_block() -> None:
    parts = encoded(3)
    data = bytearray(b"".join(parts))
    data[len(parts[0]) + len(parts[1]) - 10] ^= 1
    indexes = read_from(bytes(data))
    assert indexes is not None
    for skip, expected in enumerate(([*range(10, 101, 10)], None, [*range(210, 301, 10)])):
        part = select_from(reader(bytes(data)), indexes, skip, starts_with("hot"), 1 << 20)
        assert (part and part.sequences) == expected


def test_kept_indexes_serve_another_pattern(opened: Opened) -> None:
    large(opened, segment_bytes=100_000)
    disk = FaultyDisk()
    log = opened(disk=disk, log=quiet(), read_only=True).open("s")
    assert selected(log, "hot")[0] == matching(log, "hot")
    calls = disk.calls["pread"]
    assert selected(log, "nothing like it")[0] == {}
    assert disk.calls["pread"] - calls <= 2, "indexes of the growing segment are not cached"
    assert (
        selected(log, "cold3", 700)[0].items()
        >= {n: frame for n, frame in matching(log, "cold3").items() if n > 700}.items()
    )


@pytest.mark.parametrize("column", ["ends", "last-end", "key-numbers", "key-ends"])
def test_an_index_that_was_written_wrong_costs_only_its_block(column: str) -> None:
    """Its checksum is correct, since the writer computed it from the wrong index."""
    first, second, third = encoded(3)
    at = {
        "ends": block.HEAD_SIZE + 8 * 100 + 4 * 50,
        "last-end": block.HEAD_SIZE + 8 * 100 + 4 * 99 + 2,
        "key-numbers": block.HEAD_SIZE + 12 * 100 + 2 * 33,
        "key-ends": block.HEAD_SIZE + 14 * 100 + 4 * 8 + 4 + 3,
    }[column]
    wrong = bytearray(second)
    wrong[at] ^= 0x01
    head = block.unpack_head(second)
    assert head is not None
    assert head.pages == 8
    wrong[8:12] = value(bytes(wrong[12 : head.frames_at])).to_bytes(4, "big")
    data = first + bytes(wrong) + third

    assert [indexes and len(indexes.blocks) for indexes in (
        read_from(data), read_from(data, len(first), 101), read_from(data, len(first + second), 201)
    )] == [1, None, 1]  # fmt: skip


def test_a_device_that_cannot_read_a_page_costs_its_block(opened: Opened, tmp_path: Path) -> None:
    whole = large(opened, 4, 100)
    middle = segment_files(tmp_path)[0].stat().st_size // 2
    disk = FaultyDisk()
    pread = disk.pread

    def broken(fd: int, size: int, offset: int) -> bytes:
        if offset <= middle < offset + size:
            raise OSError(errno.EIO, "no such luck")
        return pread(fd, size, offset)

    log = reopened(opened, disk=disk)
    disk.pread = broken  # type: ignore[method-assign]
    selected_frames, _ = selected(log, "hot")
    assert selected_frames.items() <= whole.items()
    assert len({(n - 1) // 100 for n in whole if n not in selected_frames}) <= 1
