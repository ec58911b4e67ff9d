"""Runs and holes, in bytes in memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import pytest
from google_crc32c import value
from hypothesis import given
from hypothesis import strategies as st
from journal_helpers import NOW, baited, block_of, frames

from zeps_journal.block import page_checksums
from zeps_journal.block_run import RUN_MESSAGES, RUN_SIZE, BlockRun, Read, valid_block
from zeps_journal.damage import SPOILT
from zeps_journal.scan import Hole, next_piece
from zeps_wire import journal as wire


def block(first: int, count: int, size: int = 20) -> bytes:
    return block_of(frames(first, count, size), first)


def blocks(counts: Sequence[int], size: int = 20) -> list[bytes]:
    encoded, first = [], 1
    for count in counts:
        encoded.append(block(first, count, size))
        first += count
    return encoded


def with_ends(first: int, count: int, ends: Sequence[int]) -> bytes:
    """Returns a block with a correct checksum whose writer computed wrong ends."""
    data = b"".join(frames(first, count))
    pages = tuple(page_checksums(data))
    keys = b"".join(b"key/%d" % (n % 3) for n in range(first, first + count))
    key_ends = tuple(range(5, 5 * count + 5, 5))
    numbers = ((NOW,) * count, tuple(ends), tuple(range(count)))
    fields = (first, NOW, NOW, *numbers, pages, key_ends, keys, data)
    unsigned = wire.Block(0, 0, *fields).encode()
    index_checksum = value(unsigned[12 : len(unsigned) - len(data)])
    checksum = value(wire.Block(0, index_checksum, *fields).encode()[8:])
    return wire.Block(checksum, index_checksum, *fields).encode()


def pieces(data: bytes, limit: int | None = None) -> list[BlockRun | Hole]:
    scanned: list[BlockRun | Hole] = []
    at, sequence = 0, 1
    while at < len(data):
        scanned.append(next_piece(reader(data), at, sequence, len(data), limit))
        at, sequence = scanned[-1].end, scanned[-1].next_sequence
    return scanned


def reader(data: bytes) -> Read:
    return lambda offset, size: data[offset : offset + size]


def runs_of(scanned: Sequence[BlockRun | Hole]) -> list[BlockRun]:
    return [piece for piece in scanned if isinstance(piece, BlockRun)]


def sequences(scanned: Sequence[BlockRun | Hole]) -> list[int]:
    return [n for run in runs_of(scanned) for n in range(run.block.first_sequence, run.next_sequence)]


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=12), st.integers(0, 200))
def test_runs_keep_their_bounds_and_lose_nothing(counts: list[int], size: int) -> None:
    scanned = pieces(b"".join(blocks(counts, size)))
    assert all(isinstance(piece, BlockRun) for piece in scanned)
    assert sequences(scanned) == list(range(1, sum(counts) + 1))
    assert [frame for run in runs_of(scanned) for frame in run.block.frames()] == frames(1, sum(counts), size)
    for run in runs_of(scanned):
        assert run.block.count in counts or (run.end - run.at <= RUN_SIZE and run.block.count <= RUN_MESSAGES)


@pytest.mark.parametrize("ends", [(41, 30, 123), (0, 41, 123), (41, 123, 82), (41, 82, 122), (41, 82, 124)])
def test_a_block_whose_ends_are_wrong_is_a_hole_though_its_checksum_holds(ends: tuple[int, ...]) -> None:
    assert with_ends(3, 3, (41, 82, 123)) == block(3, 3)
    data = block(1, 2) + with_ends(3, 3, ends) + block(6, 1)
    assert sequences(pieces(data)) == [1, 2, 6]
    assert valid_block(reader(data), len(block(1, 2)), len(data)) is None


@pytest.mark.parametrize("count", [1, 300, 65_536])
@pytest.mark.parametrize("size", [0, 100])
def test_a_large_block_whose_sizes_are_lost(count: int, size: int) -> None:
    damaged = bytearray(block(3, count, size))
    damaged[32:40] = bytes(8)
    scanned = pieces(block(1, 2) + damaged + block(count + 3, 4))
    assert sequences(scanned) == [1, 2, *range(count + 3, count + 7)]
    assert scanned[1] == (
        len(block(1, 2)),
        len(block(1, 2)) + len(damaged),
        count + 3,
        SPOILT,
        scanned[1].reason,
    )


def test_frames_larger_than_what_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = bytearray(block(1, 4, 900_000))
    damaged[32:40] = bytes(8)
    assert sequences(pieces(bytes(damaged) + block(5, 1))) == [5]


def test_bytes_lost_over_several_blocks() -> None:
    data = bytearray(b"".join(blocks([1] * 100, 100)))
    data[4096:8192] = bytes(4096)
    scanned = pieces(bytes(data))
    hole = next(piece for piece in scanned if isinstance(piece, Hole))
    served = sequences(scanned)
    lost = set(range(1, 101)) - set(served)
    size = len(block(1, 1, 100))
    assert lost == set(range(4096 // size + 1, 8191 // size + 2))
    assert (hole.at, hole.end) == (4096 // size * size, (8191 // size + 1) * size)


@pytest.mark.parametrize("left", [1, 4, 60, 100, 500])
def test_bytes_that_are_gone_cost_no_block_behind_them(left: int) -> None:
    """The remaining bytes could not hold as many messages; the file's end and its last sequence confirm the result."""
    first, torn, *rest = blocks([2, 300, 3, 1])
    data = first + torn[:left] + b"".join(rest)
    assert sequences(pieces(data, limit=306)) == [1, 2, 303, 304, 305, 306]
    assert sequences(pieces(data, limit=307)) == [1, 2]
    assert sequences(pieces(data)) == [1, 2]


