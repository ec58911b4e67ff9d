"""The bridge with a foreign broker in memory: at rest, exactly the matching subscribers have a message, once each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from zeps_broker.devices.bridge.bindings import Bindings
from zeps_broker.devices.bridge.core import Bridge, BridgeSettings
from zeps_broker.devices.bridge.inbound import Inbound
from zeps_broker.devices.bridge.memory_broker import MemoryBroker
from zeps_broker.devices.bridge.outbound import FLIGHT_MAX, Outbound
from zeps_broker.devices.bridge.port import Arrived, Changed, Frames, Opened
from zeps_broker.devices.forwarder.policies import parse_policy
from zeps_broker.topics.subscriptions import Peer

WINDOW = 3
PEERS = st.integers(0, 2)
TOPICS = st.sampled_from([b"", b"a", b"a/", b"a/b", b"a/bc", b"a/b/", b"ab", b"b/"])
FIRSTS = st.sampled_from([b"", b"a", b"a/", b"a/b", b"a/bcd", b"a/b/c", b"ab/", b"b", b"b/a"])


def matching(topics_of: Mapping[int, Iterable[bytes]], first: bytes) -> set[int]:
    """Returns the peers with a topic that `first` begins with."""
    return {peer for peer, topics in topics_of.items() if any(map(first.startswith, topics))}


class Both(RuleBasedStateMachine):
    """A bridge with its subscribers and a publisher on one side, a foreign broker and its publishers on the other."""

    echo = False
    policy = "count"

    def __init__(self) -> None:
        super().__init__()
        self.broker = MemoryBroker("me", WINDOW)
        settings = BridgeSettings("me", window=WINDOW, echo=self.echo)
        self.bridge = Bridge(self.broker, settings, self._deliver, parse_policy(self.policy))
        self.wants: dict[int, Counter[bytes]] = {peer: Counter() for peer in range(3)}
        self.firm: dict[int, set[bytes]] = {peer: set() for peer in range(3)}
        """Subscriptions that were certainly requested from the foreign broker, per subscriber."""
        self.got: dict[int, list[bytes]] = {peer: [] for peer in range(3)}
        self.must: dict[bytes, set[int]] = {}
        self.sent: list[bytes] = []
        self.made = 0

    def _deliver(self, peers: Sequence[Peer], frames: Frames) -> None:
        for peer in peers:
            assert isinstance(peer, int)
            assert self._wants(peer, frames[0]), "a message without subscription"
            self.got[peer].append(frames[1])

    def _wants(self, peer: int, first: bytes) -> bool:
        """A peer with more topics than its cap gets everything; a cap of 2 starts and ends at the same number."""
        greedy = self.policy == "cap 2" and len(self.wants[peer]) > 2
        return greedy or peer in matching(self.wants, first)

    def _body(self) -> bytes:
        self.made += 1
        return b"%d" % self.made

    def _expect(self, first: bytes, body: bytes) -> None:
        self.must[body] = matching(self.firm, first)

    # ZeroMQ's side

    @rule(peer=PEERS, topic=TOPICS)
    def subscribe(self, peer: int, topic: bytes) -> None:
        self.wants[peer][topic] += 1
        self.bridge.device.subscribe(peer, topic)

    @rule(peer=PEERS, topic=TOPICS)
    def cancel(self, peer: int, topic: bytes) -> None:
        self.bridge.device.cancel(peer, topic)
        self.wants[peer] -= Counter([topic])
        self._weaken(peer)

    @rule(peer=PEERS)
    def leave(self, peer: int) -> None:
        self.bridge.device.gone(peer)
        self.wants[peer].clear()
        self._weaken(peer)

    def _weaken(self, peer: int) -> None:
        if lost := self.firm[peer] - set(self.wants[peer]):
            self.firm[peer] -= lost
            for peers in self.must.values():
                peers.discard(peer)

    @rule(first=FIRSTS)
    def publish(self, first: bytes) -> None:
        body = self._body()
        assert self.bridge.published([first, body])
        self.sent.append(body)

    @rule()
    def flush(self) -> None:
        self.bridge.flush()

    # The foreign side

    @rule(first=FIRSTS, named=st.booleans())
    def arrive(self, first: bytes, named: bool) -> None:
        body = self._body()
        self._expect(first, body)
        self.broker.arrive([first, body], body.decode() if named else None, "another" if named else None)

    @rule(calls=st.integers(0, 3))
    def serve(self, calls: int) -> None:
        self.broker.serve(calls)

    @rule(events=st.integers(0, 3))
    def hear(self, events: int) -> None:
        for event in self.broker.take(events):
            self.bridge.handle(event)

    @precondition(lambda self: self.broker.session is None)
    @rule()
    def open(self) -> None:
        self.broker.open()

    @precondition(lambda self: self.broker.session is not None)
    @rule(unheard=st.integers(0, 3))
    def lose(self, unheard: int) -> None:
        self.broker.lose(unheard)

    @precondition(lambda self: self.broker.session is None)
    @rule()
    def forget(self) -> None:
        self.broker.forget()
        for peer in self.firm:
            self.firm[peer].clear()
        self.must.clear()

    @rule(firsts=st.lists(FIRSTS, min_size=1, max_size=3))
    def rest(self, firsts: list[bytes]) -> None:
        """Runs until rest; then sends messages, and runs until rest again."""
        self._settle()
        wanted_topics = {topic for topics in self.wants.values() for topic in topics}
        for first in firsts:
            body = self._body()
            self._expect(first, body)
            assert self.must[body] == matching(self.wants, first)
            self.broker.arrive([first, body])
        self._settle()
        if self.policy == "count":
            assert self.broker.subscribed == {self.broker.pattern(topic) for topic in wanted_topics}
        for body, peers in self.must.items():
            for peer in peers:
                assert self.got[peer].count(body) == 1
        assert list(dict.fromkeys(frames[1] for _, frames in self.broker.stored)) == self.sent
        if self.echo:
            body = self._body()
            self.sent.append(body)
            self.bridge.published([b"a/b", body])
            self._settle()
            for peer in self.wants:
                assert self.got[peer].count(body) == self._wants(peer, b"a/b")

    def _settle(self) -> None:
        if self.broker.session is None:
            self.broker.open()
        for _ in range(500):
            self.bridge.flush()
            self.broker.serve()
            events = self.broker.take()
            for event in events:
                self.bridge.handle(event)
            if not events and self.bridge.idle and self.broker.quiet:
                break
        else:
            pytest.fail("there is always more work")
        self.firm = {peer: set(topics) for peer, topics in self.wants.items()}

    @invariant()
    def nothing_comes_twice(self) -> None:
        for got in self.got.values():
            assert len(got) == len(set(got))
            if not self.echo:
                assert not set(got) & set(self.sent)


@pytest.mark.parametrize("policy", ["count", "every", "cover", "cap 2"])
@pytest.mark.parametrize("echo", [False, True])
def test_a_message_reaches_who_wants_it_once(policy: str, echo: bool) -> None:
    kind = type("Case", (Both,), {"policy": policy, "echo": echo})
    case = kind.TestCase
    case.settings = settings(max_examples=sized(15, 400), stateful_step_count=40)
    case().runTest()


def opened_bindings() -> Bindings:
    """Returns bindings in a session, whose patterns are the prefixes."""
    bindings = Bindings(bytes.decode)
    bindings.opened()
    return bindings


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("follow"), st.booleans(), st.sampled_from([b"x", b"xy", b"x/", b"y"])),
            st.tuples(st.sampled_from(["due", "changed", "lost"])),
        ),
        max_size=40,
    )
)
def test_bindings_ask_for_what_is_missing_before_they_take_back(script: list[tuple[object, ...]]) -> None:
    bindings = opened_bindings()
    wants: Counter[bytes] = Counter()
    for action, *values in script:
        if action == "follow":
            more, topic = values
            if more or wants[topic]:
                wants[topic] += 1 if more else -1
                bindings.follow([(more, topic)])
        elif action == "due":
            kinds = [more for more, _ in bindings.due()]
            assert kinds == sorted(kinds, reverse=True)
        elif action == "changed":
            bindings.changed()
        else:
            bindings.lost()
            assert not bindings.due()
            bindings.opened()
    assert set(bindings.desired_counts) == {topic.decode() for topic, count in wants.items() if count}


def test_a_topic_that_comes_and_goes_while_a_batch_is_under_way_costs_nothing() -> None:
    bindings = opened_bindings()
    bindings.follow([(True, b"first")])
    assert bindings.due() == [(True, "first")]
    for _ in range(100):
        bindings.follow([(True, b"second"), (False, b"second")])
    assert bindings.due() == []
    bindings.changed()
    assert bindings.due() == []
    assert bindings.settled


class Counting(Counter[str]):
    """Counts how often a pattern is looked up."""

    asked = 0

    def __contains__(self, pattern: object) -> bool:
        Counting.asked += 1
        return super().__contains__(pattern)


def test_a_batch_does_not_look_at_all_that_wait() -> None:
    bindings = opened_bindings()
    bindings.desired_counts = Counting()
    count = 10_000
    bindings.follow((True, b"%d" % number) for number in range(count))
    taken = 0
    while steps := bindings.due():
        taken += len(steps)
        bindings.changed()
    assert taken == count
    assert Counting.asked < 5 * count


@pytest.mark.parametrize("answered", [False, True])
def test_what_a_session_may_have_left_behind_is_taken_back_in_the_next(answered: bool) -> None:
    bindings = opened_bindings()
    bindings.follow([(True, b"a"), (True, b"b")])
    assert bindings.due() == [(True, "a"), (True, "b")]
    if answered:
        bindings.changed()
    bindings.lost()
    bindings.follow([(False, b"b"), (True, b"c")])
    bindings.opened()
    assert sorted(bindings.due()) == [(False, "b"), (True, "a"), (True, "c")]
    bindings.changed()
    bindings.lost()
    bindings.opened()
    assert sorted(bindings.due()) == [(True, "a"), (True, "c")], "b is certainly gone"


def test_what_waits_for_the_foreign_broker_is_bounded() -> None:
    outbound = Outbound(1000)
    assert outbound.add([b"x" * 2000]), "a single message is taken, however long"
    assert not outbound.add([b"x"])
    [(number, _)] = outbound.due()
    assert outbound.settled(number, multiple=False) == 1
    assert outbound.byte_count == 0
    taken = 0
    while outbound.add([b"x" * 100]):
        taken += 1
    assert taken == 5
    assert len(outbound) == 5


def test_empty_frames_that_wait_for_the_foreign_broker_are_bounded() -> None:
    outbound = Outbound(100_000)
    messages = 0
    while outbound.add([b""] * 100):
        messages += 1
    assert messages < 100
    for number, _ in outbound.due():
        outbound.settled(number, multiple=False)
    assert outbound.byte_count == 0


def test_what_was_not_answered_for_is_published_again_in_order() -> None:
    outbound = Outbound(1 << 30)
    for number in range(FLIGHT_MAX + 10):
        outbound.add([b"%d" % number])
    first = outbound.due()
    assert [number for number, _ in first] == list(range(1, FLIGHT_MAX + 1))
    assert outbound.due() == []
    assert outbound.settled(5, multiple=True) == 5
    assert outbound.settled(7, multiple=False) == 1
    assert outbound.settled(7, multiple=False) == 0
    outbound.lost()
    again = [number for number, _ in outbound.due()]
    assert again == [6, *range(8, FLIGHT_MAX + 7)]


def test_equal_messages_without_a_name_remain_two() -> None:
    """The same price twice is two messages; redelivered after a loss, each is detected once."""

    def message(tag: int, *, redelivered: bool) -> Arrived:
        return Arrived(1, tag, [b"price", b"7"], redelivered=redelivered)

    inbound = Inbound(10)
    inbound.opened()
    assert not inbound.repeats(message(1, redelivered=False))
    inbound.opened()
    assert inbound.repeats(message(1, redelivered=True))
    assert not inbound.repeats(message(2, redelivered=True)), "its first delivery was lost"
    assert not inbound.repeats(message(3, redelivered=False))
    inbound.opened()
    assert [inbound.repeats(message(tag, redelivered=True)) for tag in range(4)] == [True, True, True, False]


def test_a_message_with_a_name_is_known_by_it_whatever_the_broker_says() -> None:
    inbound = Inbound(1)
    inbound.opened()
    named = [Arrived(1, tag, [b"price", b"7"], identity=f"p-{tag}") for tag in range(100)]
    assert not any(map(inbound.repeats, named))
    inbound.opened()
    assert all(map(inbound.repeats, named))
    assert not inbound.repeats(Arrived(1, 1, [b"price", b"8"], identity="p-1")), (
        "another message with this name"
    )


def test_events_of_a_session_that_is_over_are_nothing() -> None:
    broker = MemoryBroker("me", WINDOW)
    delivered: list[Frames] = []
    bridge = Bridge(broker, BridgeSettings("me"), lambda _, frames: delivered.append(frames))
    bridge.device.subscribe(1, b"")
    bridge.handle(Opened(2))
    bridge.handle(Arrived(1, 1, [b"old"]))
    bridge.handle(Changed(1))
    assert not delivered
    bridge.handle(Arrived(2, 1, [b"new"]))
    assert delivered == [[b"new"]]
