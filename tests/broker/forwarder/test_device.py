"""The device against a tree of plain models: subscribers that come and go, publishers that are lost and slow."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from zeps_broker.forwarder.core import Device
from zeps_broker.forwarder.links import Link
from zeps_broker.forwarder.policies import POLICIES, Policy, parse_policy
from zeps_broker.forwarder.subscriptions import Subscriptions

TOPICS = st.binary(max_size=3).map(lambda octets: bytes(octet % 2 for octet in octets))
PEERS = st.integers(0, 4)
NAMES = ("every", "count", "cover", "cap 1", "cap 2", "cap 3", "cap 4")
FRAMES = [
    bytes(bits) for bits in ([], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1], [0, 1, 0], [1, 1, 1, 0], [2])
]


class Publisher:
    """What a publisher makes of the steps that reach it: counts as RFC 37 says, or a set as libzmq has."""

    def __init__(self, *, counted: bool) -> None:
        self.counted = counted
        self.topics: Counter[bytes] = Counter()
        self.room = 1000

    def take(self, more: bool, topic: bytes) -> None:
        self.topics[topic] += 1 if more else -1
        if not self.counted:
            self.topics[topic] = min(self.topics[topic], 1)
        assert self.topics[topic] >= 0, "a cancel without a subscription"
        if not self.topics[topic]:
            del self.topics[topic]

    def sends(self, frame: bytes) -> bool:
        return any(frame.startswith(topic) for topic in self.topics)


class Tree(RuleBasedStateMachine):
    """A device with a policy, its subscribers, and three publishers."""

    def __init__(self) -> None:
        super().__init__()
        self.devices: dict[str, Device] = {}
        self.links: dict[str, list[Link]] = {}
        self.publishers: dict[str, list[Publisher]] = {}
        self.interest: dict[str, set[bytes]] = {}
        for name in NAMES:
            interested = self.interest[name] = set()

            def note(topic: bytes, wanted: bool, known: set[bytes] = interested) -> None:
                (known.add if wanted else known.remove)(topic)

            self.devices[name] = Device(parse_policy(name), interest=note)
            self.links[name] = [Link(f"{name}-{number}") for number in range(3)]
            # `every` says the same thing twice, which only a publisher that counts takes for two things
            self.publishers[name] = [Publisher(counted=name == "every" or number != 1) for number in range(3)]
        self.wants: dict[int, Counter[bytes]] = {}

    def _flush(self, watch: bool = True) -> None:
        for name, device in self.devices.items():
            ups, device.ups = device.ups, []
            for up in ups:
                publisher = self.publishers[name][self.links[name].index(up.link)]
                for taken, (more, topic) in enumerate(up.steps):
                    if publisher.room <= 0:
                        device.refused(up, taken)
                        break
                    publisher.room -= 1
                    before = {frame for frame in FRAMES if publisher.sends(frame)}
                    publisher.take(more, topic)
                    if watch:
                        after = {frame for frame in FRAMES if publisher.sends(frame)}
                        needed = {frame for frame in FRAMES if self._wanted(frame)}
                        assert before & needed <= after, "an instant without cover"

    def _wanted(self, frame: bytes) -> set[int]:
        return {
            peer for peer, topics in self.wants.items() if any(frame.startswith(topic) for topic in topics)
        }

    @rule(peer=PEERS, topic=TOPICS)
    def subscribe(self, peer: int, topic: bytes) -> None:
        self.wants.setdefault(peer, Counter())[topic] += 1
        for device in self.devices.values():
            device.subscribe(peer, topic)
        self._flush()

    @rule(peer=PEERS, topic=TOPICS)
    def cancel(self, peer: int, topic: bytes) -> None:
        wants = self.wants.get(peer, Counter())
        if wants[topic]:
            wants[topic] -= 1
        if not wants[topic]:
            del wants[topic]
        for device in self.devices.values():
            device.cancel(peer, topic)
        self._flush()

    @rule(peer=PEERS)
    def leave(self, peer: int) -> None:
        self.wants.pop(peer, None)
        for device in self.devices.values():
            device.gone(peer)
        self._flush()

    @rule(number=st.integers(0, 2), room=st.sampled_from([0, 1, 3, 1000]))
    def connect(self, number: int, room: int) -> None:
        for name, device in self.devices.items():
            publisher = self.publishers[name][number]
            publisher.topics.clear()
            publisher.room = room
            device.connected(self.links[name][number])
        self._flush()

    @rule(number=st.integers(0, 2))
    def lose(self, number: int) -> None:
        for name, device in self.devices.items():
            if self.links[name][number] in device.links:
                device.lost(self.links[name][number])
                self.publishers[name][number].topics.clear()

    @rule(number=st.integers(0, 2), room=st.sampled_from([1, 2, 1000]))
    def read(self, number: int, room: int) -> None:
        for name, device in self.devices.items():
            self.publishers[name][number].room = room
            if self.links[name][number].full:
                device.writable(self.links[name][number])
        self._flush()

    @precondition(lambda self: self.wants)
    @invariant()
    def every_subscriber_is_matched_exactly(self) -> None:
        for frame in FRAMES:
            for device in self.devices.values():
                peers = device.match(frame)
                assert set(peers) == self._wanted(frame)
                assert len(peers) == len(set(peers))

    @invariant()
    def at_rest_a_publisher_sends_what_somebody_wants(self) -> None:
        for name, links in self.links.items():
            for link, publisher in zip(links, self.publishers[name], strict=True):
                if not link.up or link.full:
                    continue
                for frame in FRAMES:
                    if self._wanted(frame):
                        assert publisher.sends(frame)
                    elif not name.startswith("cap"):
                        assert not publisher.sends(frame), "a message that nobody below wants"

    @invariant()
    def a_cap_is_kept(self) -> None:
        for name, device in self.devices.items():
            if name.startswith("cap"):
                assert len(device.policy.wanted) <= int(name[4:])

    @invariant()
    def aggregation_never_says_more(self) -> None:
        said = {name: device.stats()["steps_up"] for name, device in self.devices.items()}
        if all(publisher.room > 100 for publisher in self.publishers["every"]) and not any(
            link.full for links in self.links.values() for link in links
        ):
            assert said["count"] <= said["every"]

    @invariant()
    def the_producer_knows_what_is_wanted(self) -> None:
        topics = {topic for wants in self.wants.values() for topic in wants}
        assert all(known == topics for known in self.interest.values())


TestTree = Tree.TestCase
TestTree.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


Change = tuple[bool, int, bytes]


@given(st.lists(st.tuples(st.booleans(), PEERS, TOPICS), max_size=60))
def test_count_and_cover_never_say_more_than_every(changes: list[Change]) -> None:
    """At no moment, for one upstream that is there all the time."""
    devices = {name: Device(parse_policy(name)) for name in ("every", "count", "cover")}
    for device in devices.values():
        device.connected(Link("up"))
    for more, peer, topic in changes:
        for device in devices.values():
            (device.subscribe if more else device.cancel)(peer, topic)
        said = {name: device.stats()["steps_up"] for name, device in devices.items()}
        assert said["count"] <= said["every"]
        assert said["cover"] <= said["every"]


def run(policy: Policy, *changes: tuple[bool, bytes]) -> list[tuple[bool, bytes]]:
    device = Device(policy)
    device.connected(Link("up"))
    for more, topic in changes:
        (device.subscribe if more else device.cancel)("peer", topic)
    return [step for up in device.ups for step in up.steps]


def test_the_compensation_comes_before_the_cancellation() -> None:
    steps = run(
        parse_policy("cover"), (True, b"A"), (True, b"AB"), (True, b"ABC"), (True, b"AD"), (False, b"A")
    )
    assert steps == [(True, b"A"), (True, b"AB"), (True, b"AD"), (False, b"A")]


def test_a_cap_turns_into_the_whole_feed_and_back() -> None:
    steps = run(
        parse_policy("cap 2"),
        (True, b"a"),
        (True, b"b"),
        (True, b"c"),
        (True, b"d"),
        (False, b"d"),
        (False, b"a"),
    )
    assert steps == [
        (True, b"a"), (True, b"b"),
        (True, b""), (False, b"a"), (False, b"b"),
        (True, b"b"), (True, b"c"), (False, b""),
    ]  # fmt: skip


def test_a_cap_above_one_that_asks_for_everything_does_not_go_back_and_forth() -> None:
    """The cap below asks for everything and cancels its topics, which must not make the one above ask for others."""
    steps = run(
        parse_policy("cap 2"),
        (True, b"a"),
        (True, b"b"),
        (True, b""),
        (False, b"a"),
        (False, b"b"),
        (False, b""),
    )
    assert steps == [(True, b"a"), (True, b"b"), (True, b""), (False, b"a"), (False, b"b"), (False, b"")]


def test_a_slow_upstream_gets_the_difference_and_not_the_history() -> None:
    device = Device()
    link = Link("slow")
    device.connected(link)
    device.subscribe("peer", b"kept")
    (up,) = device.ups
    device.refused(up, 0)
    device.ups.clear()
    for _ in range(100):
        device.subscribe("peer", b"fickle")
        device.cancel("peer", b"fickle")
    assert device.ups == []
    device.writable(link)
    assert [step for up in device.ups for step in up.steps] == [(True, b"kept")]
    assert device.stats()["steps_up"] == 1


def test_a_filter_of_an_unknown_kind_is_a_wish_for_everything() -> None:
    device = Device()
    device.subscribe_unknown("peer")
    assert device.match(b"anything at all") == ("peer",)


def test_set_semantics_on_request() -> None:
    counted, like_a_set = Subscriptions(), Subscriptions(counted=False)
    for table in (counted, like_a_set):
        table.subscribe("peer", b"A")
        table.subscribe("peer", b"A")
        table.cancel("peer", b"A")
    assert counted.match(b"A") == ("peer",)
    assert like_a_set.match(b"A") == ()


def test_is_anyone_interested() -> None:
    table = Subscriptions()
    assert not table.wanted()
    table.subscribe("peer", b"AB")
    assert table.wanted(b"A")
    assert table.wanted(b"ABC")
    assert table.wanted()
    assert not table.wanted(b"B")


@pytest.mark.parametrize("text", ["", "cap", "cap 0", "cap x", "some"])
def test_a_policy_that_does_not_exist(text: str) -> None:
    with pytest.raises(ValueError, match="no policy is called"):
        parse_policy(text)
    assert all(name in str(POLICIES) for name in ("every", "count", "cover", "cap N"))
