"""`zeps bridge` between libzmq's sockets and a real RabbitMQ, which is killed and comes back."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pika
import pytest
import zmq
from bridging import PROBE, BridgeProcess, Exchange
from rabbit import PATIENCE, Rabbit
from zeps_process import eventually

from zeps_broker.devices.bridge.amqp_broker import AmqpBroker, AmqpOptions
from zeps_broker.devices.bridge.core import BridgeSettings
from zeps_broker.devices.bridge.server import BridgeOptions, BridgeServer
from zeps_broker.service.logs import EventLog
from zeps_cli.main import main

pytestmark = pytest.mark.xdist_group("rabbitmq")

Start = Callable[..., BridgeProcess]
Open = Callable[..., "zmq.Socket[bytes]"]
END = b"the end"
wait_for = partial(eventually, "it")
BOTH_WAYS = [
    [b"stock.AAPL", b"191"],
    [b"stock.AAPL 191"],
    [b"stock.\xff\xfe", b"octets"],
    [b"stock.three", b"", b"parts"],
    [b"stock." + b"long." * 100, b"body"],
    [b"stock.big", bytes(300_000)],
]


def received(subscriber: zmq.Socket[bytes], end: bytes = END) -> list[list[bytes]]:
    """Returns the messages before one whose last frame is `end`, without probes."""
    messages = []
    while (frames := subscriber.recv_multipart())[-1] != end:
        if frames[-1] != PROBE:
            messages.append(frames)
    return messages


def subscribe(opened: Open, bridge: BridgeProcess, *topics: bytes) -> zmq.Socket[bytes]:
    made = opened(zmq.SUB, bridge.endpoints[0])
    for topic in topics:
        made.subscribe(topic)
    return made


def publisher(opened: Open, bridge: BridgeProcess) -> zmq.Socket[bytes]:
    """Returns an XPUB that the bridge has subscribed to everything."""
    made = opened(zmq.XPUB, bridge.endpoints[1])
    assert made.recv() == b"\1"
    return made


def test_what_the_exchange_routes_reaches_who_subscribed(
    exchange: Exchange, bridge: Start, opened: Open
) -> None:
    running = bridge()
    apple = subscribe(opened, running, b"stock.AA", b"stock.AAPL", b"end.")
    everything = subscribe(opened, running, b"")
    for key in ("stock.AA", "end.", "something else"):
        exchange.settled(key)
    keys = ["stock.AAPL", "stock.AA.x", "stock.IBM", "stock", "stoc", "bond.AA", "", "stock.A", "STOCK.AA"]
    for key in keys:
        exchange.publish(key, key.encode() + b"!")
    exchange.publish("end.", END)
    assert received(apple) == [[b"stock.AAPL", b"stock.AAPL!"], [b"stock.AA.x", b"stock.AA.x!"]]
    assert received(everything) == [[key.encode(), key.encode() + b"!"] for key in keys]


def test_who_no_longer_wants_a_topic_is_unbound(exchange: Exchange, bridge: Start, opened: Open) -> None:
    running = bridge()
    first = subscribe(opened, running, b"a.1", b"b.1")
    second = subscribe(opened, running, b"a.2")
    exchange.settled("a.2")
    exchange.settled("b.1")
    first.unsubscribe(b"a.1")
    first.unsubscribe(b"b.1")
    exchange.settled("b.1", bound=False)
    assert exchange.routes("a.1"), "a.# is still wanted, for the second"
    second.close()
    exchange.settled("a.1", bound=False)


def test_what_publishers_send_reaches_the_exchange_and_other_bridges_as_it_was(
    exchange: Exchange, bridge: Start, opened: Open
) -> None:
    queue = exchange.channel.queue_declare("", exclusive=True).method.queue
    exchange.channel.queue_bind(queue, exchange.name, "stock.#")
    near, far, echoing = bridge(), bridge("--exchange-type", "topic"), bridge("--echo")
    near_reader = subscribe(opened, near, b"s", b"end.")
    far_reader = subscribe(opened, far, b"stock.", b"end.")
    echo_reader = subscribe(opened, echoing, b"stock", b"end.")
    exchange.settled("end.")
    wait_for_all(exchange, [near_reader, far_reader, echo_reader])
    for origin in (near, echoing):
        sender = publisher(opened, origin)
        for frames in BOTH_WAYS:
            sender.send_multipart([*frames[:-1], frames[-1]])
        reader = near_reader if origin is near else echo_reader
        others = {near_reader, far_reader, echo_reader} - {reader}
        sender.send_multipart([b"end.", END])
        for other in others:
            assert received(other) == BOTH_WAYS
        if origin is near:
            exchange.publish("end.", END)
            assert received(near_reader) == [], "a message of this side must not return to it"
            for other in others:
                assert received(other) == []
        else:
            assert received(echo_reader) == BOTH_WAYS, "it was asked for an echo"
    method, properties, body = exchange.channel.basic_get(queue, auto_ack=True)
    while body == PROBE:
        method, properties, body = exchange.channel.basic_get(queue, auto_ack=True)
    assert method is not None
    assert (method.routing_key, body) == ("stock.AAPL", b"191")
    assert properties.message_id
    assert properties.delivery_mode == 2


def wait_for_all(exchange: Exchange, subscribers: Sequence[zmq.Socket[bytes]]) -> None:
    """Waits until messages to the topic `end` reach every subscriber."""
    for number in range(1000):
        exchange.publish("end.", b"ready %d" % number)
        if all(subscriber.poll(100) for subscriber in subscribers):
            break
    for subscriber in subscribers:
        while subscriber.recv_multipart()[1] != b"ready %d" % number:
            pass


@pytest.mark.parametrize("exchange", ["topic", "headers", "fanout"], indirect=True)
def test_every_prefix_gets_what_begins_with_it_and_nothing_else(
    exchange: Exchange, bridge: Start, opened: Open, request: pytest.FixtureRequest
) -> None:
    kind = request.node.callspec.params["exchange"]
    here, there = (bridge("--exchange-type", kind) for _ in range(2))
    words = [b"a", b"", b"*", b"#", b"ab", "é".encode(), b"\xff", b"x" * 130]
    topics = [first + b"." + second for first in words for second in words] + [b"", b".", b"a", b"." * 300]
    prefixes = sorted({topic[:length] for topic in topics for length in (0, 1, 2, 3, 131, 133, 254, 260)})
    readers = {prefix: subscribe(opened, here, prefix, b"end.") for prefix in prefixes}
    wait_for_all(exchange, list(readers.values()))
    sender = publisher(opened, there)
    for topic in topics:
        sender.send_multipart([topic, b"from ZeroMQ"])
    sender.send_multipart([b"end.", END])
    for prefix, reader in readers.items():
        assert [frames[0] for frames in received(reader)] == [
            topic for topic in topics if topic.startswith(prefix)
        ], prefix


def test_nothing_is_lost_or_repeated_when_rabbitmq_is_killed(
    rabbit: Rabbit, exchange: Exchange, bridge: Start, opened: Open
) -> None:
    near, far, small = bridge(), bridge(), bridge("--queue", "100000")
    changing = subscribe(opened, far, b"before.x", b"always.x")
    reader = subscribe(opened, far, b"n.", b"end.")
    other = subscribe(opened, far, b"m.", b"end.")
    for key in ("before.x", "always.x"):
        exchange.settled(key)
    wait_for_all(exchange, [reader, other])
    sender, greedy = publisher(opened, near), publisher(opened, small)
    sent: list[bytes] = []
    with sending(sender, sent):
        wait_for(lambda: len(sent) > 300)
        exchange.close()
        rabbit.kill()
        for number in range(1000):
            greedy.send_multipart([b"m.%06d" % number, bytes(1000)])
        changing.unsubscribe(b"before.x")
        changing.subscribe(b"after.x")
        wait_for(lambda: "queue-full" in small.text())
        rabbit.spawn()
        with contextlib.closing(Exchange(rabbit, exchange.name, "topic")) as again:
            again.settled("after.x")
            again.settled("always.x")
            again.settled("before.x", bound=False)
        so_far = len(sent)
        wait_for(lambda: len(sent) > so_far + 100)
    sender.send_multipart([b"end.", END])
    assert sorted(frames[0] for frames in received(reader)) == sent, "each once"
    # Messages of two bridges are not ordered: the end may overtake messages that still wait in the other bridge.
    brought = [other.recv_multipart()[0] for _ in range(86)]
    brought.remove(b"end.")
    assert brought == [b"m.%06d" % number for number in range(85)]
    greedy.send_multipart([b"end.", END])
    assert received(other) == []
    assert "event=lost" in near.text()
    assert near.stop() == 0
    assert "waiting=0 " in near.text()


@contextlib.contextmanager
def sending(sender: zmq.Socket[bytes], sent: list[bytes]) -> Iterator[None]:
    """Publishes a message each millisecond, from a thread, until the end of the block."""
    stop = threading.Event()

    def send() -> None:
        while not stop.wait(0.001):
            number = b"n.%06d" % len(sent)
            sender.send_multipart([number, bytes(50)])
            sent.append(number)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE)


def test_a_bridge_that_stops_leaves_nothing_behind(
    rabbit: Rabbit, exchange: Exchange, bridge: Start, opened: Open
) -> None:
    running = bridge("--export", "out.", "--export", "also.", "--log-format", "json")
    sender = opened(zmq.XPUB, running.endpoints[1])
    assert {sender.recv(), sender.recv()} == {b"\1out.", b"\1also."}
    subscribe(opened, running, b"")
    exchange.settled("anything")
    name = running.text().split('"name": "')[1].split('"')[0]
    exchange.channel.queue_declare(f"zeps.bridge.{name}", passive=True)
    assert running.stop() == 0
    with pytest.raises(pika.exceptions.ChannelClosedByBroker):
        exchange.channel.queue_declare(f"zeps.bridge.{name}", passive=True)


@pytest.mark.parametrize(
    ("url", "options", "said"),
    [
        ("guest:wrong", (), "the user 'guest' is refused; give the right name and password"),
        ("guest:guest/nowhere", (), "the virtual host 'nowhere' does not exist or is closed to this user"),
        ("stranger:stranger", (), "the virtual host '/' does not exist or is closed to this user"),
        (
            "guest:guest",
            ("--exchange", "none"),
            "the exchange 'none' does not exist in '/'; create it, or give --declare",
        ),
        ("guest:guest", ("--exchange", "amq.direct"), "is of another type"),
        ("narrow:narrow", ("--exchange", "new", "--declare"), "the user lacks a permission"),
        ("port 1", (), "amqp://127.0.0.1:1: connection refused; start the broker there"),
        ("no host", (), "the host nowhere.invalid is unknown"),
    ],
)
def test_what_is_wrong_is_said(
    rabbit: Rabbit, capsys: pytest.CaptureFixture[str], url: str, options: Sequence[str], said: str
) -> None:
    user, _, vhost = url.partition("/")
    urls = {"port 1": "amqp://guest:secret@127.0.0.1:1", "no host": "amqp://nowhere.invalid"}
    amqp = urls.get(url) or rabbit.url_of(*user.split(":"), vhost)
    sides = ("--exchange", "amq.topic", "--downstream", "tcp://127.0.0.1:*")
    assert main(["bridge", "--amqp", amqp, *sides, *options]) == 1
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1
    assert "secret" not in complaint


def test_a_user_who_may_not_declare_can_use_what_there_is(
    rabbit: Rabbit, exchange: Exchange, bridge: Start
) -> None:
    assert bridge("--amqp", rabbit.url_of("narrow", "narrow")).stop() == 0


def test_an_exchange_is_created_if_that_is_asked_for(exchange: Exchange, bridge: Start) -> None:
    assert bridge("--exchange", "made by the bridge", "--declare").stop() == 0
    exchange.channel.exchange_declare("made by the bridge", passive=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--amqp", "amqp://x", "--exchange", "e"), "no ZeroMQ endpoint"),
        (("--amqp", "http://x", "--exchange", "e", "--downstream", "tcp://*:*"), "--amqp takes amqp://"),
        (("--exchange", "e", "--downstream", "tcp://*:*"), "give --amqp URL, or set ZEPS_AMQP_URL"),
        (("--amqp", "amqp://x", "--exchange", "", "--downstream", "tcp://*:*"), "1 to 255 bytes"),
    ],
)
def test_a_command_line_that_means_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], said: str
) -> None:
    monkeypatch.delenv("ZEPS_AMQP_URL", raising=False)
    assert main(["bridge", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_either_side_may_listen(exchange: Exchange, bridge: Start, opened: Open) -> None:
    source, sink = opened(zmq.XPUB), opened(zmq.XSUB)
    running = bridge(
        *("--upstream", f"tcp://127.0.0.1:{source.bind_to_random_port('tcp://127.0.0.1')}"),
        *("--downstream-connect", f"tcp://127.0.0.1:{sink.bind_to_random_port('tcp://127.0.0.1')}"),
        "--echo",
    )
    assert source.recv() == b"\1"
    sink.send(b"\1topic")
    wait_for(lambda: bool(sink.poll(1)) or exchange.routes("topic"))  # libzmq subscribes during socket calls
    source.send_multipart([b"topic", b"body"])
    while (got := sink.recv_multipart()) == [b"topic", PROBE]:
        pass
    assert got == [b"topic", b"body"]
    assert running.stop() == 0


def test_a_patient_bridge_keeps_trying_until_it_is_stopped() -> None:
    lines: list[str] = []
    amqp = AmqpOptions(pika.URLParameters("amqp://127.0.0.1:1"), "amq.topic", "topic", "patient")
    server = BridgeServer(
        lambda wake: AmqpBroker(amqp, wake),
        BridgeSettings("patient"),
        downstreams=["tcp://127.0.0.1:*"],
        options=BridgeOptions(patient=True),
        log=EventLog("error", write=lines.append),
    )
    results: list[str | None] = []
    thread = threading.Thread(target=lambda: results.append(server.run()))
    thread.start()
    wait_for(lambda: sum("connection refused" in line for line in lines) > 2)
    server.stop()
    thread.join(PATIENCE)
    assert results == [None]
