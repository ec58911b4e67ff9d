"""The forwarder between libzmq's sockets and raw peers: both directions, losses and slow peers."""

from __future__ import annotations

import queue
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence

import pytest
import zmq
from forwarder_peers import (
    Forward,
    Open,
    Peers,
    bind,
    bind_again,
    events_at_the_limit,
    expect,
    expect_of,
    published,
    receives,
    running,
    subscriber,
    wish,
)
from raw_peer import GREETING_3_0
from transport_helpers import LONG
from waiting import until

from zeps_broker.devices.forwarder.server import Forwarder, ForwarderOptions
from zeps_broker.topics.subscriptions import SubscriptionChange
from zeps_broker.transport.zmtp.frames import join, join_command
from zeps_broker.transport.zmtp.pubsub import SubscribingConnection
from zeps_wire import zmtp

pytestmark = pytest.mark.slow  # sockets and threads


def test_messages_go_down_and_wishes_up(forward: Forward, opened: Open) -> None:
    publisher, below = published(forward, opened)
    first = subscriber(opened, below, b"A")
    expect(publisher, b"\1A")
    second = subscriber(opened, below, b"B")
    expect(publisher, b"\1B")
    publisher.send_multipart([b"A1", b"", b"two"])
    publisher.send(b"B1")
    publisher.send(b"C1")
    publisher.send(b"A2" + bytes(300))
    assert first.recv_multipart() == [b"A1", b"", b"two"]
    assert first.recv_multipart() == [b"A2" + bytes(300)]
    assert second.recv_multipart() == [b"B1"]
    first.close()
    expect(publisher, b"\0A")
    assert publisher.poll(50) == 0


def test_cover_asks_before_it_cancels(forward: Forward, opened: Open) -> None:
    publisher, below = published(forward, opened, policy="cover")
    wide = subscriber(opened, below, b"A")
    expect(publisher, b"\1A")
    narrow = subscriber(opened, below, b"AB", b"ABC")
    time.sleep(0.1)
    wide.close()
    expect(publisher, b"\1AB", b"\0A")
    publisher.send(b"ABC!")
    assert narrow.recv() == b"ABC!"


def test_a_greedy_subscriber_gets_everything_and_a_modest_one_what_it_asked_for(
    forward: Forward, opened: Open, peers: Peers
) -> None:
    publisher, below = published(forward, opened, policy="cap 2")
    modest, greedy = peers.connect(below, 1), peers.connect(below, 1)
    modest.sendall(wish(1, b"m"))
    expect(publisher, b"\1m")
    greedy.sendall(b"".join(wish(1, topic) for topic in (b"a", b"b", b"c", b"d")))
    expect(publisher, b"\1a", b"\1b", b"\1")
    for message in (b"x", b"m1"):
        publisher.send(message)
    assert receives(greedy, join([b"x", b"m1"]))
    assert receives(modest, join([b"m1"]))
    greedy.close()
    assert {publisher.recv() for _ in range(3)} == {b"\0a", b"\0b", b"\0"}
    for message in (b"x", b"m2"):
        publisher.send(message)
    assert receives(modest, join([b"m2"]))
    modest.close()
    expect(publisher, b"\0m")


def test_a_publisher_is_asked_for_everything_before_anybody_subscribes(
    forward: Forward, opened: Open, peers: Peers
) -> None:
    publisher, below = published(forward, opened, policy="everything")
    expect(publisher, b"\1")
    link = peers.connect(below, 1)
    link.sendall(wish(1, b"a") + join([b"a message"]))
    expect(publisher, b"a message")
    for message in (b"b1", b"a1"):
        publisher.send(message)
    assert receives(link, join([b"a1"]))


