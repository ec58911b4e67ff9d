"""Properties of the native engine: input in any slices, greetings and commands of every kind, invalid peers."""

from __future__ import annotations

import resource
import socket
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import pairwise

import pytest
from garbage import nothing_to_collect
from hypothesis import example, given
from hypothesis import strategies as st
from raw_peer import GREETING, Raw, message, ping, ready, unconnected
from transport_helpers import Clock, Connect, drain, frames_of, hello, join, take
from waiting import until

from zeps_broker.ports import Gone, Malformed, Output, Received
from zeps_broker.transport.errors import MULTIPART, TOO_LONG
from zeps_broker.transport.options import RouterOptions
from zeps_broker.transport.zmtp.connection import Limits
from zeps_broker.transport.zmtp.frames import join_command
from zeps_broker.transport.zmtp.router_transport import RouterTransport
from zeps_wire import zmtp, zmtp_2

LIMITS = Limits(command=1000, frame=5000, queue=10_000)
OPENING = GREETING + ready()

Dial = Callable[[RouterTransport], Raw]
Start = Callable[..., RouterTransport]


@pytest.fixture
def start(stack: ExitStack) -> Callable[..., RouterTransport]:
    def make(clock: Callable[[], float] = time.monotonic, **options: object) -> RouterTransport:
        chosen = RouterOptions(**options)  # type: ignore[arg-type]
        return stack.enter_context(closing(RouterTransport(["tcp://127.0.0.1:*"], chosen, clock)))

    return make


@pytest.fixture
def router(start: Callable[..., RouterTransport]) -> RouterTransport:
    return start()


@pytest.fixture
def raw(router: RouterTransport, dial: Dial) -> Raw:
    return dial(router)


# Any slices


@st.composite
def conversations(draw: st.DrawFn) -> tuple[bytes, list[bytes | Malformed]]:
    """Input of a peer after its handshake, and the expected items."""
    data = b""
    expected: list[bytes | Malformed] = []
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["message", "run", "long form", "multipart", "too long", "ping"]))
        body = bytes([len(expected) % 256]) * draw(st.sampled_from([0, 1, 20, 255, 256, 1000]))
        if kind == "message":
            data += message(body)
            expected.append(body)
        elif kind == "run":
            count = draw(st.integers(1, 100))
            data += message(body) * count
            expected += [body] * count
        elif kind == "long form":
            data += message(body, long=True)
            expected.append(body)
        elif kind == "multipart":
            parts = draw(st.integers(2, 5))
            data += message(body, more=True) * (parts - 1) + message(body)
            expected.append(Malformed(MULTIPART.format(parts)))
        elif kind == "too long":
            data += message(bytes(1001))
            expected.append(Malformed(TOO_LONG.format(1001, LIMITS.command)))
        else:
            data += ping(context=b"x")
    return data, expected


@given(conversations(), st.lists(st.integers(0, 1 << 20), max_size=30))
@example((message(b"") * 32, [b""] * 32), [])
@example((message(b"x" * 20) * 70, [b"x" * 20] * 70), [100, 800])
def test_the_slices_in_which_bytes_arrive_make_no_difference(
    conversation: tuple[bytes, list[bytes | Malformed]], places: list[int]
) -> None:
    """A connection yields a run of equal frames as one object or frame by frame, depending on the slices."""
    said, expected = conversation
    data = OPENING + said
    cuts = sorted(place % (len(data) + 1) for place in places)
    with unconnected(LIMITS) as (connection, _):
        got: list[bytes | Malformed] = []
        for start, end in pairwise([0, *cuts, len(data)]):
            if start < end:
                got += frames_of(connection.feed(data[start:end]))
            while connection.unparsed:
                got += frames_of(connection.feed())
        assert got == expected
        assert connection.open


@given(st.binary(min_size=1, max_size=300), st.integers(0, 2))
def test_random_bytes_are_messages_or_the_end(data: bytes, after: int) -> None:
    with unconnected(LIMITS) as (connection, _):
        got = connection.feed([b"", GREETING, OPENING][after] + data)
        assert after == 2 or not got
        assert connection.broken is None or connection.broken


