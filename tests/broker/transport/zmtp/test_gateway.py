"""Plain SUB and PUB sockets of libzmq in a stream: topics, keys, bodies, and the delivered messages."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import zmq
from raw_peer import GREETING_3_0, ready
from transport_helpers import LONG, Context, address_of, socket_of
from waiting import until

from zeps_broker import EmbeddedBroker
from zeps_broker.service.config import parse
from zeps_broker.transport.errors import TransportError
from zeps_client import ALL, Client

Socket = zmq.Socket[bytes]


class House:
    """A broker with a gateway of the stream "s", a client of it, and plain sockets."""

    def __init__(self, context: Context, options: str, more: str) -> None:
        gateway = '[gateways.s]\nsubscribers = ["tcp://127.0.0.1:*"]\npublishers = ["tcp://127.0.0.1:*"]\n'
        self._context = context
        self.broker = EmbeddedBroker(config=parse(gateway + options + more))
        self.broker.start()
        self.where = {kind: endpoint for kind, endpoint, _ in self.broker.gateway_endpoints}
        self.client = Client(self.broker.endpoint, "s")
        self._marks = 0
        self._sockets: list[Socket] = []

    def close(self) -> None:
        for peer in self._sockets:
            peer.close()
        self.client.close()
        self.broker.stop()

    def _open(self, kind: int) -> Socket:
        self._sockets.append(socket_of(self._context, kind))
        return self._sockets[-1]

    def subscriber(self, *topics: bytes, kind: int = zmq.SUB, **options: int) -> Socket:
        """Returns a subscriber whose topics have reached the broker."""
        made = self._open(kind)
        for name, value in options.items():
            setattr(made, name, value)
        made.connect(self.where["subscribers"])
        self.subscribe(made, *topics)
        return made

    def subscribe(self, subscriber: Socket, *topics: bytes) -> None:
        self._change(subscriber, zmq.SUBSCRIBE, b"\1", *topics)
        self.barrier(subscriber)

    def cancel(self, subscriber: Socket, *topics: bytes) -> None:
        self._change(subscriber, zmq.UNSUBSCRIBE, b"\0", *topics)
        self.barrier(subscriber)

    def _change(self, subscriber: Socket, option: int, head: bytes, *topics: bytes) -> None:
        for topic in topics:
            if subscriber.type == zmq.XSUB:
                subscriber.send(head + topic)
            else:
                subscriber.setsockopt(option, topic)

    def barrier(self, subscriber: Socket) -> None:
        """Waits until its earlier input was handled: a message of a new topic arrives."""
        self._marks += 1
        mark = f"mark {self._marks}."
        self._change(subscriber, zmq.SUBSCRIBE, b"\1", mark.encode())
        until(lambda: subscriber.poll(20), lambda: self.publish(mark))
        self.publish(mark, body=b"last")
        while subscriber.recv_multipart()[1:] != [b"last"]:
            pass

    def publisher(self) -> Socket:
        made = self._open(zmq.XPUB)
        made.connect(self.where["publishers"])
        assert made.recv() == b"\1"
        return made

    def publish(self, *keys: str, body: bytes = b"") -> None:
        """Publishes a message under each key, and waits until they are stored."""
        for key in keys:
            self.client.publish(key, body)
        self.client.flush()

    def stored(self, count: int) -> list[tuple[str, bytes]]:
        """Returns the next messages of the stream, without marks."""
        messages: list[tuple[str, bytes]] = []
        while len(messages) < count:
            message = self.client.receive(LONG)
            if not message.key.startswith("mark "):
                messages.append((message.key, message.body))
        return messages


Build = Callable[..., House]


@pytest.fixture
def build(context: Context, stack: ExitStack) -> Build:
    return lambda options="", more="": stack.enter_context(closing(House(context, options, more)))


def test_what_is_published_to_the_stream_reaches_whoever_subscribed(build: Build) -> None:
    house = build()
    a, everything = house.subscriber(b"A"), house.subscriber(b"", kind=zmq.XSUB)
    for key in ("A1", "B1", "", "A2"):
        house.publish(key, body=b"of " + key.encode())
    house.publish("A3", body=bytes(300))
    assert [a.recv_multipart() for _ in range(3)] == [
        [b"A1", b"of A1"],
        [b"A2", b"of A2"],
        [b"A3", bytes(300)],
    ]
    got = []
    while len(got) < 5:
        key, _ = everything.recv_multipart()
        if not key.startswith(b"mark "):
            got.append(key)
    assert got == [b"A1", b"B1", b"", b"A2", b"A3"]


def test_what_is_published_plainly_is_in_the_stream(build: Build) -> None:
    house = build()
    house.client.subscribe("", ALL)
    reader = house.subscriber(b"k")
    publishers = [house.publisher() for _ in range(2)]
    publishers[0].send_multipart([b"key", b"body"])
    assert house.stored(1) == [("key", b"body")]
    publishers[1].send_multipart(["käse".encode(), bytes(70_000)])
    publishers[1].send(b"key alone")
    assert house.stored(2) == [("käse", bytes(70_000)), ("key alone", b"")]
    assert reader.recv_multipart() == [b"key", b"body"]
    assert reader.recv_multipart() == ["käse".encode(), bytes(70_000)]
    assert reader.recv_multipart() == [b"key alone", b""]


def test_what_the_stream_cannot_hold_is_counted_and_the_rest_goes_on(build: Build) -> None:
    house = build()
    house.client.subscribe("", ALL)
    publisher = house.publisher()
    for parts in ([b"\xff", b"no text"], [b"a\nb", b"control"], [b"x" * 256, b"long"], [b"k", b"two", b"three"],
                  [b"k", bytes((16 << 20) + 1)]):  # fmt: skip
        publisher.send_multipart(parts)
    publisher.send_multipart([b"x" * 255, b"good"])
    assert house.stored(1) == [("x" * 255, b"good")]
    assert house.broker.figures()["gateway_refused"] == 5


def test_messages_of_any_number_of_frames(build: Build) -> None:
    house = build('frames = "any"')
    house.client.subscribe("", ALL)
    reader, publisher = house.subscriber(b"k"), house.publisher()
    messages = [
        [b"k"],
        [b"k", b""],
        [b"k", b"body"],
        [b"k", b"", bytes(300), b"end"],
        [b"k" * 255, *[b"."] * 50],
    ]
    for parts in messages:
        publisher.send_multipart(parts)
    assert [reader.recv_multipart() for _ in messages] == messages
    assert house.stored(3)[2] == ("k", b"\0\4body")
    for body in (b"\0\5four", b"\1\4body", b"\0\4body.", b"\4\4body", b"\2\0\0", b"\0"):
        house.publish("k", body=body)
        assert reader.recv_multipart() == [b"k", body]


def test_topics_are_cancelled_as_often_as_they_were_asked_for(build: Build) -> None:
    house = build()
    reader = house.subscriber(b"A", b"AB", b"C", kind=zmq.XSUB)  # which does not filter
    house.cancel(reader, b"A")
    house.publish("A1", "AB1", "C1")
    assert [reader.recv_multipart()[0] for _ in range(2)] == [b"AB1", b"C1"]
    house.subscribe(reader, b"A")
    house.cancel(reader, b"C", b"AB")
    house.publish("C2", "AB2")
    assert reader.recv_multipart()[0] == b"AB2"


def test_topics_that_are_no_text(build: Build) -> None:
    """A topic that ends inside a character matches keys that continue it; others match nothing."""
    house = build()
    reader = house.subscriber("kä".encode()[:-1], b"\xff", b"a\n", b"x" * 256, kind=zmq.XSUB)
    house.publish("ka", "kä1", "kü1", "a", "x" * 255, "kö")
    assert [reader.recv_multipart()[0].decode() for _ in range(3)] == ["kä1", "kü1", "kö"]


def test_more_topics_than_a_session_may_have(build: Build) -> None:
    house = build(more="[limits]\npatterns_max = 10")
    reader = house.subscriber(*(b"topic %03d" % number for number in range(300)), kind=zmq.XSUB)
    house.publish(*(f"topic {number:03}!" for number in (0, 9, 10, 299, 300)))
    assert [reader.recv_multipart()[0] for _ in range(4)] == [
        b"topic %03d!" % number for number in (0, 9, 10, 299)
    ]
    house.publish("topic 001")
    assert reader.recv_multipart()[0] == b"topic 001"


def test_a_filter_of_an_unknown_kind_brings_everything(build: Build) -> None:
    """It applies until it is cancelled. An application's own message on the same connection is discarded."""
    house = build()
    reader = house.subscriber(b"A", kind=zmq.XSUB)
    for more in (2, 3):
        reader.send(bytes((more, 7)) + b"a filter")
        reader.send(b"a message")
        house.barrier(reader)
        house.publish("B1", "A1")
        expected = [b"B1", b"A1"] if more == 2 else [b"A1"]
        assert [reader.recv_multipart()[0] for _ in expected] == expected


