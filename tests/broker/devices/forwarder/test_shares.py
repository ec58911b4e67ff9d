"""Shares of publishers in a queue, compared with a queue that keeps every byte's owner."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.devices.forwarder.shares import Shares

SIZE = 100
STEPS = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.integers(1, 40)), max_size=60)


@given(STEPS)
def test_whoever_occupies_less_than_is_free_is_admitted(steps: list[tuple[str | None, int]]) -> None:
    shares = Shares(SIZE)
    owners: list[str] = []
    for source, count in steps:
        if source is None:  # the subscriber reads
            del owners[:count]
            continue
        # A partial write counts until its last byte is sent.
        admitted = shares.admits(source, len(owners))
        if Counter(owners)[source] >= SIZE - len(owners):
            assert not admitted
        if not owners:
            assert admitted
        if admitted:
            owners += [source] * count
            shares.added(source, count)


def test_a_flood_leaves_room_for_others() -> None:
    shares, waiting = Shares(SIZE), 0
    while shares.admits("flood", waiting):
        shares.added("flood", 1)
        waiting += 1
    assert waiting == SIZE // 2
    while shares.admits("another", waiting):
        shares.added("another", 1)
        waiting += 1
    assert waiting == SIZE * 3 // 4
    assert shares.admits("modest", waiting)
    assert not shares.admits("flood", waiting)
    assert shares.admits("flood", 1), "the queue is empty"


def test_what_was_sent_is_not_remembered() -> None:
    shares = Shares(SIZE)
    for _ in range(1000):
        assert shares.admits("one", 0)
        shares.added("one", 10)
    assert shares.admits("one", 10)
    assert not shares.admits("one", 95)
