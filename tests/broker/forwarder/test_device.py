"""The device against a tree of plain models: subscribers that come and go, publishers that are lost and slow."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from zeps_broker.forwarder import caps
from zeps_broker.forwarder.core import Device, Up
from zeps_broker.forwarder.links import Link
from zeps_broker.forwarder.policies import POLICIES, Policy, Step, parse_policy
from zeps_broker.forwarder.subscriptions import EVERYTHING, Filter, Subscriptions, Topic

TOPICS = st.binary(max_size=3).map(lambda octets: bytes(octet % 2 for octet in octets))
PEERS = st.integers(0, 4)
FILTERS = st.builds(Filter, st.sampled_from([1, 2, 255]), st.sampled_from([b"", b"\0", b"\1"]))
CHANGES = st.tuples(st.booleans(), PEERS, TOPICS | FILTERS)
Change = tuple[bool, int, Topic]
AGAIN = st.sampled_from([0, 1, 2, 1000])
NAMES = ("every", "count", "cover", "cap 1", "cap 2", "cap 3", "cap 4", "one-hop", "everything")
FRAMES = [
    bytes(bits) for bits in ([], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1], [0, 1, 0], [1, 1, 1, 0], [2])
]


def lets_pass(topic: Topic, frame: bytes) -> bool:
    """Whether who asks for `topic` wants a message of this first frame. Here filters of all kinds look at its end."""
    return frame.endswith(topic.octets) if isinstance(topic, Filter) else frame.startswith(topic)


class Publisher:
    """What a publisher makes of the steps that reach it: counts as RFC 37 says, or a set as libzmq has."""

    def __init__(self, *, counted: bool, kinds: bytes) -> None:
        self.counted = counted
        self.kinds = kinds
        self.topics: Counter[Topic] = Counter()
        self.room = 1000
        self.again = 0
        """The room that it has as soon as it has refused a step, though the device has not heard of it yet."""

    def knows(self, topic: Topic) -> bool:
        if not isinstance(topic, Filter):
            return True
        return topic.kind != 255 and (topic.kind in self.kinds or 255 in self.kinds)

    def take(self, more: bool, topic: Topic) -> None:
        assert self.knows(topic)
        self.topics[topic] += 1 if more else -1
        if not self.counted:
            self.topics[topic] = min(self.topics[topic], 1)
        assert self.topics[topic] >= 0, "a cancel without a subscription"
        if not self.topics[topic]:
            del self.topics[topic]

    def sends(self, frame: bytes) -> bool:
        return any(lets_pass(topic, frame) for topic in self.topics)


class Greedy:
    """Which subscribers have too many topics for a cap, found by counting all that they have."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.over: set[int] = set()
        self.given_up: set[int] = set()

    def changed(self, peer: int, topics: int) -> None:
        """A subscriber has so many different topics now."""
        if topics > self.most:
            self.over.add(peer)
        elif topics <= self.most - self.most // 4 and peer not in self.given_up:
            self.over.discard(peer)

    def left(self, peer: int) -> None:
        self.over.discard(peer)
        self.given_up.discard(peer)