def test_topics_are_prefixes_whatever_the_streams_patterns_are(build: Build) -> None:
    house = build(more='[streams.s]\nmatch = "regex"')
    reader = house.subscriber(b"a.c", b"(", kind=zmq.XSUB)
    house.publish("abc", "a.c1", "xa.c", "(1")
    assert [reader.recv_multipart()[0] for _ in range(2)] == [b"a.c1", b"(1"]


def test_a_subscriber_that_does_not_read_misses_nothing(build: Build) -> None:
    """Messages beyond its queue come from the journal when it reads."""
    house = build(more="[transport]\nsend_bytes_max = 100000")
    slow = house.subscriber(b"k", rcvhwm=10, rcvbuf=10_000)
    quick = house.subscriber(b"k", rcvhwm=0)
    count = 20_000
    house.client.publish_many((f"k{number}", bytes(1000)) for number in range(count))
    for reader in (quick, slow):
        assert [int(reader.recv_multipart()[0][1:]) for _ in range(count)] == list(range(count))


def test_a_subscriber_that_retention_overtakes_goes_on(build: Build) -> None:
    """The gap cannot be reported to it, but it keeps its connection, and the broker counts the gap."""
    house = build(
        more="[transport]\nsend_bytes_max = 100000\n"
        "[journal]\nsegment_bytes = 65536\nretain_bytes = 1000000\n[limits]\ncache_bytes_max = 1"
    )
    slow = house.subscriber(b"k", rcvhwm=10, rcvbuf=10_000)
    count = 20_000
    house.client.publish_many((f"k{number}", bytes(1000)) for number in range(count))
    house.client.flush()
    got = [-1]
    while got[-1] < count - 1:
        got.append(int(slow.recv_multipart()[0][1:]))
    assert got == sorted(set(got))
    assert len(got) < count
    house.publish("k0")
    assert slow.recv_multipart() == [b"k0", b""]
    assert house.broker.figures()["gaps"] >= 1


