"""The forwarder between libzmq's sockets and raw peers: what travels up, what travels down, who is lost and slow."""

from __future__ import annotations

import queue
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest
import zmq
from transport_helpers import LONG, Context

from zeps_broker.forwarder.policies import Count, Policy, Step, parse_policy
from zeps_broker.io.forwarder import Forwarder, ForwarderOptions
from zeps_broker.io.zmtp.frames import join, join_command, join_parts
from zeps_broker.io.zmtp.pubsub import SubscribingConnection
from zeps_wire import zmtp

Start = Callable[..., str]
Open = Callable[[int], "zmq.Socket[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a forwarder in a thread; returns where subscribers connect, or where publishers do, if it binds there."""
    running: list[tuple[Forwarder, threading.Thread]] = []

    def make(
        *upstreams: str,
        policy: str | Policy = "count",
        binds: Sequence[str] = (),
        connects: Sequence[str] = (),
        **options: object,
    ) -> str:
        forwarder = Forwarder(
            upstreams,
            ["tcp://127.0.0.1:*"],
            parse_policy(policy) if isinstance(policy, str) else policy,
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


def connect_raw(endpoint: str, minor: int, kind: bytes = b"SUB") -> socket.socket:
    """A peer on a plain socket that has shaken hands."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    link = socket.create_connection((host, int(port)), LONG)
    shake_hands(link, minor, kind)
    return link


def shake_hands(link: socket.socket, minor: int, kind: bytes, filters: bytes | None = None) -> None:
    """Our half and the forwarder's; with `filters` as our X-Filters."""
    said = ((b"Socket-Type", kind),) + (() if filters is None else ((b"x-filters", filters),))
    greeting = zmtp.Greeting(major=3, minor=minor, mechanism=b"NULL".ljust(20, b"\0"), as_server=0)
    link.settimeout(LONG)
    link.sendall(greeting.encode() + join_command(zmtp.Ready(properties=said).encode()))
    ours = (
        ((b"Socket-Type", b"XPUB"), (b"X-Filters", b"\xff"))
        if kind == b"SUB"
        else ((b"Socket-Type", b"XSUB"),)
    )
    ready = join_command(zmtp.Ready(properties=ours).encode())
    assert receive(link, 64 + len(ready))[64:] == ready


def wish(minor: int, topic: bytes, *, more: bool = True) -> bytes:
    """A subscription, or a cancel, as 3.`minor` has it."""
    if minor:
        return join_command((zmtp.Subscribe if more else zmtp.Cancel)(topic=topic).encode())
    return bytes(join([(zmtp.Subscription if more else zmtp.Cancellation)(topic=topic).encode()]))


def filter_wish(minor: int, kind: int, octets: bytes, *, more: bool = True) -> bytes:
    """As :func:`wish`, for a filter of another kind than the beginning of a message."""
    if minor:
        return join_command((zmtp.SubscribeX if more else zmtp.CancelX)(kind=kind, filter=octets).encode())
    form = zmtp.SubscriptionX if more else zmtp.CancellationX
    return bytes(join([form(kind=kind, filter=octets).encode()]))


def publisher_of(server: socket.socket, minor: int, filters: bytes | None = None) -> socket.socket:
    """A publisher to which the forwarder has connected."""
    server.settimeout(LONG)
    link, _ = server.accept()
    shake_hands(link, minor, b"PUB", filters)
    return link


def receive(link: socket.socket, count: int) -> bytes:
    """The next `count` octets."""
    got = bytearray()
    while len(got) < count:
        octets = link.recv(count - len(got))
        assert octets
        got += octets
    return bytes(got)


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


def test_a_greedy_subscriber_gets_everything_and_a_modest_one_what_it_asked_for(
    start: Start, opened: Open
) -> None:
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher), policy="cap 2")
    modest, greedy = connect_raw(below, 1), connect_raw(below, 1)
    modest.sendall(wish(1, b"m"))
    expect(publisher, b"\1m")
    greedy.sendall(b"".join(wish(1, topic) for topic in (b"a", b"b", b"c", b"d")))
    expect(publisher, b"\1a", b"\1b", b"\1")
    for message in (b"x", b"m1"):
        publisher.send(message)
    octets = bytes(join([b"x", b"m1"]))
    assert receive(greedy, len(octets)) == octets
    assert receive(modest, len(join([b"m1"]))) == join([b"m1"])
    greedy.close()
    assert {publisher.recv() for _ in range(3)} == {b"\0a", b"\0b", b"\0"}
    for message in (b"x", b"m2"):
        publisher.send(message)
    assert receive(modest, len(join([b"m2"]))) == join([b"m2"])
    modest.close()
    expect(publisher, b"\0m")


