"""The tree of topics, compared with a linear search, and the cost of its operations."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.devices.forwarder.policies import Policy, parse_policy
from zeps_broker.topics.subscriptions import Subscriptions
from zeps_broker.topics.topic_tree import TopicTree

TOPICS = st.text("ab", max_size=7).map(str.encode)


@given(st.lists(TOPICS))
def test_what_is_bare_is_asked_for_when_its_cover_goes(topics: list[bytes]) -> None:
    """A repeated topic is removed."""
    tree = TopicTree()
    asked: dict[bytes, bool] = {}

    def covered(topic: bytes) -> bool:
        return any(asked[other] and topic.startswith(other) for other in asked if other != topic)

    for topic in topics:
        assert tree.covered(topic) == covered(topic)
        if topic not in asked:
            asked[topic] = not covered(topic)
            tree.add(topic, asked=asked[topic])
            continue
        tree.remove(topic)
        if asked.pop(topic) and not covered(topic):
            bare = []
            for other in sorted(asked):
                if other.startswith(topic) and not asked[other] and not covered(other):
                    asked[other] = True
                    bare.append(other)
            assert tree.ask_bare(topic) == bare
    for frame in topics:
        assert list(tree.beginnings(frame)) == sorted(prefix for prefix in asked if frame.startswith(prefix))
    for topic in asked:
        tree.remove(topic)
    assert not tree._root.children, "nodes without topics remain"


class Sliced(bytes):
    """Counts the bytes of its slices."""

    bytes_cut = 0

    def __getitem__(self, place: Any) -> Any:
        result = super().__getitem__(place)
        if isinstance(result, bytes):
            Sliced.bytes_cut += len(result)
        return result


def test_matching_a_long_frame_does_not_hash_it_for_each_length_of_a_topic() -> None:
    table = Subscriptions()
    for length in range(3000):
        table.subscribe("peer", b"L" * length)
    frame = Sliced(b"L" * 5000)
    assert table.match(frame) == ("peer",)
    assert len(list(table.topics_of(frame))) == 3000
    assert Sliced.bytes_cut < 100_000


def test_topics_of_all_lengths_match_alike() -> None:
    table = Subscriptions()
    topics = [b"L" * length for length in (0, 1, 255, 256, 257, 258, 1024, 1025, 5000)]
    for topic in topics:
        table.subscribe(len(topic), topic)
    for length in (0, 1, 254, 255, 256, 257, 258, 1024, 1025, 5000, 6000):
        wanting = {len(topic) for topic in topics if len(topic) <= length}
        assert set(table.match(b"L" * length)) == wanting
        assert table.match(b"L" * length + b"!") == table.match(b"L" * length)
    for topic in topics:
        table.remove(len(topic))
        assert len(topic) not in table.match(b"L" * 5000)
    assert table.match(b"L" * 5000) == ()


def steps_of(policy: Policy, times: int) -> int:
    """Returns how many lines of Python run while the topic that covers everything is added and removed."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in range(times):
            policy.subscribed(b"")
            policy.cancelled(b"")
    finally:
        sys.settrace(before)
    return lines


def test_a_cover_that_comes_and_goes_costs_the_same_whatever_it_covers() -> None:
    lines = []
    for count in (10, 1000):
        policy = parse_policy("cover")
        for number in range(count):
            topic = b"%04d" % number
            policy.subscribed(topic)
            policy.subscribed(topic + b"below")
        lines.append(steps_of(policy, 20))
    assert lines[1] < 3 * lines[0]
