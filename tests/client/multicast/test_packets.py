"""DELIVER frames as multicast messages, and incomplete messages of a receiver."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zeps_client.multicast.packets import join, split
from zeps_client.multicast.sender import Rate
from zeps_multicast import PART_MAX
from zeps_wire.zeps import Deliver, Ping

SIZES = st.one_of(st.integers(0, 100), st.integers(1900, 2100), st.integers(4000, 20_000))


@given(size=SIZES)
def test_join_undoes_split_and_no_part_is_too_long(size: int) -> None:
    message = Deliver(7, "key", bytes(size))
    parts = split(message.encode())
    assert max(map(len, parts)) <= PART_MAX
    assert join(parts) == message


@given(sizes=st.tuples(SIZES, SIZES), data=st.data())
def test_the_beginning_of_one_with_the_rest_of_another_is_none(
    sizes: tuple[int, int], data: st.DataObject
) -> None:
    """Also if the length is right, which it is when both are equally long."""
    if data.draw(st.booleans()):
        sizes = (sizes[0], sizes[0])
    first, second = (split(Deliver(n, "key", bytes([n]) * size).encode()) for n, size in enumerate(sizes, 1))
    cut = data.draw(st.integers(1, len(first)))
    if cut < len(first):
        assert join([*first[:cut], *second]) is None
        assert join([*first[:cut], *second[cut:]]) is None


def test_what_is_no_deliver_is_none() -> None:
    assert join([Ping().encode()]) is None
    assert join([b""]) is None
    assert join([b"noise", b"more noise"]) is None


@given(sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=200), kbit=st.integers(100, 100_000))
def test_the_rate_holds_over_any_time(sizes: list[int], kbit: int) -> None:
    rate, now = Rate(kbit, 0.0), 0.0
    for size in sizes:
        now += rate.spend(now, size)
    assert now >= sum(sizes) / (kbit * 125) - 0.02 - 1e-9
    assert now <= sum(sizes) / (kbit * 125) + 1e-9


def test_no_rate_is_no_pause() -> None:
    rate = Rate(0, 0.0)
    assert sum(rate.spend(0.0, 1 << 20) for _ in range(100)) == 0
