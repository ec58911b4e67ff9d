"""The cost of topics per peer, compared with a model that counts everything anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.devices.forwarder.caps import CappedSubscriptions
from zeps_broker.devices.forwarder.core import ForwarderCore
from zeps_broker.devices.forwarder.policies import parse_policy
from zeps_broker.topics.budget import TOPIC_OVERHEAD_BYTES, TopicBudget, TopicLimitError, TopicLimits
from zeps_broker.topics.subscriptions import Filter, Peer, Subscriptions, Topic, cost_bytes

TOPICS = st.sampled_from(
    [b"", b"a", b"ab", bytes(2000), bytes(5000), Filter(7, b"f"), Filter(7, bytes(3000))]
)
CHANGES = st.lists(st.tuples(st.sampled_from(["subscribe", "cancel", "leave"]), st.integers(0, 2), TOPICS))
LIMITS = TopicLimits(subscriptions_max=5, peer_bytes_max=12_000, total_bytes_max=20_000)


def take(subscribe: Callable[[Peer, Topic], object], peer: Peer, count: int) -> None:
    for number in range(count):
        subscribe(peer, b"%d" % number)


def total_bytes(wants: dict[int, Counter[Topic]]) -> int:
    return sum(cost_bytes(topic) for topics in wants.values() for topic in topics)


def fits(wants: dict[int, Counter[Topic]], peer: int, topic: Topic) -> bool:
    """Returns whether `peer` may subscribe to `topic` once more."""
    mine = wants[peer]
    if mine.total() >= LIMITS.subscriptions_max:
        return False
    if topic in mine:
        return True
    cost = sum(map(cost_bytes, mine)) + cost_bytes(topic)
    return cost <= min(LIMITS.peer_bytes_max, LIMITS.total_bytes_max - total_bytes(wants))


@given(changes=CHANGES, counted=st.booleans())
def test_a_peer_has_what_fits_and_nothing_else(changes: list[tuple[str, int, Topic]], counted: bool) -> None:
    budget = TopicBudget(LIMITS)
    table = Subscriptions(counted=counted, budget=budget)
    wants: dict[int, Counter[Topic]] = {peer: Counter() for peer in range(3)}
    for change, peer, topic in changes:
        mine = wants[peer]
        if change == "leave":
            table.remove(peer)
            mine.clear()
        elif change == "cancel":
            table.cancel(peer, topic)
            mine -= Counter([topic])
            wants[peer] = mine
        elif topic in mine and not counted:
            assert table.subscribe(peer, topic) == []
        elif fits(wants, peer, topic):
            assert table.subscribe(peer, topic) == [(True, topic)]
            mine[topic] += 1
        else:
            with pytest.raises(TopicLimitError):
                table.subscribe(peer, topic)
        assert table.totals == sum(wants.values(), Counter())
        assert budget.cost_bytes == total_bytes(wants)


@given(changes=CHANGES, counted=st.booleans(), most=st.integers(1, 6))
def test_a_cap_gives_back_all_that_it_took(
    changes: list[tuple[str, int, Topic]], counted: bool, most: int
) -> None:
    """A peer with too many topics to remember is forgotten; its connection is closed only for topics within the cap."""
    budget = TopicBudget(LIMITS)
    table = CappedSubscriptions(most, counted=counted, budget=budget)
    for change, peer, topic in changes:
        if change == "leave":
            table.remove(peer)
        elif change == "cancel":
            table.cancel(peer, topic)
        else:
            before = table.totals.copy()
            try:
                table.subscribe(peer, topic)
            except TopicLimitError:
                assert table.totals == before
        assert 0 <= budget.cost_bytes <= LIMITS.total_bytes_max
    for peer in range(3):
        table.remove(peer)
    assert budget.cost_bytes == 0
    assert len(table) == 0


def test_cancelling_everything_gives_everything_back() -> None:
    budget = TopicBudget()
    table = CappedSubscriptions(4, budget=budget)
    topics = [b"%d" % number for number in range(20)]
    for topic in topics * 2:
        table.subscribe("peer", topic)
    for topic in topics * 2:
        table.cancel("peer", topic)
    assert budget.cost_bytes == 0
    assert len(table) == 0


def test_a_greedy_peer_leaves_room_for_a_modest_one() -> None:
    """Each peer may have only as much as is free: half of everything, then half of the rest."""
    budget = TopicBudget(TopicLimits(total_bytes_max=100 * TOPIC_OVERHEAD_BYTES))
    table = Subscriptions(budget=budget)
    for greedy in range(3):
        with pytest.raises(TopicLimitError, match="more bytes than are free"):
            take(table.subscribe, greedy, 1000)
    for number in range(5):
        table.subscribe("modest", b"%d" % number)


def test_a_device_refuses_what_exceeds_the_default_limits() -> None:
    device = ForwarderCore(parse_policy("count"))
    with pytest.raises(TopicLimitError, match="more than 10000 subscriptions"):
        take(device.subscribe, "greedy", 10_001)
    with pytest.raises(TopicLimitError, match="topics of more than 16777216 bytes"):
        device.subscribe("long", bytes(16 << 20))
    device.gone("greedy")
    assert device.stats()["topics_bytes"] == device.stats()["topics"] == 0
