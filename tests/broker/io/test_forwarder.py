"""The forwarder between libzmq's sockets and raw peers: what travels up, what travels down, who is lost and slow."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
import zmq
from transport_helpers import LONG, Context

from zeps_broker.forwarder.policies import parse_policy
from zeps_broker.io.forwarder import Forwarder, ForwarderOptions
from zeps_broker.io.zmtp.frames import join, join_command
from zeps_wire import zmtp

Start = Callable[..., str]
Open = Callable[[int], "zmq.Socket[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a forwarder in a thread; returns where subscribers connect, or where publishers do, if it binds there."""
    running: list[tuple[Forwarder, threading.Thread]] = []

    def make(
        *upstreams: str,
        policy: str = "count",
        binds: Sequence[str] = (),
        connects: Sequence[str] = (),
        **options: object,
    ) -> str:
        forwarder = Forwarder(
            upstreams,
            ["tcp://127.0.0.1:*"],
            parse_policy(policy),
            ForwarderOptions(**options),  # type: ignore[arg-type]
            upstream_binds=binds,
            downstream_connects=connects,
        )
        thread = threading.Thread(target=forwarder.run)
        thread.start()
        running.append((forwarder, thread))
        return (forwarder.upstream_endpoints if binds else forwarder.endpoints)[0]

    yield make
    for forwarder, thread in running:
        forwarder.stop()
        thread.join(LONG)
        assert not thread.is_alive()


@pytest.fixture
def opened(context: Context) -> Iterator[Open]:
    sockets: list[zmq.Socket[bytes]] = []

    def make(kind: int) -> zmq.Socket[bytes]:
        made = context.socket(kind)
        made.linger = 0
        made.rcvtimeo = int(LONG * 1000)
        sockets.append(made)
        return made

    yield make
    for each in sockets:
        each.close()


def bind(publisher: zmq.Socket[bytes]) -> str:
    publisher.setsockopt(zmq.XPUB_VERBOSER, 1)
    return f"tcp://127.0.0.1:{publisher.bind_to_random_port('tcp://127.0.0.1')}"


def bind_again(made: zmq.Socket[bytes], endpoint: str) -> None:
    """Bind where a socket was that libzmq closes in the background."""
    limit = time.monotonic() + LONG
    while True:
        try:
            made.bind(endpoint)
            return
        except zmq.ZMQError:
            assert time.monotonic() < limit
            time.sleep(0.05)


def subscriber(opened: Open, endpoint: str, *topics: bytes) -> zmq.Socket[bytes]:
    made = opened(zmq.SUB)
    made.connect(endpoint)
    for topic in topics:
        made.subscribe(topic)
    return made


def expect(publisher: zmq.Socket[bytes], *steps: bytes) -> None:
    assert [publisher.recv() for _ in steps] == list(steps)


def expect_of(reader: zmq.Socket[bytes], publisher: zmq.Socket[bytes], *steps: bytes) -> None:
    """As :func:`expect`, of a reader that listens: libzmq takes its new connections in the calls of the socket."""
    for step in steps:
        limit = time.monotonic() + LONG
        while not publisher.poll(5):
            assert time.monotonic() < limit
            reader.poll(5)
        expect(publisher, step)


def test_messages_go_down_and_wishes_up(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher))
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


def test_cover_asks_before_it_cancels(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher), policy="cover")
    wide = subscriber(opened, below, b"A")
    expect(publisher, b"\1A")
    narrow = subscriber(opened, below, b"AB", b"ABC")
    time.sleep(0.1)
    wide.close()
    expect(publisher, b"\1AB", b"\0A")
    publisher.send(b"ABC!")
    assert narrow.recv() == b"ABC!"