class Tree(RuleBasedStateMachine):
    """A device with a policy, its subscribers, and three publishers."""

    counted = True

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

            self.devices[name] = Device(parse_policy(name), counted=self.counted, interest=note)
            self.links[name] = [Link(f"{name}-{number}") for number in range(3)]
            # `every` says the same thing twice, which only a publisher that counts takes for two things
            self.publishers[name] = [
                Publisher(counted=name == "every" or number != 1, kinds=kinds)
                for number, kinds in enumerate((b"", b"\1", b"\xff"))
            ]
        self.wants: dict[int, Counter[Topic]] = {}
        self.greedy = {name: Greedy(int(name[4:])) for name in NAMES if name.startswith("cap")}

    def _flush(self, all_the_time: set[bytes] | None = None) -> None:
        """Have everything asked; there are frames that somebody has wanted all the time since the last flush."""
        needed = self._frames() if all_the_time is None else all_the_time
        for name, device in self.devices.items():

            def ask(up: Up, name: str = name) -> int:
                publisher = self.publishers[name][self.links[name].index(up.link)]
                for taken, step in enumerate(up.steps):
                    if publisher.room <= 0:
                        publisher.room, publisher.again = publisher.again, 0
                        return taken
                    publisher.room -= 1
                    self._take(publisher, step, needed)
                return len(up.steps)

            device.flush(ask)

    def _take(self, publisher: Publisher, step: Step, needed: set[bytes]) -> None:
        before = {frame for frame in FRAMES if publisher.sends(frame)}
        publisher.take(*step)
        after = {frame for frame in FRAMES if publisher.sends(frame)}
        assert before & needed <= after, "an instant without cover"

    def _frames(self) -> set[bytes]:
        return {frame for frame in FRAMES if self._wanted(frame)}

    def _wanted(self, frame: bytes) -> set[int]:
        return {
            peer for peer, topics in self.wants.items() if any(lets_pass(topic, frame) for topic in topics)
        }

    def _matched(self, name: str, frame: bytes) -> set[int]:
        """The peers that are to get a message: a device knows no kind of filter, and who is greedy gets everything."""
        return (
            self._wanted(frame)
            | (self.greedy[name].over if name in self.greedy else set())
            | {
                peer
                for peer, topics in self.wants.items()
                if any(isinstance(topic, Filter) for topic in topics)
            }
        )

    def _asked_for_everything(self, name: str, publisher: Publisher) -> bool:
        match name:
            case "everything":
                return True
            case "one-hop":
                return any(self.wants.values())
            case name if name in self.greedy and self.greedy[name].over:
                return True
        return not all(publisher.knows(topic) for topics in self.wants.values() for topic in topics)

    @rule(changes=st.lists(CHANGES, min_size=1, max_size=6))
    def change(self, changes: list[Change]) -> None:
        """Subscriptions and cancellations that are read together."""
        needed = self._frames()
        for more, peer, topic in changes:
            wants = self.wants.setdefault(peer, Counter())
            if more:
                wants[topic] = wants[topic] + 1 if self.counted else 1
            elif wants[topic]:
                wants[topic] -= 1
            if not wants[topic]:
                del wants[topic]
            for name, device in self.devices.items():
                (device.subscribe if more else device.cancel)(peer, topic)
                if name in self.greedy:
                    greedy = self.greedy[name]
                    greedy.changed(peer, len(wants))
                    if len(wants) - (device.subscriptions.distinct(peer) - 1) > caps.REMEMBERED * greedy.most:
                        greedy.given_up.add(peer)
            needed &= self._frames()
        self._flush(needed)

    @rule(peer=PEERS)
    def leave(self, peer: int) -> None:
        self.wants.pop(peer, None)
        for device in self.devices.values():
            device.gone(peer)
        for greedy in self.greedy.values():
            greedy.left(peer)
        self._flush()

    @rule(number=st.integers(0, 2), room=st.sampled_from([0, 1, 3, 1000]), again=AGAIN)
    def connect(self, number: int, room: int, again: int) -> None:
        for name, device in self.devices.items():
            publisher = self.publishers[name][number]
            publisher.topics.clear()
            publisher.room, publisher.again = room, again
            device.connected(self.links[name][number], publisher.kinds)
        self._flush()

    @rule(number=st.integers(0, 2))
    def lose(self, number: int) -> None:
        for name, device in self.devices.items():
            if self.links[name][number] in device.links:
                device.lost(self.links[name][number])
                self.publishers[name][number].topics.clear()

    @rule(number=st.integers(0, 2), room=st.sampled_from([1, 2, 1000]), again=AGAIN)
    def read(self, number: int, room: int, again: int) -> None:
        for name, device in self.devices.items():
            publisher = self.publishers[name][number]
            publisher.room, publisher.again = room, again
            if self.links[name][number].full:
                device.writable(self.links[name][number])
        self._flush()

    @precondition(lambda self: self.wants)
    @invariant()
    def every_subscriber_is_matched_exactly(self) -> None:
        for frame in FRAMES:
            for name, device in self.devices.items():
                peers = device.match(frame)
                assert set(peers) == self._matched(name, frame)
                assert len(peers) == len(set(peers))

    @invariant()
    def at_rest_a_publisher_sends_what_somebody_wants(self) -> None:
        for name, links in self.links.items():
            for link, publisher in zip(links, self.publishers[name], strict=True):
                if not link.up or link.full:
                    continue
                for frame in FRAMES:
                    if self._wanted(frame) or self._asked_for_everything(name, publisher):
                        assert publisher.sends(frame)
                    else:
                        assert not publisher.sends(frame), "a message that nobody below wants"

    @invariant()
    def a_cap_is_kept(self) -> None:
        for name, greedy in self.greedy.items():
            for peer in self.wants:
                assert self.devices[name].subscriptions.distinct(peer) <= greedy.most + (peer in greedy.over)

    @invariant()
    def aggregation_never_says_more(self) -> None:
        said = {name: device.stats()["steps_up"] for name, device in self.devices.items()}
        if all(publisher.room > 100 for publisher in self.publishers["every"]) and not any(
            link.full for links in self.links.values() for link in links
        ):
            assert said["count"] <= said["every"]

    @invariant()
    def the_producer_knows_what_is_wanted(self) -> None:
        wanted = {topic for wants in self.wants.values() for topic in wants}
        topics = {EVERYTHING if isinstance(topic, Filter) else topic for topic in wanted}
        for name, known in self.interest.items():
            if name not in self.greedy:
                assert known == topics
            else:
                assert topics <= known or EVERYTHING in known
                assert known <= topics | {EVERYTHING}