def test_a_publisher_is_asked_for_everything_before_anybody_subscribes(start: Start, opened: Open) -> None:
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher), policy="everything")
    expect(publisher, b"\1")
    link = connect_raw(below, 1)
    link.sendall(wish(1, b"a") + join([b"a message"]))
    expect(publisher, b"a message")
    for message in (b"b1", b"a1"):
        publisher.send(message)
    assert receive(link, len(join([b"a1"]))) == join([b"a1"])
    link.close()


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
    shake_hands(link, minor, b"PUB")
    asked = wish(minor, b"topic")
    assert receive(link, len(asked)) == asked
    link.close()
    server.close()


@pytest.mark.parametrize("minor", [0, 1])
def test_a_long_topic_breaks_no_link_of_a_tree(start: Start, opened: Open, minor: int) -> None:
    """Such a topic fits into a message, but is longer than a command that our own engine takes of a publisher."""
    publisher = opened(zmq.XPUB)
    below = start(start(bind(publisher)))
    topic = b"t" * 132_000
    other = subscriber(opened, below, b"other")
    expect(publisher, b"\1other")
    link = connect_raw(below, minor)
    link.sendall(wish(minor, topic))
    expect(publisher, b"\1" + topic[: 64 << 10])
    for message in (topic[:-1], topic, b"other"):
        publisher.send(message)
    assert other.recv() == b"other"
    octets = bytes(join([topic]))
    assert receive(link, len(octets)) == octets
    link.close()
    expect(publisher, b"\0" + topic[: 64 << 10])


class Held(Count):
    """Keeps the forwarder busy while somebody subscribes to `hold`: what comes meanwhile is met in one turn."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = threading.Event()
        self.go_on = threading.Event()

    def subscribed(self, topic: bytes) -> list[Step]:
        if topic == b"hold":
            self.holds.set()
            assert self.go_on.wait(LONG)
        return super().subscribed(topic)


@pytest.mark.parametrize("minors", [(0, 1, 0), (1, 0, 1)])
def test_a_publisher_that_comes_back_with_another_version_is_asked_in_its_dialect(
    start: Start, opened: Open, minors: Sequence[int]
) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(LONG)
    below = start(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    reader = subscriber(opened, below, b"topic")
    for minor in minors:
        link, _ = server.accept()
        shake_hands(link, minor, b"PUB")
        for asked in (wish(minor, b"topic"), wish(minor, b"more"), wish(minor, b"more", more=False)):
            assert receive(link, len(asked)) == asked
            if asked == wish(minor, b"topic"):
                reader.subscribe(b"more")
                reader.unsubscribe(b"more")
        link.close()
    server.close()


def test_a_publisher_that_breaks_the_protocol_when_it_should_be_asked_is_dialled_again(
    start: Start, opened: Open
) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(LONG)
    policy = Held()
    below = start(f"tcp://127.0.0.1:{server.getsockname()[1]}", policy=policy)
    link, _ = server.accept()
    shake_hands(link, 1, b"PUB")
    leaver = connect_raw(below, 1)
    leaver.sendall(wish(1, b"gone"))
    assert receive(link, len(wish(1, b"gone"))) == wish(1, b"gone")
    subscriber(opened, below, b"hold")
    assert policy.holds.wait(LONG)
    leaver.close()
    link.sendall(b"\xff")
    time.sleep(0.1)
    policy.go_on.set()
    again, _ = server.accept()
    shake_hands(again, 1, b"PUB")
    assert receive(again, len(wish(1, b"hold"))) == wish(1, b"hold")
    for each in (link, again, server):
        each.close()


@pytest.mark.parametrize("more", [[b""], [b"short"], [b"x" * 10], [b"", b""]])
def test_a_message_of_several_frames_is_no_subscription(
    start: Start, opened: Open, more: list[bytes]
) -> None:
    publisher = opened(zmq.XPUB)
    link = connect_raw(start(bind(publisher)), 0)
    link.sendall(join_parts([b"\1none", *more]) + wish(0, b"one"))
    expect(publisher, b"\1one")
    link.close()


@pytest.mark.parametrize("minor", [0, 1])
def test_a_filter_of_an_unknown_kind_brings_everything_until_it_is_cancelled(
    start: Start, opened: Open, minor: int
) -> None:
    publisher = opened(zmq.XPUB)
    below = start(bind(publisher))
    modest = subscriber(opened, below, b"m")
    expect(publisher, b"\1m")
    link = connect_raw(below, minor)
    link.sendall(filter_wish(minor, 7, b"a filter"))
    expect(publisher, b"\1")
    for message in (b"anything", b"m1"):
        publisher.send(message)
    whole = bytes(join([b"anything"]) + join([b"m1"]))
    assert receive(link, len(whole)) == whole
    assert modest.recv() == b"m1"
    link.sendall(filter_wish(minor, 7, b"a filter", more=False) + wish(minor, b"last"))
    assert {publisher.recv(), publisher.recv()} == {b"\0", b"\1last"}
    for message in (b"anything", b"last"):
        publisher.send(message)
    assert receive(link, len(join([b"last"]))) == join([b"last"])
    link.close()


@pytest.mark.parametrize("minors", [(0, 1), (1, 0)])
def test_a_filter_goes_unchanged_through_a_tree_to_publishers_that_know_its_kind(
    start: Start, minors: Sequence[int]
) -> None:
    """Each is asked in its own dialect; the one that does not know the kind is asked for everything."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    top = start(*(f"tcp://127.0.0.1:{server.getsockname()[1]}" for server in servers))
    below = start(top)
    knows = publisher_of(servers[0], minors[0], bytes((3, 7)))
    knows_not = publisher_of(servers[1], minors[0], bytes((3,)))
    link = connect_raw(below, minors[1])
    for more in (True, False):
        link.sendall(filter_wish(minors[1], 7, b"\0 a \xff filter", more=more))
        asked = filter_wish(minors[0], 7, b"\0 a \xff filter", more=more)
        assert receive(knows, len(asked)) == asked
        asked = wish(minors[0], b"", more=more)
        assert receive(knows_not, len(asked)) == asked
    for each in (link, knows, knows_not, *servers):
        each.close()