def test_a_journal_in_a_message_is_no_end_of_the_file() -> None:
    """Its last sequence would be right, but more bytes follow it."""
    first, torn, last = blocks([2, 300, 1])
    bait = block(290, 14)
    data = first + torn[:60] + bait + b"the message's last octets" + last
    assert sequences(pieces(data, limit=303)) == [1, 2, 303]


def many(damaged: dict[int, Callable[[bytes], bytes]], count: int = 21) -> bytes:
    """Returns blocks of 20 messages each; those with the given numbers, from 1, are damaged."""
    return b"".join(
        damaged.get(number, bytes)(encoded) for number, encoded in enumerate(blocks([20] * count, 100), 1)
    )


def zero_start(data: bytes) -> bytes:
    return bytes(1024) + data[1024:]


def zero_end(data: bytes) -> bytes:
    return data[:-1024] + bytes(1024)


def zero_all(data: bytes) -> bytes:
    return bytes(len(data))


def flip(data: bytes) -> bytes:
    return data[:2000] + bytes([data[2000] ^ 4]) + data[2001:]


def torn(data: bytes) -> bytes:
    return data[:60]


def all_but(*numbers: int) -> list[int]:
    return [n for n in range(1, 421) if (n + 19) // 20 not in numbers]


@pytest.mark.parametrize("limit", [None, 420])
@pytest.mark.parametrize("first", [zero_start, zero_all])
@pytest.mark.parametrize("second", [flip, zero_start, zero_end, zero_all])
def test_what_is_intact_between_two_damages_is_served(
    first: Callable[[bytes], bytes], second: Callable[[bytes], bytes], limit: int | None
) -> None:
    assert sequences(pieces(many({3: first, 13: second}), limit=limit)) == all_but(3, 13)
    assert sequences(pieces(many({3: first, 21: second}), limit=limit)) == all_but(3, 21)
    assert sequences(pieces(many({3: first, 4: second, 9: first}), limit=limit)) == all_but(3, 4, 9)


@pytest.mark.parametrize("first", [torn, zero_start, zero_all])
def test_what_is_intact_before_bytes_that_are_gone_is_served(first: Callable[[bytes], bytes]) -> None:
    assert sequences(pieces(many({3: first, 13: torn}), limit=420)) == all_but(3, 13)


def with_bait(behind: bytes) -> tuple[bytes, bytes]:
    """Returns the block of the frames of :func:`baited`, and its part before the bait."""
    inside, bait = baited(behind)
    data = block_of(inside, 41)
    return data, data[: data.index(bait)]


@pytest.mark.parametrize("limit", [None, 420])
@pytest.mark.parametrize("second", [bytes, flip, zero_start, zero_end])
@pytest.mark.parametrize("behind", [b"", b"the message's last octets"])
def test_bait_is_told_from_blocks_between_two_damages(
    behind: bytes, second: Callable[[bytes], bytes], limit: int | None
) -> None:
    data, before = with_bait(behind)
    lost = (3,) if second is bytes else (3, 13)
    for zeros in (1024, len(before)):
        damaged = bytes(zeros) + data[zeros:]
        scanned = pieces(many({3: lambda _, damaged=damaged: damaged, 13: second}), limit=limit)  # type: ignore[misc]
        assert sequences(scanned) == all_but(*lost)
        assert b"FORGED" not in b"".join(run.block.data for run in runs_of(scanned))


def test_bait_in_the_second_damage_costs_no_block_before_it() -> None:
    """Its sequences could come later in the stream, whose end is not known."""
    bait = block(425, 5)
    scanned = pieces(many({3: zero_start, 21: lambda data: bytes(1024) + data[1024:-300] + bait + bytes(9)}))
    assert sequences(scanned)[:360] == all_but(3, 21)[:360]


@pytest.mark.parametrize("limit", [None, 24_000])
@pytest.mark.parametrize("second", [1200, 600])
def test_a_search_reads_each_octet_a_few_times_at_most(second: int, limit: int | None) -> None:
    data = many({3: zero_start, second: zero_start}, count=1200)
    at = len(b"".join(blocks([20, 20], 100)))
    asked = 0

    def read(offset: int, size: int) -> bytes:
        nonlocal asked
        chunk = data[offset : offset + size]
        asked += len(chunk)
        return chunk

    piece = next_piece(read, at, 41, len(data), limit)
    assert (piece.at, piece.next_sequence) == (at, 61)
    assert asked < 6 * len(data)


def test_bait_in_the_bytes_that_are_lost_is_searched_only_so_long() -> None:
    """Plausible heads, each of a block with a long index: checking all of them would take too long."""
    bait = b"".join(wire.block_head(n, 0, 2, NOW, NOW, 3000, 48_000, 12, 1, 5) for n in range(2000))
    damaged = bytearray(b"\xff" * 100 + bait + bytes(60_000))
    scanned = pieces(bytes(damaged) + block(2, 1))
    assert scanned[0].end == len(damaged) + len(block(2, 1))


@pytest.mark.parametrize("steady", [True, False])
def test_a_place_that_reads_well_only_at_times(steady: bool) -> None:
    data = block(1, 1) + block(2, 1)
    calls = 0

    def read(at: int, size: int) -> bytes:
        nonlocal calls
        calls += 1
        good = calls > 2 if steady else calls in (3, 4)
        return data[at : at + size] if good else bytes(min(size, len(data) - at))

    piece = next_piece(read, 0, 1, len(data))
    assert (piece.end, piece.next_sequence) == (len(block(1, 1)), 2)
    assert isinstance(piece, BlockRun) == steady


def test_numbers_come_as_arrays() -> None:
    (run,) = pieces(b"".join(blocks([2, 1])))
    assert isinstance(run, BlockRun)
    assert isinstance(run.block.ends, array)
    assert isinstance(run.block.times, array)