class SetTree(Tree):
    """The same where one cancel is enough."""

    counted = False


class ForgetfulTree(Tree):
    """The same where a cap gives up whoever has as many topics again."""

    def __init__(self) -> None:
        super().__init__()
        self.remembered, caps.REMEMBERED = caps.REMEMBERED, 1

    def teardown(self) -> None:
        caps.REMEMBERED = self.remembered


TestTree = Tree.TestCase
TestTree.settings = settings(max_examples=sized(15, 400), stateful_step_count=40, deadline=None)
TestSetTree = SetTree.TestCase
TestSetTree.settings = settings(max_examples=sized(8, 200), stateful_step_count=40, deadline=None)
TestForgetfulTree = ForgetfulTree.TestCase
TestForgetfulTree.settings = settings(max_examples=sized(8, 200), stateful_step_count=40, deadline=None)


HAPPENINGS = st.one_of(
    CHANGES,
    PEERS.map(lambda peer: ("leave", peer)),
    st.tuples(st.sampled_from(["connect", "lose"]), st.integers(0, 1)),
)


@given(st.lists(HAPPENINGS, max_size=80), st.booleans())
def test_count_and_cover_never_say_more_than_every(
    happenings: list[Change | tuple[str, int]], counted: bool
) -> None:
    """At no moment, over all connections, if no upstream is slow."""
    devices = {name: Device(parse_policy(name), counted=counted) for name in ("every", "count", "cover")}
    links = {name: [Link("0"), Link("1")] for name in devices}
    for name, device in devices.items():
        device.connected(links[name][0])
    for happening in happenings:
        for name, device in devices.items():
            match happening:
                case True, peer, topic:
                    device.subscribe(peer, topic)
                case False, peer, topic:
                    device.cancel(peer, topic)
                case "leave", peer:
                    device.gone(peer)
                case "connect", number if not links[name][number].up:
                    device.connected(links[name][number])
                case "lose", number:
                    device.lost(links[name][number])
        said = {name: device.stats()["steps_up"] for name, device in devices.items()}
        assert said["count"] <= said["every"]
        assert said["cover"] <= said["every"]


def run(policy: Policy, *changes: Step, kinds: bytes = b"") -> list[Step]:
    device = Device(policy)
    device.connected(Link("up"), kinds)
    for more, topic in changes:
        (device.subscribe if more else device.cancel)("peer", topic)
    return [step for up in device.ups for step in up.steps]


def test_the_compensation_comes_before_the_cancellation() -> None:
    steps = run(
        parse_policy("cover"), (True, b"A"), (True, b"AB"), (True, b"ABC"), (True, b"AD"), (False, b"A")
    )
    assert steps == [(True, b"A"), (True, b"AB"), (True, b"AD"), (False, b"A")]


class Looked(bytes):
    """Counts how often it is asked what it begins with."""

    times = 0

    def startswith(self, *arguments: object) -> bool:
        Looked.times += 1
        return super().startswith(*arguments)  # type: ignore[arg-type]


def test_one_that_leaves_with_many_topics_is_not_compared_with_all_for_each() -> None:
    cover = parse_policy("cover")
    topics = [Looked(b"%d." % number) for number in range(2000)]
    Looked.times = 0
    for topic in topics:
        assert cover.subscribed(topic) == [(True, topic)]
        assert cover.subscribed(topic + b"below") == []
    for topic in topics:
        assert cover.cancelled(topic) == [(True, topic + b"below"), (False, topic)]
    assert Looked.times < 50 * len(topics)


