"""The forwarder and publishers of other versions: each gets requests in its own dialect."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest
import zmq
from forwarder_peers import (
    Forward,
    Open,
    Peers,
    bind,
    expect,
    filter_wish,
    published,
    receives,
    subscriber,
    wish,
)
from transport_helpers import LONG

from zeps_broker.devices.forwarder.policies import Count
from zeps_broker.topics.subscriptions import SubscriptionChange
from zeps_broker.transport.zmtp.frames import join, join_command, join_parts

pytestmark = pytest.mark.slow  # sockets and threads


class Held(Count):
    """Blocks the forwarder during a subscription to `hold`: input in the meantime is handled in one turn."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = threading.Event()
        self.go_on = threading.Event()

    def subscribed(self, topic: bytes) -> list[SubscriptionChange]:
        if topic == b"hold":
            self.holds.set()
            assert self.go_on.wait(LONG)
        return super().subscribed(topic)


@pytest.mark.parametrize("minors", [(0, 1, 0), (1, 0, 1)])
def test_a_publisher_that_comes_back_with_another_version_is_asked_in_its_dialect(
    forward: Forward, opened: Open, peers: Peers, minors: Sequence[int]
) -> None:
    server, endpoint = peers.listen()
    reader = subscriber(opened, forward(endpoint), b"topic")
    for minor in minors:
        link = peers.accept(server, minor)
        for asked in (wish(minor, b"topic"), wish(minor, b"more"), wish(minor, b"more", more=False)):
            assert receives(link, asked)
            if asked == wish(minor, b"topic"):
                reader.subscribe(b"more")
                reader.unsubscribe(b"more")
        link.close()


def test_a_publisher_that_breaks_the_protocol_when_it_should_be_asked_is_dialled_again(
    forward: Forward, opened: Open, peers: Peers
) -> None:
    server, endpoint = peers.listen()
    policy = Held()
    below = forward(endpoint, policy=policy)
    link = peers.accept(server, 1)
    leaver = peers.connect(below, 1)
    leaver.sendall(wish(1, b"gone"))
    assert receives(link, wish(1, b"gone"))
    subscriber(opened, below, b"hold")
    assert policy.holds.wait(LONG)
    leaver.close()
    link.sendall(b"\xff")
    time.sleep(0.1)
    policy.go_on.set()
    assert receives(peers.accept(server, 1), wish(1, b"hold"))


@pytest.mark.parametrize("more", [[b""], [b"short"], [b"x" * 10], [b"", b""]])
def test_a_message_of_several_frames_is_no_subscription(
    forward: Forward, opened: Open, peers: Peers, more: list[bytes]
) -> None:
    publisher = opened(zmq.XPUB)
    link = peers.connect(forward(bind(publisher)), 0)
    link.sendall(join_parts([b"\1none", *more]) + wish(0, b"one"))
    expect(publisher, b"\1one")


@pytest.mark.parametrize("minor", [0, 1])
def test_a_filter_of_an_unknown_kind_brings_everything_until_it_is_cancelled(
    forward: Forward, opened: Open, peers: Peers, minor: int
) -> None:
    publisher, below = published(forward, opened)
    modest = subscriber(opened, below, b"m")
    expect(publisher, b"\1m")
    link = peers.connect(below, minor)
    link.sendall(filter_wish(minor, 7, b"a filter"))
    expect(publisher, b"\1")
    for message in (b"anything", b"m1"):
        publisher.send(message)
    whole = bytes(join([b"anything"]) + join([b"m1"]))
    assert receives(link, whole)
    assert modest.recv() == b"m1"
    link.sendall(filter_wish(minor, 7, b"a filter", more=False) + wish(minor, b"last"))
    assert {publisher.recv(), publisher.recv()} == {b"\0", b"\1last"}
    for message in (b"anything", b"last"):
        publisher.send(message)
    assert receives(link, join([b"last"]))


@pytest.mark.parametrize("minors", [(0, 1), (1, 0)])
def test_a_filter_goes_unchanged_through_a_tree_to_publishers_that_know_its_kind(
    forward: Forward, peers: Peers, minors: Sequence[int]
) -> None:
    """Each gets requests in its own dialect; the publisher that does not support the kind is asked for everything."""
    (first, first_endpoint), (second, second_endpoint) = peers.listen(), peers.listen()
    below = forward(forward(first_endpoint, second_endpoint))
    knows = peers.accept(first, minors[0], bytes((3, 7)))
    knows_not = peers.accept(second, minors[0], bytes((3,)))
    link = peers.connect(below, minors[1])
    for more in (True, False):
        link.sendall(filter_wish(minors[1], 7, b"\0 a \xff filter", more=more))
        asked = filter_wish(minors[0], 7, b"\0 a \xff filter", more=more)
        assert receives(knows, asked)
        asked = wish(minors[0], b"", more=more)
        assert receives(knows_not, asked)


def test_a_publisher_that_comes_back_and_knows_other_kinds_is_asked_accordingly(
    forward: Forward, peers: Peers
) -> None:
    server, endpoint = peers.listen()
    link = peers.connect(forward(endpoint), 1)
    link.sendall(filter_wish(1, 7, b"f"))
    for filters, asked in (
        (b"\7", filter_wish(1, 7, b"f")),
        (None, wish(1, b"")),
        (b"\xff", filter_wish(1, 7, b"f")),
    ):
        publisher = peers.accept(server, 1, filters)
        assert receives(publisher, asked)
        publisher.close()


@pytest.mark.parametrize("minor", [0, 1])
def test_other_messages_of_subscribers_reach_every_publisher(
    forward: Forward, opened: Open, peers: Peers, minor: int
) -> None:
    """They keep their order with subscriptions; a message of several frames that begins as one is dropped."""
    publishers = [opened(zmq.XPUB) for _ in range(2)]
    top = forward(*map(bind, publishers))
    link = peers.connect(forward(top), minor)
    messages = [[b"\4 hello"], [b""], [b"\xff", b"part", b""], [b"x" * 100_000]]
    link.sendall(wish(minor, b"first"))
    for publisher in publishers:  # connected now: earlier messages would not wait for it
        assert publisher.recv() == b"\1first"
    link.sendall(join_parts([b"\1not", b"a subscription"]))
    for message in messages:
        link.sendall(join_parts(message))
    link.sendall(wish(minor, b"last"))
    for publisher in publishers:
        assert [publisher.recv_multipart() for _ in messages] == messages
        assert publisher.recv() == b"\1last"


@pytest.mark.parametrize("minor", [0, 1])
def test_unknown_commands_are_ignored_on_either_side(forward: Forward, peers: Peers, minor: int) -> None:
    server, endpoint = peers.listen()
    link = peers.connect(forward(endpoint), minor)
    publisher = peers.accept(server, minor)
    for body in (
        b"\5HELLO",
        b"\4JOINgroup",
        b"\1t",
        b"\2to",
        b"\3two",
        b"\xff" + bytes(255),
        b"\x0bSUBSCRIBE-Y\7f",
    ):
        link.sendall(join_command(body))
        publisher.sendall(join_command(body))
    link.sendall(wish(minor, b"still"))
    assert receives(publisher, wish(minor, b"still"))
    publisher.sendall(join([b"still here"]))
    assert receives(link, join([b"still here"]))
