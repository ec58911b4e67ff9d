"""Runs and holes, in octets that lie in memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest
from google_crc32c import value
from hypothesis import given
from hypothesis import strategies as st
from journal_helpers import NOW, frames

from zeps_broker.journal.block import encode_blocks, page_checksums
from zeps_broker.journal.scan import RUN_MESSAGES, RUN_OCTETS, Hole, Run, next_piece, valid_block
from zeps_wire import journal as wire


def block(first: int, count: int, size: int = 20) -> bytes:
    (written,) = encode_blocks(first, frames(first, count, size), NOW)
    return b"".join(written.buffers)


def blocks(counts: Sequence[int], size: int = 20) -> list[bytes]:
    found, first = [], 1
    for count in counts:
        found.append(block(first, count, size))
        first += count
    return found


def with_ends(first: int, count: int, ends: Sequence[int]) -> bytes:
    """A block whose checksum holds and whose ends its writer got wrong."""
    octets = b"".join(frames(first, count))
    pages = tuple(page_checksums(octets))
    keys = b"".join(b"key/%d" % (n % 3) for n in range(first, first + count))
    key_ends = tuple(range(5, 5 * count + 5, 5))
    fields = (
        first,
        NOW,
        NOW,
        (NOW,) * count,
        tuple(ends),
        tuple(range(count)),
        pages,
        key_ends,
        keys,
        octets,
    )
    unsigned = wire.Block(0, 0, *fields).encode()
    index_checksum = value(unsigned[12 : len(unsigned) - len(octets)])
    checksum = value(wire.Block(0, index_checksum, *fields).encode()[8:])
    return wire.Block(checksum, index_checksum, *fields).encode()


def pieces(octets: bytes, sequence: int = 1, limit: int | None = None) -> list[Run | Hole]:
    found: list[Run | Hole] = []
    at = 0
    while at < len(octets):
        piece = next_piece(
            lambda offset, size: octets[offset : offset + size], at, sequence, len(octets), limit
        )
        found.append(piece)
        at = piece.end
        if piece.next_sequence is None:
            assert at == len(octets)
            break
        sequence = piece.next_sequence
    return found


def sequences(found: Sequence[Run | Hole]) -> list[int]:
    return [
        n for run in found if isinstance(run, Run) for n in range(run.block.first_sequence, run.next_sequence)
    ]


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=12), st.integers(0, 200))
def test_runs_keep_their_bounds_and_lose_nothing(counts: list[int], size: int) -> None:
    found = pieces(b"".join(blocks(counts, size)))
    assert all(isinstance(piece, Run) for piece in found)
    assert sequences(found) == list(range(1, sum(counts) + 1))
    runs = [piece for piece in found if isinstance(piece, Run)]
    joined = [frame for run in runs for frame in run.block.frames()]
    assert joined == frames(1, sum(counts), size)
    for run in runs:
        assert run.block.count in counts or (
            run.end - run.at <= RUN_OCTETS and run.block.count <= RUN_MESSAGES
        )


@pytest.mark.parametrize("ends", [(41, 30, 123), (0, 41, 123), (41, 123, 82), (41, 82, 122), (41, 82, 124)])
def test_a_block_whose_ends_are_wrong_is_a_hole_though_its_checksum_holds(ends: tuple[int, ...]) -> None:
    assert with_ends(3, 3, (41, 82, 123)) == block(3, 3)
    octets = block(1, 2) + with_ends(3, 3, ends) + block(6, 1)
    assert sequences(pieces(octets)) == [1, 2, 6]
    assert valid_block(lambda at, n: octets[at : at + n], len(block(1, 2)), len(octets)) is None


@pytest.mark.parametrize("count", [1, 300, 65_536])
@pytest.mark.parametrize("size", [0, 100])
def test_a_large_block_whose_sizes_are_lost(count: int, size: int) -> None:
    damaged = bytearray(block(3, count, size))
    damaged[32:40] = bytes(8)
    found = pieces(block(1, 2) + damaged + block(count + 3, 4))
    assert sequences(found) == [1, 2, *range(count + 3, count + 7)]
    assert found[1] == (len(block(1, 2)), len(block(1, 2)) + len(damaged), count + 3, found[1].reason)


def test_frames_larger_than_what_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = bytearray(block(1, 4, 900_000))
    damaged[32:40] = bytes(8)
    assert sequences(pieces(bytes(damaged) + block(5, 1))) == [5]


def test_octets_lost_over_several_blocks() -> None:
    octets = bytearray(b"".join(blocks([1] * 100, 100)))
    octets[4096:8192] = bytes(4096)
    found = pieces(bytes(octets))
    hole = next(piece for piece in found if isinstance(piece, Hole))
    served = sequences(found)
    lost = set(range(1, 101)) - set(served)
    size = len(block(1, 1, 100))
    assert lost == set(range(4096 // size + 1, 8191 // size + 2))
    assert (hole.at, hole.end) == (4096 // size * size, (8191 // size + 1) * size)


@pytest.mark.parametrize("left", [1, 4, 60, 100, 500])
def test_octets_that_are_gone_cost_no_block_behind_them(left: int) -> None:
    """What is left could not hold as many messages; the file's end and its last sequence say that all is right."""
    first, torn, *rest = blocks([2, 300, 3, 1])
    octets = first + torn[:left] + b"".join(rest)
    assert sequences(pieces(octets, limit=306)) == [1, 2, 303, 304, 305, 306]
    assert sequences(pieces(octets, limit=307)) == [1, 2]
    assert sequences(pieces(octets)) == [1, 2]


def test_a_journal_in_a_message_is_no_end_of_the_file() -> None:
    """Its last sequence would be right, but more follows it."""
    first, torn, last = blocks([2, 300, 1])
    bait = block(290, 14)
    octets = first + torn[:60] + bait + b"the message's last octets" + last
    assert sequences(pieces(octets, limit=303)) == [1, 2, 303]


def test_bait_in_the_octets_that_are_lost_is_searched_only_so_long() -> None:
    """Heads that could be true, each of a block as long as all that follows: checking them all would never end."""
    bait = b"".join(wire.block_head(n, 0, 2, NOW, NOW, 1, 60_000, 15, 1, 5) for n in range(2000))
    damaged = bytearray(b"\xff" * 100 + bait + bytes(60_000))
    found = pieces(bytes(damaged) + block(2, 1))
    assert found[0].end == len(damaged) + len(block(2, 1))


@pytest.mark.parametrize("steady", [True, False])
def test_a_place_that_reads_well_only_at_times(steady: bool) -> None:
    octets = block(1, 1) + block(2, 1)
    calls = 0

    def read(at: int, size: int) -> bytes:
        nonlocal calls
        calls += 1
        good = calls > 2 if steady else calls in (3, 4)
        return octets[at : at + size] if good else bytes(min(size, len(octets) - at))

    piece = next_piece(read, 0, 1, len(octets))
    assert (piece.end, piece.next_sequence) == (len(block(1, 1)), 2)
    assert isinstance(piece, Run) == steady


def test_numbers_come_as_arrays() -> None:
    (run,) = pieces(b"".join(blocks([2, 1])))
    assert isinstance(run, Run)
    assert isinstance(run.block.ends, array)
    assert isinstance(run.block.times, array)