def test_a_publisher_that_comes_back_is_asked_again(forward: Forward, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    endpoint = bind(publisher)
    below = forward(endpoint)
    reader = subscriber(opened, below, b"A", b"B")
    assert {publisher.recv(), publisher.recv()} == {b"\1A", b"\1B"}
    publisher.close()
    publisher = opened(zmq.XPUB)
    bind_again(publisher, endpoint)
    assert {publisher.recv(), publisher.recv()} == {b"\1A", b"\1B"}
    publisher.send(b"A again")
    assert reader.recv() == b"A again"


@pytest.mark.parametrize("minor", [0, 1])
def test_each_publisher_is_asked_in_its_own_dialect(
    forward: Forward, opened: Open, peers: Peers, minor: int
) -> None:
    server, endpoint = peers.listen()
    subscriber(opened, forward(endpoint), b"topic")
    assert receives(peers.accept(server, minor), wish(minor, b"topic"))


@pytest.mark.parametrize("minor", [0, 1])
def test_a_long_topic_breaks_no_link_of_a_tree(
    forward: Forward, opened: Open, peers: Peers, minor: int
) -> None:
    """Such a topic fits into a message, but is longer than a command that the native engine accepts of a publisher."""
    publisher = opened(zmq.XPUB)
    below = forward(forward(bind(publisher)))
    topic = b"t" * 132_000
    other = subscriber(opened, below, b"other")
    expect(publisher, b"\1other")
    link = peers.connect(below, minor)
    link.sendall(wish(minor, topic))
    expect(publisher, b"\1" + topic[: 64 << 10])
    for message in (topic[:-1], topic, b"other"):
        publisher.send(message)
    assert other.recv() == b"other"
    assert receives(link, join([topic]))
    link.close()
    expect(publisher, b"\0" + topic[: 64 << 10])


def test_several_publishers_are_all_asked_and_all_heard(forward: Forward, opened: Open) -> None:
    publishers = [opened(zmq.XPUB) for _ in range(3)]
    below = forward(*map(bind, publishers))
    reader = subscriber(opened, below, b"")
    for number, publisher in enumerate(publishers):
        expect(publisher, b"\1")
        publisher.send(b"%d" % number)
    assert sorted(reader.recv() for _ in publishers) == [b"0", b"1", b"2"]


def test_publishers_that_connect_and_subscribers_that_listen(forward: Forward, opened: Open) -> None:
    """Roles of listener and dialler swapped; later publishers are asked too, and lost ones do not matter."""
    reader = opened(zmq.SUB)
    listening = f"tcp://127.0.0.1:{reader.bind_to_random_port('tcp://127.0.0.1')}"
    reader.subscribe(b"A")
    above = forward(binds=["tcp://127.0.0.1:*"], connects=[listening])
    publishers = []
    for number in range(3):
        publisher = opened(zmq.XPUB)
        publisher.setsockopt(zmq.XPUB_VERBOSER, 1)
        publisher.connect(above)
        expect_of(reader, publisher, b"\1A")
        publisher.send(b"B%d" % number)
        publisher.send(b"A%d" % number)
        assert reader.recv() == b"A%d" % number
        publishers.append(publisher)
    publishers.pop(0).close()
    reader.subscribe(b"B")
    for publisher in publishers:
        expect_of(reader, publisher, b"\1B")
    publishers[0].send(b"B3")
    assert reader.recv() == b"B3"


def test_a_subscriber_that_listens_and_comes_back_is_dialled_again(forward: Forward, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    reader = opened(zmq.SUB)
    listening = f"tcp://127.0.0.1:{reader.bind_to_random_port('tcp://127.0.0.1')}"
    reader.subscribe(b"A")
    forward(bind(publisher), connects=[listening])
    expect_of(reader, publisher, b"\1A")
    reader.close()
    expect(publisher, b"\0A")
    reader = opened(zmq.SUB)
    bind_again(reader, listening)
    reader.subscribe(b"B")
    expect_of(reader, publisher, b"\1B")
    publisher.send(b"B1")
    assert reader.recv() == b"B1"


def test_a_subscriber_that_does_not_read_harms_nobody(forward: Forward, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    publisher.sndhwm = 0
    below = forward(bind(publisher), queue=100_000)
    slow = opened(zmq.SUB)
    slow.rcvhwm = 1
    slow.connect(below)
    slow.subscribe(b"")
    expect(publisher, b"\1")
    quick = opened(zmq.SUB)
    quick.rcvhwm = 0
    quick.connect(below)
    quick.subscribe(b"q")
    expect(publisher, b"\1q")
    for start in range(0, 20_000, 50):  # messages under way always fit into the quick subscriber's queue
        numbers = list(range(start, start + 50))
        for number in numbers:
            publisher.send(b"q%06d" % number + bytes(1000))
        assert [int(quick.recv()[1:7]) for _ in numbers] == numbers


def test_a_publisher_that_floods_does_not_displace_the_messages_of_another(peers: Peers) -> None:
    """The subscriber does not read until the flood has filled its share of the queue, and more."""
    forwarder = Forwarder(
        [],
        ["tcp://127.0.0.1:*"],
        options=ForwarderOptions(queue=200_000),
        upstream_binds=["tcp://127.0.0.1:*"],
    )
    with running(forwarder):
        reader = peers.connect(forwarder.endpoints[0], 1)
        reader.sendall(wish(1, b""))
        floods = [peers.connect(forwarder.upstream_endpoints[0], 1, b"PUB") for _ in range(2)]
        modest = peers.connect(forwarder.upstream_endpoints[0], 1, b"PUB")
        for publisher in (*floods, modest):
            assert receives(publisher, wish(1, b""))
        batch = bytes(join([b"flood" + bytes(1000)])) * 100
        sent = 0
        while forwarder.stats()["dropped"] < 2000:
            for flood in floods:
                flood.sendall(batch)
                sent += 100
            until(lambda sent=sent: forwarder.stats()["messages_in"] == sent, lambda: None)  # type: ignore[misc]
        for number in range(100):
            modest.sendall(join([b"modest %d" % number]))
        until(lambda: forwarder.stats()["messages_in"] == sent + 100)
        modest.sendall(join([b"end"]))
        got = bytearray()
        while b"end" not in got:
            got += reader.recv(1 << 20)
        assert got.count(b"modest") == 100
        assert got.count(b"flood") > 100


def test_a_publisher_that_does_not_read_gets_no_cancel_without_its_subscription(
    forward: Forward, peers: Peers
) -> None:
    """It reads late and slowly, so that it has space again during the requests."""
    server, endpoint = peers.listen()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    below = forward(endpoint, queue=1)
    link = peers.accept(server, 1)
    reader = peers.connect(below, 1)
    topics = [b"%04d" % number + bytes(2000) for number in range(4000)]
    fickle = b"".join(wish(1, topic, more=more) for topic in topics for more in (True, False))
    thread = threading.Thread(target=reader.sendall, args=[fickle + wish(1, b"end")])
    thread.start()
    time.sleep(0.3)
    asked = Counter[bytes]()
    file = link.makefile("rb", 64 << 10)
    while asked != {b"end": 1}:
        head = file.read(2)
        size = head[1] if head[0] == 4 else int.from_bytes(head[1:] + file.read(7))
        message = zmtp.decode(file.read(size))
        assert isinstance(message, zmtp.Subscribe | zmtp.Cancel)
        asked[message.topic] += 1 if isinstance(message, zmtp.Subscribe) else -1
        assert asked[message.topic] >= 0
        if not asked[message.topic]:
            del asked[message.topic]
    thread.join()
    file.close()


def test_a_publisher_with_room_again_gets_no_cancel_of_what_it_refused(
    forward: Forward, peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same without the race: its queue is full for one step, and sent before the next, which is read with it."""
    ask = SubscribingConnection.ask

    def full_at_first(connection: SubscribingConnection, steps: Sequence[SubscriptionChange]) -> int:
        monkeypatch.setattr(SubscribingConnection, "ask", ask)
        connection.refused = True
        return 0

    server, endpoint = peers.listen()
    below = forward(endpoint)
    link = peers.accept(server, 1)
    reader = peers.connect(below, 1)
    monkeypatch.setattr(SubscribingConnection, "ask", full_at_first)
    reader.sendall(wish(1, b"X") + wish(1, b"X", more=False) + wish(1, b"end"))
    assert receives(link, wish(1, b"end"))


def test_a_peer_that_sends_error_is_not_connected_again(forward: Forward, peers: Peers) -> None:
    """ZMTP-N-22. Another publisher is connected again when its connection ends (ZMTP-N-23)."""
    refusing, refusing_endpoint = peers.listen()
    other, other_endpoint = peers.listen()
    forward(refusing_endpoint, other_endpoint)
    link, _ = refusing.accept()
    with link:
        link.sendall(GREETING_3_0 + join_command(zmtp.Error(reason=b"go away").encode()))
        link.settimeout(LONG)
        while link.recv(4096):
            pass
    for _ in range(3):
        peers.accept(other, 1).close()
    refusing.settimeout(0.5)
    with pytest.raises(TimeoutError):
        refusing.accept()


@pytest.mark.parametrize("counted", [False, True])
def test_what_the_unbalanced_cancels_of_libzmq_come_to(forward: Forward, opened: Open, counted: bool) -> None:
    """Its XSUB sends two subscriptions and one cancel for a pair: as a set this leaves 0, counted it leaves 1."""
    publisher, below = published(forward, opened, counted=counted)
    reader = opened(zmq.XSUB)
    reader.connect(below)
    reader.send(b"\1A")
    expect(publisher, b"\1A")
    for step in (b"\1A", b"\0A", b"\0A", b"\1end"):
        reader.send(step)
    expect(publisher, *([] if counted else [b"\0A"]), b"\1end")
    reader.close()
    assert {publisher.recv() for _ in range(1 + counted)} == ({b"\0A", b"\0end"} if counted else {b"\0end"})


@pytest.mark.parametrize("policy", ["every", "count", "cover", "cap 8", "cap 2", "one-hop", "everything"])
def test_a_tree_with_churn_brings_what_is_wanted_and_nothing_else(
    forward: Forward, opened: Open, policy: str
) -> None:
    publisher = opened(zmq.XPUB)
    # libzmq's publisher keeps a set: repeated subscriptions must not reach it
    top = forward(bind(publisher), policy="count" if policy == "every" else policy)
    middle = [forward(top, policy=policy) for _ in range(2)]
    leaves = [forward(endpoint, policy=policy) for endpoint in middle for _ in range(2)]
    chance = random.Random(7)
    topics = [b"a", b"ab", b"abc", b"b", b"bc", b""]
    readers = {subscriber(opened, endpoint): set[bytes]() for endpoint in leaves * 5}
    for _ in range(200):
        reader = chance.choice(list(readers))
        topic = chance.choice(topics[:5])
        if topic in readers[reader]:
            reader.unsubscribe(topic)
            readers[reader].remove(topic)
        else:
            reader.subscribe(topic)
            readers[reader].add(topic)
    for reader in readers:
        reader.subscribe(b"!")
    messages = [topic + b"%d" % number for number, topic in enumerate(topics * 3)]
    settle(publisher, readers)
    for message in [*messages, b"!end"]:
        publisher.send(message)
    for reader, subscriptions in readers.items():
        expected = [sent for sent in messages if any(sent.startswith(topic) for topic in subscriptions)]
        got = []
        while (message := reader.recv()) != b"!end":
            if message != b"!ready":
                got.append(message)
        assert got == expected


def settle(publisher: zmq.Socket[bytes], readers: dict[zmq.Socket[bytes], set[bytes]]) -> None:
    """Waits until every reader's subscription is at the publisher: a marker, sent repeatedly, has reached all."""
    waiting = set(readers)

    def mark() -> None:
        publisher.send(b"!ready")
        time.sleep(0.05)
        waiting.difference_update([reader for reader in waiting if reader.poll(0)])

    until(lambda: not waiting, mark, why="some subscribers receive nothing")
    while publisher.poll(200):
        publisher.recv()


def test_a_producer_is_told_who_is_interested(opened: Open) -> None:
    changes: queue.Queue[tuple[bytes, bool]] = queue.Queue()
    forwarder = Forwarder([], ["tcp://127.0.0.1:*"], interest=lambda topic, more: changes.put((topic, more)))
    with running(forwarder):
        subscribers = [opened(zmq.SUB) for _ in range(2)]
        for subscriber in subscribers:
            subscriber.connect(forwarder.endpoints[0])
            subscriber.subscribe(b"prices.")
        assert changes.get(timeout=LONG) == (b"prices.", True)
        until(lambda: forwarder.stats()["steps_in"] == len(subscribers))
        for subscriber in subscribers:
            subscriber.close()
        assert changes.get(timeout=LONG) == (b"prices.", False)
        assert changes.empty()


def test_the_log_has_the_limit_of_connections_and_each_closed_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = events_at_the_limit(lambda log: Forwarder([], ["tcp://127.0.0.1:*"], log=log), monkeypatch)
    assert events == ["connections-full", "connection-closed", "connection-closed"]