def test_idle_sockets_are_not_forgotten(build: Build) -> None:
    house = build(more="[broker]\nclient_timeout_seconds = 0.3\nheartbeat_seconds = 0.1")
    reader, publisher = house.subscriber(b"k"), house.publisher()
    time.sleep(1.0)
    publisher.send_multipart([b"k", b"still here"])
    assert reader.recv_multipart() == [b"k", b"still here"]


def test_gateways_are_our_engines(tmp_path: Path) -> None:
    config = parse('[transport]\nengine = "libzmq"\n[gateways.s]\nsubscribers = ["tcp://127.0.0.1:*"]')
    with pytest.raises(TransportError, match="gateways need"):
        EmbeddedBroker(tmp_path, config=config).start()


def test_publishers_share_a_budget_for_incomplete_messages(build: Build) -> None:
    """A message of many parts whose last one is missing is closed like an incomplete frame."""
    house = build(more="[limits]\nmemory_bytes_max = 134217728\n")
    part = b"\3" + (1 << 20).to_bytes(8, "big") + bytes(1 << 20)
    with ExitStack() as links:
        for _ in range(20):
            link = links.enter_context(socket.create_connection(address_of(house.where["publishers"])))
            link.settimeout(LONG)
            with suppress(ConnectionError):
                link.sendall(GREETING_3_0 + ready(b"PUB") + part * 7)
        until(lambda: house.broker.figures()["frames_dropped"], lambda: None)
        house.publish("k")
    assert house.stored(0) == []