def test_what_came_before_the_offence_counts() -> None:
    with unconnected(LIMITS) as (connection, _):
        assert connection.feed(OPENING + message(b"good") + b"\x80\x00") == [b"good"]
        assert connection.broken == "invalid frame flags %x80"


def test_a_peer_that_asks_and_is_gone_is_left_and_what_it_said_counts() -> None:
    """Its connection may be reset between the read and the answer."""
    with unconnected(LIMITS, said=OPENING) as (connection, theirs):
        theirs.close()
        assert connection.feed(message(b"last words") + ping()) == [b"last words"]
        assert connection.broken == "lost: Broken pipe"


# Greetings and metadata


def test_the_whole_greeting_is_sent_at_once(raw: Raw) -> None:
    raw.expect(GREETING)


@pytest.mark.parametrize("minor", [0, 1, 2, 9])
@pytest.mark.parametrize("major", [3, 4])
def test_every_later_version_is_welcome(raw: Raw, major: int, minor: int) -> None:
    greeting = bytearray(GREETING)
    greeting[10:12] = bytes((major, minor))
    greeting[1:9] = b"\xa5" * 8
    raw.send(bytes(greeting) + ready() + message(b"hello"))
    assert [frame for _, frame in take(raw.router, 1)] == [b"hello"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x01\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\0\0\0\0\0\0\0\x01\x7e",
        zmtp_2.Greeting(socket_type=5, identity=b"").encode(),
        GREETING.replace(b"NULL", b"PLAIN"[:4]),
        GREETING + message(b"too early"),
        GREETING + b"\x05" + ready()[1:],
        GREETING + join_command(b"\x05HELLO"),
        GREETING + join_command(b"\x05READY\x0bSocket-Type\0\0\0\x07DEALER"),
        OPENING + b"\x80\x00",
        OPENING + ready(),
        OPENING + b"\x02\x80" + bytes(7),
        OPENING + b"\x06" + (1 << 20).to_bytes(8, "big"),
        OPENING + join_command(b"\x04PING\x00"),
        OPENING + join_command(b""),
        OPENING + join_command(b"\x00"),
        OPENING + join_command(b"\x00PING"),
        OPENING + join_command(b"\x05PING"),
        GREETING + ready(b"DEALER", (b"", b"nameless")),
    ],
)
def test_a_peer_that_breaks_the_protocol_is_left_and_others_are_served(
    raw: Raw, router: RouterTransport, connect: Connect, data: bytes
) -> None:
    client, peer = join(router, connect)
    raw.send(data)
    raw.expect_closed()
    assert router.send([Output([peer], [b"still here"])]) == []
    assert drain(router, client, 1) == [b"still here"]


@pytest.mark.parametrize("body", [b"\x05HELLO", b"\x01t", b"\x02t\0", b"\x04JOINus", b"\xff" + bytes(255)])
def test_an_unknown_command_is_ignored(raw: Raw, body: bytes) -> None:
    raw.send(OPENING + join_command(body) + message(b"still here"))
    assert [frame for _, frame in take(raw.router, 1)] == [b"still here"]


@pytest.mark.parametrize("kind", [b"SUB", b"PUB", b"PAIR", b"", b"dealer"])
def test_a_socket_of_another_type_is_told_so(raw: Raw, kind: bytes) -> None:
    raw.expect(GREETING)
    raw.send(GREETING + ready(kind))
    raw.expect(ready(b"ROUTER", (b"Identity", b"")))
    raw.expect(join_command(zmtp.Error(reason=b"Invalid socket type").encode()))
    raw.expect_closed()


def test_metadata_in_any_case_and_of_any_kind(raw: Raw) -> None:
    properties = (
        (b"X-Any", b"\0\xff" * 100),
        (b"SOCKET-type", b"REQ"),
        (b"identity", b""),
        (b"Resource", b""),
    )
    raw.send(GREETING + join_command(zmtp.Ready(properties=properties).encode()) + message(b"hello"))
    assert [frame for _, frame in take(raw.router, 1)] == [b"hello"]