def test_a_publisher_that_comes_back_is_asked_again(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    endpoint = bind(publisher)
    below = start(endpoint)
    reader = subscriber(opened, below, b"A", b"B")
    assert {publisher.recv(), publisher.recv()} == {b"\1A", b"\1B"}
    publisher.close()
    publisher = opened(zmq.XPUB)
    bind_again(publisher, endpoint)
    assert {publisher.recv(), publisher.recv()} == {b"\1A", b"\1B"}
    publisher.send(b"A again")
    assert reader.recv() == b"A again"


@pytest.mark.parametrize("minor", [0, 1])
def test_each_publisher_is_asked_in_its_own_dialect(start: Start, opened: Open, minor: int) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    below = start(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    subscriber(opened, below, b"topic")
    link, _ = server.accept()
    link.settimeout(LONG)
    greeting = zmtp.Greeting(major=3, minor=minor, mechanism=b"NULL".ljust(20, b"\0"), as_server=0)
    link.sendall(
        greeting.encode() + join_command(zmtp.Ready(properties=((b"Socket-Type", b"PUB"),)).encode())
    )
    ready = join_command(zmtp.Ready(properties=((b"Socket-Type", b"XSUB"),)).encode())
    asked = (
        join_command(zmtp.Subscribe(topic=b"topic").encode())
        if minor
        else bytes(join([zmtp.Subscription(topic=b"topic").encode()]))
    )
    got = b""
    while len(got) < 64 + len(ready) + len(asked):
        got += link.recv(1000)
    assert got[64:] == ready + asked
    link.close()
    server.close()


def test_several_publishers_are_all_asked_and_all_heard(start: Start, opened: Open) -> None:
    publishers = [opened(zmq.XPUB) for _ in range(3)]
    below = start(*map(bind, publishers))
    reader = subscriber(opened, below, b"")
    for number, publisher in enumerate(publishers):
        expect(publisher, b"\1")
        publisher.send(b"%d" % number)
    assert sorted(reader.recv() for _ in publishers) == [b"0", b"1", b"2"]


def test_publishers_that_connect_and_subscribers_that_listen(start: Start, opened: Open) -> None:
    """Everything the other way round; who comes later is asked too, and who goes is missed by nobody."""
    reader = opened(zmq.SUB)
    listening = f"tcp://127.0.0.1:{reader.bind_to_random_port('tcp://127.0.0.1')}"
    reader.subscribe(b"A")
    above = start(binds=["tcp://127.0.0.1:*"], connects=[listening])
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


def test_a_subscriber_that_listens_and_comes_back_is_dialled_again(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    reader = opened(zmq.SUB)
    listening = f"tcp://127.0.0.1:{reader.bind_to_random_port('tcp://127.0.0.1')}"
    reader.subscribe(b"A")
    start(bind(publisher), connects=[listening])
    expect_of(reader, publisher, b"\1A")
    reader.close()
    expect(publisher, b"\0A")
    reader = opened(zmq.SUB)
    bind_again(reader, listening)
    reader.subscribe(b"B")
    expect_of(reader, publisher, b"\1B")
    publisher.send(b"B1")
    assert reader.recv() == b"B1"


def test_a_subscriber_that_does_not_read_harms_nobody(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    publisher.sndhwm = 0
    below = start(bind(publisher), queue=100_000)
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
    for start in range(0, 20_000, 50):  # what is on its way always fits into the quick one's queue
        numbers = list(range(start, start + 50))
        for number in numbers:
            publisher.send(b"q%06d" % number + bytes(1000))
        assert [int(quick.recv()[1:7]) for _ in numbers] == numbers


@pytest.mark.parametrize("counted", [False, True])
def test_what_the_unbalanced_cancels_of_libzmq_come_to(start: Start, opened: Open, counted: bool) -> None:
    """Its XSUB sends two subscriptions and one cancel for a pair: as a set that is none left, counted it is one."""
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher), counted=counted)
    reader = opened(zmq.XSUB)
    reader.connect(below)
    reader.send(b"\1A")
    expect(publisher, b"\1A")
    for step in (b"\1A", b"\0A", b"\0A", b"\1end"):
        reader.send(step)
    expect(publisher, *([] if counted else [b"\0A"]), b"\1end")
    reader.close()
    assert {publisher.recv() for _ in range(1 + counted)} == ({b"\0A", b"\0end"} if counted else {b"\0end"})


@pytest.mark.parametrize("policy", ["every", "count", "cover", "cap 8"])
def test_a_tree_with_churn_brings_what_is_wanted_and_nothing_else(
    start: Start, opened: Open, policy: str
) -> None:
    publisher = opened(zmq.XPUB)
    # libzmq's publisher keeps a set: what says the same thing twice must not be above it
    top = start(bind(publisher), policy="count" if policy == "every" else policy)
    middle = [start(top, policy=policy) for _ in range(2)]
    leaves = [start(each, policy=policy) for each in middle for _ in range(2)]
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
    settled = settle(publisher, readers)
    for message in [*messages, b"!end"]:
        publisher.send(message)
    for reader, wanted in readers.items():
        expected = [one for one in messages if any(one.startswith(topic) for topic in wanted)]
        got = []
        while (one := reader.recv()) != b"!end":
            if one != b"!ready":
                got.append(one)
        assert got == expected
    assert settled


def settle(publisher: zmq.Socket[bytes], readers: dict[zmq.Socket[bytes], set[bytes]]) -> bool:
    """Every wish of every reader is at the publisher: a marker, sent again and again, has reached all."""
    waiting = set(readers)
    limit = time.monotonic() + 3 * LONG
    while waiting:
        assert time.monotonic() < limit, f"{len(waiting)} subscribers hear nothing"
        publisher.send(b"!ready")
        time.sleep(0.05)
        for reader in list(waiting):
            if reader.poll(0):
                waiting.remove(reader)
    while publisher.poll(200):
        publisher.recv()
    return True