def test_a_publisher_that_comes_back_and_knows_other_kinds_is_asked_accordingly(start: Start) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    link = connect_raw(start(f"tcp://127.0.0.1:{server.getsockname()[1]}"), 1)
    link.sendall(filter_wish(1, 7, b"f"))
    for filters, asked in (
        (b"\7", filter_wish(1, 7, b"f")),
        (None, wish(1, b"")),
        (b"\xff", filter_wish(1, 7, b"f")),
    ):
        publisher = publisher_of(server, 1, filters)
        assert receive(publisher, len(asked)) == asked
        publisher.close()
    link.close()
    server.close()


@pytest.mark.parametrize("minor", [0, 1])
def test_other_messages_of_subscribers_reach_every_publisher(start: Start, opened: Open, minor: int) -> None:
    """They pass in their order with subscriptions; what begins as a subscription and has several frames does not."""
    publishers = [opened(zmq.XPUB) for _ in range(2)]
    top = start(*map(bind, publishers))
    link = connect_raw(start(top), minor)
    messages = [[b"\4 hello"], [b""], [b"\xff", b"part", b""], [b"x" * 100_000]]
    link.sendall(wish(minor, b"first"))
    for publisher in publishers:  # it is there now: what is sent before that does not wait for it
        assert publisher.recv() == b"\1first"
    link.sendall(join_parts([b"\1not", b"a subscription"]))
    for message in messages:
        link.sendall(join_parts(message))
    link.sendall(wish(minor, b"last"))
    for publisher in publishers:
        assert [publisher.recv_multipart() for _ in messages] == messages
        assert publisher.recv() == b"\1last"
    link.close()


@pytest.mark.parametrize("minor", [0, 1])
def test_unknown_commands_are_ignored_on_either_side(start: Start, minor: int) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    link = connect_raw(start(f"tcp://127.0.0.1:{server.getsockname()[1]}"), minor)
    publisher = publisher_of(server, minor)
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
    assert receive(publisher, len(wish(minor, b"still"))) == wish(minor, b"still")
    publisher.sendall(join([b"still here"]))
    assert receive(link, len(join([b"still here"]))) == join([b"still here"])
    for each in (link, publisher, server):
        each.close()


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