# Commands


@pytest.mark.parametrize("context", [b"", b"x", b"0123456789abcdef"])
def test_ping_is_answered(raw: Raw, context: bytes) -> None:
    raw.send(OPENING + ping(10, context))
    raw.expect(GREETING + ready(b"ROUTER", (b"Identity", b"")))
    raw.expect(join_command(zmtp.Pong(context=context).encode()))


def test_a_peer_that_pings_and_never_listens_is_left(router: RouterTransport, raw: Raw) -> None:
    raw.send(OPENING)
    raw.socket.setblocking(False)

    def closed() -> bool:
        try:
            raw.socket.send(ping(context=b"0123456789abcdef") * 20_000)
        except BlockingIOError:
            pass
        except (ConnectionResetError, BrokenPipeError):
            return True
        return False

    until(closed, lambda: router.receive(0.0), why="it may ping for ever")


def test_a_peer_that_outlives_its_own_time_to_live_is_left(start: Start, dial: Dial) -> None:
    clock = Clock()
    router = start(clock)
    silent, alive, unread, undone, free = (dial(router) for _ in range(5))
    for peer, said in (
        (silent, ping(30)),
        (alive, ping(30)),
        (unread, ping(30)),
        (undone, ping(30) + ping(0)),
        (free, b""),
    ):
        peer.send(OPENING + said + message(b"hello"))
        take(router, 1)
    clock.now += 2.9
    alive.send(message(b"alive"))
    take(router, 1)
    clock.now += 0.2
    unread.send(message(b"before the end"))
    time.sleep(0.05)
    assert [frame for _, frame in take(router, 1)] == [b"before the end"]
    silent.expect_closed()
    for peer in (alive, unread, undone, free):
        peer.send(message(b"still here"))
    assert [frame for _, frame in take(router, 4)] == [b"still here"] * 4
    clock.now += 3.1
    router.receive(0.0)
    for peer in (alive, unread):
        peer.expect_closed()
    for peer in (undone, free):
        peer.send(message(b"for ever"))
    assert [frame for _, frame in take(router, 2)] == [b"for ever"] * 2


def test_a_long_ready_is_taken(raw: Raw) -> None:
    raw.send(GREETING + ready(b"DEALER", (b"X-Large", bytes(100_000))) + message(b"hello"))
    assert [frame for _, frame in take(raw.router, 1)] == [b"hello"]


# Slow peers


def test_an_unfinished_handshake_ends_in_time(start: Start, dial: Dial) -> None:
    clock = Clock()
    router = start(clock, handshake_seconds_max=3.0)
    peers = [dial(router) for _ in range(4)]
    for peer, said in zip(peers, [b"", GREETING[:11], GREETING + ready()[:5], OPENING], strict=True):
        peer.expect(GREETING)
        peer.send(said)
        router.receive(0.05)
    clock.now += 3.1
    router.receive(0.0)
    for peer in peers[:3]:
        peer.expect_closed()
    peers[3].send(message(b"hello"))
    assert [frame for _, frame in take(router, 1)] == [b"hello"]


def test_the_oldest_of_too_many_handshakes_makes_room(start: Start, connect: Connect, dial: Dial) -> None:
    router = start(handshakes_max=10)
    first = dial(router)
    first.expect(GREETING)
    others = [dial(router) for _ in range(30)]
    first.expect_closed()
    hello(router, connect(router.endpoints[0]))
    assert len(others) == 30


def test_a_closed_connection_is_reported_after_what_came_from_it(
    router: RouterTransport, connect: Connect
) -> None:
    client, other = connect(router.endpoints[0]), connect(router.endpoints[0])
    peer, _ = hello(router, client), hello(router, other)
    client.linger = -1
    for number in range(3):
        client.send(b"%d" % number)
    client.close()
    got = received(router, lambda got: Gone() in dict(got).values())
    assert [data for data in got if data[0] == peer] == [
        (peer, b"0"),
        (peer, b"1"),
        (peer, b"2"),
        (peer, Gone()),
    ]
    assert router.receive(0.05) == [], "it is reported once, and the other is there"