def covering(changes: list[tuple[bool, bytes]]) -> list[set[bytes]]:
    """What `cover` asks for after each change, found by looking at everything."""
    totals, asked = Counter[bytes](), set[bytes]()
    found: list[set[bytes]] = []
    for more, topic in changes:
        if not more and not totals[topic]:
            continue
        totals[topic] += 1 if more else -1
        totals = +totals
        asked &= set(totals)
        candidates = [topic] if more else sorted(totals, key=len)
        for each in candidates:
            if not any(each.startswith(other) for other in asked):
                asked.add(each)
        found.append(set(asked))
    return found


@given(st.lists(st.tuples(st.booleans(), TOPICS), max_size=60))
def test_cover_asks_for_the_shortest_that_nothing_else_covers(changes: list[tuple[bool, bytes]]) -> None:
    cover = parse_policy("cover")
    totals = Counter[bytes]()
    found: list[set[bytes]] = []
    for more, topic in changes:
        if more or totals[topic]:
            totals[topic] += 1 if more else -1
            (cover.subscribed if more else cover.cancelled)(topic)
            found.append(set(cover.wanted))
    assert found == covering(changes)


def test_a_cap_turns_into_the_whole_feed_and_back() -> None:
    """The topics that were there stay; the others are asked for before everything is cancelled."""
    steps = run(
        parse_policy("cap 2"),
        (True, b"a"),
        (True, b"b"),
        (True, b"c"),
        (True, b"d"),
        (False, b"d"),
        (False, b"a"),
    )
    assert steps == [(True, b"a"), (True, b"b"), (True, b""), (False, b"a"), (True, b"c"), (False, b"")]


def test_a_cap_above_one_that_asks_for_everything_does_not_go_back_and_forth() -> None:
    """The one below asks for everything and cancels its topics, which must not make the one above ask for others."""
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


def test_a_greedy_subscriber_changes_nothing_for_a_modest_one() -> None:
    """What the modest one asked for stays asked for all the time, and it is sent nothing else."""
    device, link = Device(parse_policy("cap 4")), Link("up")
    device.connected(link)
    device.subscribe("modest", b"m")
    for number in range(100):
        device.subscribe("greedy", b"%d" % number)
    assert sorted(device.match(b"m1"), key=str) == ["greedy", "modest"]
    assert device.match(b"x1") == ("greedy",)
    device.gone("greedy")
    assert device.match(b"x1") == ()
    steps = [step for up in device.ups for step in up.steps]
    assert (False, b"m") not in steps
    assert Counter(steps) == Counter(
        [(True, b"m"), (True, b""), (False, b"")]
        + [(more, b"%d" % number) for more in (True, False) for number in range(4)]
    )


def test_many_modest_subscribers_are_no_greedy_one() -> None:
    device = Device(parse_policy("cap 2"))
    device.connected(Link("up"))
    for number in range(100):
        device.subscribe(number, b"%d." % number)
    assert b"" not in {topic for up in device.ups for _, topic in up.steps}
    assert device.match(b"7.") == (7,)


def test_a_greedy_subscriber_costs_no_more_than_its_cap_allows() -> None:
    """Of 100,000 topics as many are kept as the cap says, and the others are remembered up to a bound."""
    device = Device(parse_policy("cap 32"))
    device.connected(Link("up"))
    tracemalloc.start()
    for number in range(100_000):
        device.subscribe("greedy", b"topic %d" % number)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
    assert device.stats()["topics"] == device.stats()["topics_up"] == device.stats()["steps_up"] == 33
    for number in range(100_000):
        device.cancel("greedy", b"topic %d" % number)
    assert device.match(b"anything") == ("greedy",), (
        "what it had was forgotten, so it may still have something"
    )
    device.gone("greedy")
    assert device.match(b"anything") == ()
    assert device.policy.wanted == {}


def test_one_hop_asks_for_everything_while_there_is_a_subscription() -> None:
    changes: list[Step] = [(True, b"a"), (True, b"b"), (True, Filter(7, b"")), (False, b"a"), (False, b"b")]
    assert run(parse_policy("one-hop"), *changes, kinds=b"\xff") == [(True, b"")]
    assert run(parse_policy("one-hop"), *changes, (False, Filter(7, b""))) == [(True, b""), (False, b"")]


def test_everything_is_asked_for_from_the_start_and_for_ever() -> None:
    changes: list[Step] = [(True, b"a"), (True, b""), (False, b""), (False, b"a")]
    assert run(parse_policy("everything"), *changes) == [(True, b"")]
    device = Device(parse_policy("everything"))
    device.subscribe("peer", b"a")
    assert device.match(b"b") == ()


