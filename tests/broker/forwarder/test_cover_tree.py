"""The tree behind `cover`, against topics that are all looked through for each answer, and what its answers cost."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.forwarder.cover_tree import CoverTree
from zeps_broker.forwarder.policies import Policy, parse_policy

TOPICS = st.text("ab", max_size=7).map(str.encode)


@given(st.lists(TOPICS))
def test_what_is_bare_is_asked_for_when_its_cover_goes(topics: list[bytes]) -> None:
    """A topic that comes again goes."""
    tree = CoverTree()
    asked: dict[bytes, bool] = {}

    def covered(topic: bytes) -> bool:
        return any(asked[each] and topic.startswith(each) for each in asked if each != topic)

    for topic in topics:
        assert tree.covered(topic) == covered(topic)
        if topic not in asked:
            asked[topic] = not covered(topic)
            tree.add(topic, asked=asked[topic])
            continue
        tree.remove(topic)
        if asked.pop(topic) and not covered(topic):
            bare = []
            for each in sorted(asked):
                if each.startswith(topic) and not asked[each] and not covered(each):
                    asked[each] = True
                    bare.append(each)
            assert tree.ask_bare(topic) == bare
    for topic in asked:
        tree.remove(topic)
    assert not tree._root.children, "nodes are left without topics"


def steps_of(policy: Policy, times: int) -> int:
    """How many lines of Python run while the topic that covers everything comes and goes."""
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
