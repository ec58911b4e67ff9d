"""The simulated journal returns the true state of each sequence."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.ports import Block, Lost, Selected
from zeps_broker.sim.disk import Platter, SimStore, Track
from zeps_wire.zeps import Deliver

FRAMES = [Deliver(n, f"k{n % 3}", b"x" * n).encode() for n in range(1, 41)]


def track(sizes: list[int]) -> Track:
    blocks, first = [], 1
    for size in sizes:
        frames = FRAMES[first - 1 : first - 1 + size]
        ends = tuple(accumulate(map(len, frames)))
        blocks.append(Block(first, b"".join(frames), ends, tuple(range(first, first + size))))
        first += size
    return Track("s", blocks, len(blocks), first - 1)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.sets(st.integers(1, 40)), st.integers(0, 40))
def test_every_sequence_is_served_or_lost(sizes: list[int], damaged: set[int], expired: int) -> None:
    written = track(sizes)
    last = written.last
    written.damaged = {n for n in damaged if n <= last}
    written.expire(expired)
    log = SimStore(Platter({"s": written})).open("s")
    for after in range(last):
        piece = log.read(after)
        if after + 1 <= written.floor:
            assert piece == Lost(after + 1, written.floor, "retention")
        elif after + 1 in written.damaged:
            assert isinstance(piece, Lost)
            assert (piece.first_sequence, piece.reason) == (after + 1, "damage")
            assert written.damaged >= set(range(after + 1, piece.last_sequence + 1))
            assert piece.last_sequence == last or piece.last_sequence + 1 not in written.damaged
        else:
            assert isinstance(piece, Block)
            assert piece.first_sequence <= after + 1 <= piece.last_sequence
            served = range(piece.first_sequence, piece.last_sequence + 1)
            assert written.damaged.isdisjoint(served)
            assert list(piece.frames()) == [FRAMES[n - 1] for n in served]
            assert list(piece.times) == list(served)
    assert log.read(last) is None


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=8),
    st.sets(st.integers(1, 40)),
    st.sets(st.sampled_from((b"k0", b"k1", b"k2"))),
)
def test_a_selection_lacks_nothing_that_is_wanted(
    sizes: list[int], damaged: set[int], wanted_keys: set[bytes]
) -> None:
    """A reader that continues at each result's end finds every needed message served or lost, no other lost alone."""
    written = track(sizes)
    written.damaged = {n for n in damaged if n <= written.last}
    log = SimStore(Platter({"s": written})).open("s")
    after = 0
    while (piece := log.select(after, lambda keys: [key in wanted_keys for key in keys])) is not None:
        assert piece.first_sequence <= after + 1 <= piece.last_sequence
        wishes = [n for n in range(after + 1, piece.last_sequence + 1) if f"k{n % 3}".encode() in wanted_keys]
        if isinstance(piece, Selected):
            served = [n for n in piece.sequences if n > after]
            assert served == wishes
            assert list(piece.frames)[-len(served) :] == [FRAMES[n - 1] for n in served] or not served
            assert written.damaged.isdisjoint(served)
        elif isinstance(piece, Lost):
            assert written.damaged.issuperset(range(after + 1, piece.last_sequence + 1))
        else:
            assert written.damaged.isdisjoint(range(after + 1, piece.last_sequence + 1))
        after = piece.last_sequence
    assert after == written.last