def test_what_follows_a_refused_step_is_refused_too() -> None:
    """The upstream has room again in the middle of what it is asked for."""
    device = Device(parse_policy("cover"))
    link = Link("slow")
    device.connected(link)
    asked: list[Step] = []

    def ask(up: Up) -> int:
        if up.steps[0] == (True, b"X"):
            return 0
        asked.extend(up.steps)
        return len(up.steps)

    for change in (device.subscribe, device.cancel):
        change("peer", b"X")
    device.subscribe("peer", b"Y")
    device.flush(ask)
    assert asked == []
    device.writable(link)
    device.flush(ask)
    assert asked == [(True, b"Y")]
    assert device.stats()["steps_up"] == 1


def test_an_upstream_is_asked_once_for_all_that_came_together() -> None:
    device = Device(parse_policy("every"))
    links = [Link("one"), Link("another")]
    for link in links:
        device.connected(link)
    for _ in range(100):
        device.subscribe("peer", b"a")
        device.cancel("peer", b"a")
    asked: list[Up] = []

    def ask(up: Up) -> int:
        asked.append(up)
        return len(up.steps)

    device.flush(ask)
    assert [up.link for up in asked] == links
    assert [list(up.steps) for up in asked] == [[(True, b"a"), (False, b"a")] * 100] * 2


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


def test_a_topic_too_long_for_a_command_is_asked_for_by_its_beginning() -> None:
    """What two such topics have in common is one topic to the policy, and their subscribers are matched exactly."""
    device = Device()
    device.connected(Link("up"))
    beginning = bytes(64 << 10)
    for peer in (b"1", b"2"):
        device.subscribe(peer, beginning + peer)
    assert device.match(beginning + b"1!") == (b"1",)
    assert device.match(beginning) == ()
    device.cancel(b"1", beginning + b"1")
    device.gone(b"2")
    assert [step for up in device.ups for step in up.steps] == [(True, beginning), (False, beginning)]


def test_a_long_topic_does_not_make_the_matcher_keep_long_messages() -> None:
    table = Subscriptions()
    table.subscribe("peer", bytes(1 << 20))
    tracemalloc.start()
    for number in range(100):
        assert table.match(number.to_bytes(100_000, "little")) == ()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000


def test_remembered_answers_of_many_peers_are_bounded() -> None:
    """Messages that differ have answers of their own, and each names all who want everything."""
    table = Subscriptions()
    table.subscribe("long", bytes(8))
    for peer in range(1000):
        table.subscribe(peer, b"")
    tracemalloc.start()
    for number in range(3000):
        assert len(table.match(b"%08d" % number)) == 1000
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 12_000_000


def test_a_filter_of_an_unknown_kind_is_a_subscription_to_everything() -> None:
    device = Device()
    device.subscribe("peer", Filter(7, b"anything"))
    assert device.match(b"whatever comes") == ("peer",)
    assert device.subscriptions.wanted(b"whatever")
    device.cancel("peer", Filter(7, b"another"))
    assert device.match(b"whatever comes") == ("peer",)
    device.cancel("peer", Filter(7, b"anything"))
    assert device.match(b"whatever comes") == ()


@pytest.mark.parametrize("name", ["every", "count", "cover"])
def test_an_upstream_that_does_not_know_a_kind_is_asked_for_everything_once(name: str) -> None:
    """Two filters and the empty topic are one reason after another: the first to go takes nothing from the others."""
    steps = run(
        parse_policy(name),
        (True, Filter(7, b"a")),
        (True, Filter(8, b"b")),
        (True, b""),
        (False, Filter(7, b"a")),
        (False, b""),
        (False, Filter(8, b"b")),
    )
    assert steps == [(True, b""), (False, b"")]


def test_an_upstream_that_knows_a_kind_is_asked_for_the_filter_itself() -> None:
    steps = run(
        parse_policy("count"),
        (True, Filter(7, b"a")),
        (True, Filter(8, b"b")),
        (False, Filter(7, b"a")),
        (False, Filter(8, b"b")),
        kinds=b"\x07",
    )
    assert steps == [(True, Filter(7, b"a")), (True, b""), (False, Filter(7, b"a")), (False, b"")]


def test_a_filter_too_long_for_a_command_is_asked_for_as_everything() -> None:
    changes: list[Step] = [(more, Filter(7, bytes((64 << 10) + 1))) for more in (True, False)]
    assert run(parse_policy("count"), *changes, kinds=b"\xff") == [(True, b""), (False, b"")]


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
    assert set(POLICIES) == {"every", "count", "cover", "one-hop", "everything", "cap N"}