def test_a_publisher_that_floods_does_not_displace_the_messages_of_another(opened: Open) -> None:
    """The subscriber reads nothing until the flood has filled what it may of its queue, and beyond."""
    forwarder = Forwarder(
        [],
        ["tcp://127.0.0.1:*"],
        options=ForwarderOptions(queue=200_000),
        upstream_binds=["tcp://127.0.0.1:*"],
    )
    thread = threading.Thread(target=forwarder.run)
    thread.start()
    links: list[socket.socket] = []
    try:
        reader = connect_raw(forwarder.endpoints[0], 1)
        reader.sendall(wish(1, b""))
        floods = [connect_raw(forwarder.upstream_endpoints[0], 1, b"PUB") for _ in range(2)]
        modest = connect_raw(forwarder.upstream_endpoints[0], 1, b"PUB")
        links += [reader, modest, *floods]
        for each in (*floods, modest):
            assert receive(each, len(wish(1, b""))) == wish(1, b"")
        octets = bytes(join([b"flood" + bytes(1000)])) * 100
        sent = 0
        while forwarder.stats()["dropped"] < 2000:
            for each in floods:
                each.sendall(octets)
                sent += 100
            until(lambda sent=sent: forwarder.stats()["messages_in"] == sent)  # type: ignore[misc]
        for number in range(100):
            modest.sendall(join([b"modest %d" % number]))
        until(lambda: forwarder.stats()["messages_in"] == sent + 100)
        modest.sendall(join([b"end"]))
        got = bytearray()
        while b"end" not in got:
            got += reader.recv(1 << 20)
        assert got.count(b"modest") == 100
        assert got.count(b"flood") > 100
    finally:
        for each in links:
            each.close()
        forwarder.stop()
        thread.join(LONG)


def until(done: Callable[[], object]) -> None:
    limit = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < limit


def test_a_publisher_that_does_not_read_gets_no_cancel_without_its_subscription(
    start: Start, opened: Open
) -> None:
    """It reads late and slowly, so that it has room again while it is being asked."""
    server = socket.create_server(("127.0.0.1", 0))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    below = start(f"tcp://127.0.0.1:{server.getsockname()[1]}", queue=1)
    link, _ = server.accept()
    shake_hands(link, 1, b"PUB")
    reader = connect_raw(below, 1)
    topics = [b"%04d" % number + bytes(2000) for number in range(4000)]
    fickle = b"".join(wish(1, topic, more=more) for topic in topics for more in (True, False))
    thread = threading.Thread(target=reader.sendall, args=[fickle + wish(1, b"end")])
    thread.start()
    time.sleep(0.3)
    asked = Counter[bytes]()
    octets = link.makefile("rb", 64 << 10)
    while asked != {b"end": 1}:
        head = octets.read(2)
        size = head[1] if head[0] == 4 else int.from_bytes(head[1:] + octets.read(7))
        message = zmtp.decode(octets.read(size))
        assert isinstance(message, zmtp.Subscribe | zmtp.Cancel)
        asked[message.topic] += 1 if isinstance(message, zmtp.Subscribe) else -1
        assert asked[message.topic] >= 0
        if not asked[message.topic]:
            del asked[message.topic]
    thread.join()
    for each in (octets, link, reader, server):
        each.close()


def test_a_publisher_with_room_again_gets_no_cancel_of_what_it_refused(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same without the race: its queue is full for one step, and sent before the next, which is read with it."""
    ask = SubscribingConnection.ask

    def full_at_first(connection: SubscribingConnection, steps: Sequence[Step]) -> int:
        monkeypatch.setattr(SubscribingConnection, "ask", ask)
        connection.refused = True
        return 0

    server = socket.create_server(("127.0.0.1", 0))
    below = start(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    link, _ = server.accept()
    shake_hands(link, 1, b"PUB")
    reader = connect_raw(below, 1)
    monkeypatch.setattr(SubscribingConnection, "ask", full_at_first)
    reader.sendall(wish(1, b"X") + wish(1, b"X", more=False) + wish(1, b"end"))
    assert receive(link, len(wish(1, b"end"))) == wish(1, b"end")
    for each in (link, reader, server):
        each.close()


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


@pytest.mark.parametrize("policy", ["every", "count", "cover", "cap 8", "cap 2", "one-hop", "everything"])
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


def test_a_producer_is_told_who_is_interested(opened: Open) -> None:
    told: queue.Queue[tuple[bytes, bool]] = queue.Queue()
    forwarder = Forwarder([], ["tcp://127.0.0.1:*"], interest=lambda topic, more: told.put((topic, more)))
    thread = threading.Thread(target=forwarder.run)
    thread.start()
    try:
        subscribers = [opened(zmq.SUB) for _ in range(2)]
        for subscriber in subscribers:
            subscriber.connect(forwarder.endpoints[0])
            subscriber.subscribe(b"prices.")
        assert told.get(timeout=LONG) == (b"prices.", True)
        until(lambda: forwarder.stats()["steps_in"] == len(subscribers))
        for subscriber in subscribers:
            subscriber.close()
        assert told.get(timeout=LONG) == (b"prices.", False)
        assert told.empty()
    finally:
        forwarder.stop()
        thread.join(LONG)
