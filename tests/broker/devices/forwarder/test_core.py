"""The forwarder's core: requests of each policy to publishers, case by case."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.devices.forwarder.core import ForwarderCore, UpstreamRequest
from zeps_broker.devices.forwarder.policies import POLICIES, parse_policy
from zeps_broker.devices.forwarder.upstream import Upstream
from zeps_broker.topics.subscriptions import Filter, SubscriptionChange, Subscriptions, Topic

TOPICS = st.binary(max_size=3).map(lambda data: bytes(byte % 2 for byte in data))


def connected(policy: str = "count", kinds: bytes = b"") -> ForwarderCore:
    """Returns a device with one upstream."""
    device = ForwarderCore(parse_policy(policy))
    device.connected(Upstream("up"), kinds)
    return device


def steps_of(device: ForwarderCore) -> list[SubscriptionChange]:
    """Returns the changes that the device requests, in order."""
    return [step for request in device.requests for step in request.changes]


def more(*topics: Topic) -> list[SubscriptionChange]:
    """Returns a subscription to each topic."""
    return [SubscriptionChange(True, topic) for topic in topics]


def less(*topics: Topic) -> list[SubscriptionChange]:
    """Returns a cancellation of each topic."""
    return [SubscriptionChange(False, topic) for topic in topics]


def run(policy: str, changes: list[SubscriptionChange], kinds: bytes = b"") -> list[SubscriptionChange]:
    """Returns what the upstream is asked for when one peer makes these changes."""
    device = connected(policy, kinds)
    for change in changes:
        (device.subscribe if change.subscribe else device.cancel)("peer", change.topic)
    return steps_of(device)


def test_the_compensation_comes_before_the_cancellation() -> None:
    changes = more(b"A", b"AB", b"ABC", b"AD") + less(b"A")
    assert run("cover", changes) == more(b"A", b"AB", b"AD") + less(b"A")


class Looked(bytes):
    """Counts how often its prefixes are tested."""

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
    """Returns the requests of `cover` after each change, computed from all topics."""
    totals, asked = Counter[bytes](), set[bytes]()
    requests: list[set[bytes]] = []
    for subscribe, topic in changes:
        if not subscribe and not totals[topic]:
            continue
        totals[topic] += 1 if subscribe else -1
        totals = +totals
        asked &= set(totals)
        candidates = [topic] if subscribe else sorted(totals, key=len)
        for candidate in candidates:
            if not any(candidate.startswith(other) for other in asked):
                asked.add(candidate)
        requests.append(set(asked))
    return requests


@given(st.lists(st.tuples(st.booleans(), TOPICS), max_size=60))
def test_cover_asks_for_the_shortest_that_nothing_else_covers(changes: list[tuple[bool, bytes]]) -> None:
    cover = parse_policy("cover")
    totals = Counter[bytes]()
    requests: list[set[bytes]] = []
    for subscribe, topic in changes:
        if subscribe or totals[topic]:
            totals[topic] += 1 if subscribe else -1
            (cover.subscribed if subscribe else cover.cancelled)(topic)
            requests.append(set(cover.desired_counts))
    assert requests == covering(changes)


def test_a_cap_turns_into_the_whole_feed_and_back() -> None:
    """Existing topics stay; the others are requested before everything is cancelled."""
    changes = more(b"a", b"b", b"c", b"d") + less(b"d", b"a")
    assert run("cap 2", changes) == [*more(b"a", b"b", b""), *less(b"a"), *more(b"c"), *less(b"")]


def test_a_cap_above_one_that_asks_for_everything_does_not_go_back_and_forth() -> None:
    """The node below requests everything and cancels its topics; the node above must not request others then."""
    changes = more(b"a", b"b", b"") + less(b"a", b"b", b"")
    assert run("cap 2", changes) == changes


def test_a_greedy_subscriber_changes_nothing_for_a_modest_one() -> None:
    """Topics of the modest subscriber stay requested all the time, and it is sent only those."""
    device = connected("cap 4")
    device.subscribe("modest", b"m")
    for number in range(100):
        device.subscribe("greedy", b"%d" % number)
    assert sorted(device.match(b"m1"), key=str) == ["greedy", "modest"]
    assert device.match(b"x1") == ("greedy",)
    device.gone("greedy")
    assert device.match(b"x1") == ()
    steps, kept = steps_of(device), [b"%d" % number for number in range(4)]
    assert (False, b"m") not in steps
    assert Counter(steps) == Counter(more(b"m", b"", *kept) + less(b"", *kept))


def test_many_modest_subscribers_are_no_greedy_one() -> None:
    device = connected("cap 2")
    for number in range(100):
        device.subscribe(number, b"%d." % number)
    assert b"" not in {topic for _, topic in steps_of(device)}
    assert device.match(b"7.") == (7,)


def test_a_greedy_subscriber_costs_no_more_than_its_cap_allows() -> None:
    """Of 100,000 topics as many are kept as the cap allows, and the others are remembered up to a bound."""
    device = connected("cap 32")
    tracemalloc.start()
    for number in range(100_000):
        device.subscribe("greedy", b"topic %d" % number)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
    assert device.stats()["topics"] == device.stats()["topics_up"] == device.stats()["steps_up"] == 33
    for number in range(100_000):
        device.cancel("greedy", b"topic %d" % number)
    assert device.match(b"anything") == ("greedy",), "its topics were forgotten, so it may still have some"
    device.gone("greedy")
    assert device.match(b"anything") == ()
    assert device.policy.desired_counts == {}


def test_one_hop_asks_for_everything_while_there_is_a_subscription() -> None:
    changes = more(b"a", b"b", Filter(7, b"")) + less(b"a", b"b")
    assert run("one-hop", changes, kinds=b"\xff") == more(b"")
    assert run("one-hop", changes + less(Filter(7, b""))) == more(b"") + less(b"")


def test_everything_is_asked_for_from_the_start_and_for_ever() -> None:
    assert run("everything", more(b"a", b"") + less(b"", b"a")) == more(b"")
    device = ForwarderCore(parse_policy("everything"))
    device.subscribe("peer", b"a")
    assert device.match(b"b") == ()


def test_what_follows_a_refused_step_is_refused_too() -> None:
    """The upstream has space again in the middle of the requests."""
    device = ForwarderCore(parse_policy("cover"))
    link = Upstream("slow")
    device.connected(link)
    asked: list[SubscriptionChange] = []

    def ask(request: UpstreamRequest) -> int:
        if request.changes[0] == (True, b"X"):
            return 0
        asked.extend(request.changes)
        return len(request.changes)

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
    device = ForwarderCore(parse_policy("every"))
    links = [Upstream("one"), Upstream("another")]
    for link in links:
        device.connected(link)
    for _ in range(100):
        device.subscribe("peer", b"a")
        device.cancel("peer", b"a")
    asked: list[UpstreamRequest] = []

    def ask(request: UpstreamRequest) -> int:
        asked.append(request)
        return len(request.changes)

    device.flush(ask)
    assert [request.upstream for request in asked] == links
    assert [list(request.changes) for request in asked] == [[(True, b"a"), (False, b"a")] * 100] * 2


def test_a_slow_upstream_gets_the_difference_and_not_the_history() -> None:
    device = ForwarderCore()
    link = Upstream("slow")
    device.connected(link)
    device.subscribe("peer", b"kept")
    (request,) = device.requests
    device.refused(request, 0)
    device.requests.clear()
    for _ in range(100):
        device.subscribe("peer", b"fickle")
        device.cancel("peer", b"fickle")
    assert device.requests == []
    device.writable(link)
    assert steps_of(device) == more(b"kept")
    assert device.stats()["steps_up"] == 1


def test_a_topic_too_long_for_a_command_is_asked_for_by_its_beginning() -> None:
    """For the policy, the common prefix of two such topics is one topic; their subscribers are matched exactly."""
    device = connected()
    beginning = bytes(64 << 10)
    for peer in (b"1", b"2"):
        device.subscribe(peer, beginning + peer)
    assert device.match(beginning + b"1!") == (b"1",)
    assert device.match(beginning) == ()
    device.cancel(b"1", beginning + b"1")
    device.gone(b"2")
    assert steps_of(device) == more(beginning) + less(beginning)


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
    """Different messages have different results, and each names all subscribers to everything."""
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
    device = ForwarderCore()
    device.subscribe("peer", Filter(7, b"anything"))
    assert device.match(b"whatever comes") == ("peer",)
    assert device.subscriptions.wanted(b"whatever")
    device.cancel("peer", Filter(7, b"another"))
    assert device.match(b"whatever comes") == ("peer",)
    device.cancel("peer", Filter(7, b"anything"))
    assert device.match(b"whatever comes") == ()


@pytest.mark.parametrize("name", ["every", "count", "cover"])
def test_an_upstream_that_does_not_know_a_kind_is_asked_for_everything_once(name: str) -> None:
    """Two filters and the empty topic are separate reasons: when the first ends, the others stay in force."""
    first, second = Filter(7, b"a"), Filter(8, b"b")
    assert run(name, more(first, second, b"") + less(first, b"", second)) == more(b"") + less(b"")


def test_an_upstream_that_knows_a_kind_is_asked_for_the_filter_itself() -> None:
    known, unknown = Filter(7, b"a"), Filter(8, b"b")
    steps = run("count", more(known, unknown) + less(known, unknown), kinds=b"\x07")
    assert steps == more(known, b"") + less(known, b"")


def test_a_filter_too_long_for_a_command_is_asked_for_as_everything() -> None:
    long = Filter(7, bytes((64 << 10) + 1))
    assert run("count", more(long) + less(long), kinds=b"\xff") == more(b"") + less(b"")


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
    with pytest.raises(ValueError, match="unknown policy"):
        parse_policy(text)
    assert set(POLICIES) == {"every", "count", "cover", "one-hop", "everything", "cap N"}