def test_a_connection_that_is_found_closed_in_sending_is_reported_too(
    router: RouterTransport, raw: Raw
) -> None:
    raw.send(OPENING + message(b"hello"))
    ((peer, _),) = take(router, 1)
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.socket.close()
    until(lambda: any(refusal.gone for refusal in router.send([Output([peer], [b"x"])])), lambda: None)
    assert received(router, bool) == [(peer, Gone())]


def test_a_peer_that_is_left_is_reported_after_what_it_had_said(router: RouterTransport, raw: Raw) -> None:
    raw.send(OPENING + message(b"hello") + b"\x80")
    got = received(router, lambda got: len(got) > 1)
    assert [data for _, data in got] == [b"hello", Gone()]


@pytest.mark.parametrize("last", [b"", b"\x80", message(b"hello")], ids=["closed", "left", "reported"])
def test_a_connection_that_ends_leaves_nothing_to_the_collector(router: RouterTransport, last: bytes) -> None:
    with nothing_to_collect():
        peer = Raw(router)
        peer.send(OPENING + message(b"hello"))
        ((handle, _),) = take(router, 1)
        peer.send(last)
        router.send([Output([handle], [b"answer"])])
        peer.socket.close()
        received(router, lambda got: Gone() in dict(got).values())
        del peer, handle


def received(router: RouterTransport, enough: Callable[[list[Received]], bool]) -> list[Received]:
    """Returns the router's input until that is enough, in frames."""
    got: list[Received] = []

    def turn() -> None:
        for peer, data in router.receive(0.1):
            got.extend((peer, frame) for frame in frames_of([data]))

    until(lambda: enough(got), turn)
    return got


def test_what_is_only_announced_takes_no_memory(router: RouterTransport, dial: Dial) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peers = [dial(router) for _ in range(50)]
    for peer in peers:
        peer.send(OPENING + b"\x02" + (64 << 20).to_bytes(8, "big") + b"x" * 1000)
        router.receive(0.01)
    for _ in range(50):
        router.receive(0.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 << 10  # KiB


# Batches


def test_a_batch_ends_with_the_read_that_fills_it(start: Start, connect: Connect) -> None:
    router = start(turn_messages_max=10)
    clients = [connect(router.endpoints[0]) for _ in range(5)]
    for number in range(100):
        clients[number % 5].send(b"%d" % number)
    got = received(router, lambda got: len(got) >= 100)
    assert sorted(int(frame) for _, frame in got if isinstance(frame, bytes)) == list(range(100))
    for peer in {peer for peer, _ in got}:
        numbers = [int(frame) for sender, frame in got if sender is peer and isinstance(frame, bytes)]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("frame_sizes", [(5,), (3, 4)], ids=["equal frames", "frames of two sizes"])
def test_new_floods_do_not_precede_a_quiet_peer(
    router: RouterTransport, dial: Dial, frame_sizes: tuple[int, ...]
) -> None:
    """No read of a connection that was quiet so far fills a turn, whatever it has sent meanwhile."""
    *floods, quiet = peers = [dial(router) for _ in range(21)]
    for peer in peers:
        peer.send(OPENING + message(b"first"))
    received(router, lambda got: len(got) == len(peers))
    for flood in floods:
        flood.send(b"".join(message(bytes(size)) for size in frame_sizes) * 10_000)
    quiet.send(message(b"quiet"))
    turns = [router.receive(1.0) for _ in range(4)]
    assert b"quiet" in [frame for turn in turns for _, frame in turn]


def test_a_peer_that_has_room_again_is_named_once(start: Start, connect: Connect) -> None:
    router = start(send_bytes_max=100_000)
    client, peer = join(router, connect, rcvhwm=10)
    taken = 0
    while not router.send([Output([peer], [b"x" * 1000] * 50)]):
        taken += 50
    assert router.writable() == []
    drain(router, client, taken)
    assert until(router.writable, lambda: router.receive(0.01)) == [peer]
    assert router.writable() == []
    assert router.send([Output([peer], [b"again"])]) == []
    assert drain(router, client, 1) == [b"again"]
