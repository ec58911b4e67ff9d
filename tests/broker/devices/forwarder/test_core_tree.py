"""The forwarder's core in a tree of simple models: subscribers that come and go, publishers that are lost and slow."""

from __future__ import annotations

from collections import Counter

from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from zeps_broker.devices.forwarder import caps
from zeps_broker.devices.forwarder.core import ForwarderCore, UpstreamRequest
from zeps_broker.devices.forwarder.policies import parse_policy
from zeps_broker.devices.forwarder.upstream import Upstream
from zeps_broker.topics.subscriptions import EVERYTHING, Filter, SubscriptionChange, Topic

TOPICS = st.binary(max_size=3).map(lambda data: bytes(byte % 2 for byte in data))
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
    """Whether a subscriber to `topic` matches this first frame; here other filters match the frame's end."""
    return frame.endswith(topic.content) if isinstance(topic, Filter) else frame.startswith(topic)


class Publisher:
    """A publisher's view of the steps that reach it: counts as in RFC 37, or a set as in libzmq."""

    def __init__(self, *, counted: bool, kinds: bytes) -> None:
        self.counted = counted
        self.kinds = kinds
        self.topics: Counter[Topic] = Counter()
        self.room = 1000
        self.again = 0
        """The space that it has directly after it refused a step, before the device learns of it."""

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
    """Subscribers with too many topics for a cap, found by counting all their topics."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.over: set[int] = set()
        self.given_up: set[int] = set()

    def changed(self, peer: int, topics: int) -> None:
        """Sets the number of distinct topics of a subscriber."""
        if topics > self.most:
            self.over.add(peer)
        elif topics <= self.most - self.most // 4 and peer not in self.given_up:
            self.over.discard(peer)

    def left(self, peer: int) -> None:
        self.over.discard(peer)
        self.given_up.discard(peer)


class Tree(RuleBasedStateMachine):
    """A device for each policy, each with the same subscribers and with three publishers of its own."""

    counted = True

    def __init__(self) -> None:
        super().__init__()
        self.devices: dict[str, ForwarderCore] = {}
        self.links: dict[str, list[Upstream]] = {}
        self.publishers: dict[str, list[Publisher]] = {}
        self.interest: dict[str, set[bytes]] = {}
        for name in NAMES:
            interested = self.interest[name] = set()

            def note(topic: bytes, is_wanted: bool, known: set[bytes] = interested) -> None:
                (known.add if is_wanted else known.remove)(topic)

            self.devices[name] = ForwarderCore(parse_policy(name), counted=self.counted, interest=note)
            self.links[name] = [Upstream(f"{name}-{number}") for number in range(3)]
            # `every` repeats a subscription, which only a counting publisher counts twice
            self.publishers[name] = [
                Publisher(counted=name == "every" or number != 1, kinds=kinds)
                for number, kinds in enumerate((b"", b"\1", b"\xff"))
            ]
        self.wants: dict[int, Counter[Topic]] = {}
        self.greedy = {name: Greedy(int(name[4:])) for name in NAMES if name.startswith("cap")}

    def _flush(self, all_the_time: set[bytes] | None = None) -> None:
        """Sends all requests; some frames were subscribed to all the time since the last flush."""
        needed = self._frames() if all_the_time is None else all_the_time
        for name, device in self.devices.items():

            def ask(request: UpstreamRequest, name: str = name) -> int:
                publisher = self.publishers[name][self.links[name].index(request.upstream)]
                for taken, step in enumerate(request.changes):
                    if publisher.room <= 0:
                        publisher.room, publisher.again = publisher.again, 0
                        return taken
                    publisher.room -= 1
                    self._take(publisher, step, needed)
                return len(request.changes)

            device.flush(ask)

    def _take(self, publisher: Publisher, step: SubscriptionChange, needed: set[bytes]) -> None:
        before = {frame for frame in FRAMES if publisher.sends(frame)}
        publisher.take(*step)
        after = {frame for frame in FRAMES if publisher.sends(frame)}
        assert before & needed <= after, "a subscription was missing for an instant"

    def _frames(self) -> set[bytes]:
        return {frame for frame in FRAMES if self._wanted(frame)}

    def _wanted(self, frame: bytes) -> set[int]:
        return {
            peer for peer, topics in self.wants.items() if any(lets_pass(topic, frame) for topic in topics)
        }

    def _matched(self, name: str, frame: bytes) -> set[int]:
        """Returns the peers that must get a message: filters match everything here, and greedy peers get everything."""
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
        """Subscriptions and cancellations in one read."""
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
                        assert not publisher.sends(frame), "a message without a subscriber below"

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
        wanted_topics = {topic for wants in self.wants.values() for topic in wants}
        topics = {EVERYTHING if isinstance(topic, Filter) else topic for topic in wanted_topics}
        for name, known in self.interest.items():
            if name not in self.greedy:
                assert known == topics
            else:
                assert topics <= known or EVERYTHING in known
                assert known <= topics | {EVERYTHING}


class SetTree(Tree):
    """The same tree where one cancel is enough."""

    counted = False


class ForgetfulTree(Tree):
    """The same tree where a cap forgets topics of subscribers with twice as many."""

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
    """It holds at every moment, over all connections, if no upstream is slow."""
    devices = {
        name: ForwarderCore(parse_policy(name), counted=counted) for name in ("every", "count", "cover")
    }
    links = {name: [Upstream("0"), Upstream("1")] for name in devices}
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
