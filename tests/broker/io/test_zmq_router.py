"""The transport over real sockets: what arrives, what does not fit, and who is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq

from zeps_broker.io.zmq_router import COMMAND_OCTETS_MAX, RouterOptions, TransportError, ZmqRouter
from zeps_broker.ports import Malformed, Output, Peer, Received, Undelivered

Context = zmq.Context[zmq.Socket[bytes]]
Connect = Callable[..., zmq.Socket[bytes]]
Start = Callable[..., ZmqRouter]
LONG = 10.0


class Clock:
    """Stands still until it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def context() -> Iterator[Context]:
    made = zmq.Context()
    yield made
    made.destroy(linger=0)


@pytest.fixture
def start(context: Context) -> Iterator[Start]:
    routers: list[ZmqRouter] = []

    def make(options: RouterOptions | None = None, *endpoints: str, **more: object) -> ZmqRouter:
        router = ZmqRouter(endpoints or ["tcp://127.0.0.1:*"], options, **more)  # type: ignore[arg-type]
        routers.append(router)
        return router

    yield make
    for router in routers:
        router.close()


@pytest.fixture
def connect(context: Context) -> Iterator[Connect]:
    clients: list[zmq.Socket[bytes]] = []

    def make(endpoint: str, **options: object) -> zmq.Socket[bytes]:
        client = context.socket(zmq.DEALER)
        client.linger = 0
        client.rcvtimeo = int(LONG * 1000)
        for name, value in options.items():
            setattr(client, name, value)
        client.connect(endpoint)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


def take(router: ZmqRouter, count: int) -> list[Received]:
    """The next `count` messages."""
    got: list[Received] = []
    limit = time.monotonic() + LONG
    while len(got) < count:
        assert time.monotonic() < limit, f"only {len(got)} of {count} messages came"
        got += router.receive(0.5)
    assert len(got) == count
    return got


def hello(router: ZmqRouter, client: zmq.Socket[bytes]) -> Peer:
    client.send(b"hello")
    ((peer, frame),) = take(router, 1)
    assert frame == b"hello"
    return peer


def fill(
    router: ZmqRouter, peer: Peer, frame: bytes = b"x" * 1000, many: int = 200
) -> tuple[Undelivered, int]:
    """Send until the peer's pipe is full; returns the refusal, and how many frames it took in all."""
    taken = full = 0
    for _ in range(10_000):
        refusals = router.send([Output([peer], [frame] * many)])
        taken += refusals[0].accepted if refusals else many
        full = full + 1 if refusals and not refusals[0].accepted else 0
        if full == 3:  # whatever libzmq and the kernel still had room for is used up
            return refusals[0], taken
        if refusals:
            time.sleep(0.02)
    raise AssertionError("the pipe is never full")


def test_messages_arrive_in_order_and_answers_go_back(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    frames = [b"%d" % number for number in range(300)]
    for frame in frames:
        client.send(frame)
    got = take(router, len(frames))
    peers = {peer for peer, _ in got}
    assert [frame for _, frame in got] == frames
    assert len(peers) == 1
    assert router.send([Output(list(peers), frames)]) == []
    assert [client.recv() for _ in frames] == frames


def test_an_output_goes_to_each_peer_in_the_order_of_outputs(start: Start, connect: Connect) -> None:
    router = start()
    clients = [connect(router.endpoints[0]) for _ in range(3)]
    peers = [hello(router, client) for client in clients]
    assert router.send([Output(peers, [b"1", b"2"], [1, 2]), Output(peers[:2], [b"3"])]) == []
    for client, expected in zip(clients, ([b"1", b"2", b"3"], [b"1", b"2", b"3"], [b"1", b"2"]), strict=True):
        assert [client.recv() for _ in expected] == expected


def test_an_endpoint_of_each_kind(
    start: Start, connect: Connect, context: zmq.Context, tmp_path: Path
) -> None:  # type: ignore[type-arg]
    router = start(None, "tcp://127.0.0.1:*", f"ipc://{tmp_path}/zeps", "inproc://zeps", context=context)
    assert not router.endpoints[0].endswith("*")
    clients = [connect(endpoint) for endpoint in router.endpoints]
    peers = [hello(router, client) for client in clients]
    assert len(set(peers)) == 3
    router.send([Output(peers, [b"answer"])])
    assert [client.recv() for client in clients] == [b"answer"] * 3


def test_nothing_arrives_is_no_messages(start: Start) -> None:
    assert start().receive(0.0) == []
    assert start().receive(0.01) == []


def test_wake_ends_a_receive(start: Start) -> None:
    router = start()
    router.wake()
    began = time.monotonic()
    assert router.receive(LONG) == []
    assert time.monotonic() - began < LONG
    for _ in range(100_000):
        router.wake()


def test_a_batch_is_bounded_by_messages(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(batch_messages=10))
    client = connect(router.endpoints[0])
    for number in range(35):
        client.send(b"%d" % number)
    got: list[Received] = []
    while len(got) < 35:
        batch = router.receive(1.0)
        assert len(batch) <= 10
        got += batch
    assert [frame for _, frame in got] == [b"%d" % number for number in range(35)]


def test_a_batch_is_bounded_by_octets(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(batch_octets=5000))
    client = connect(router.endpoints[0])
    for _ in range(20):
        client.send(b"x" * 1000)
    got = 0
    while got < 20:
        batch = router.receive(1.0)
        assert len(batch) <= 5
        got += len(batch)


# ZEPS-FRAME-3


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_a_multipart_message_is_malformed_and_harms_nobody(
    start: Start, connect: Connect, parts: int
) -> None:
    router = start()
    other = connect(router.endpoints[0])
    victim = hello(router, other)
    client = connect(router.endpoints[0])
    peer = hello(router, client)
    client.send_multipart([b"a", *[bytes(victim), b"forged"] * parts][:parts])  # type: ignore[arg-type]
    client.send(b"after")
    assert take(router, 2) == [
        (peer, Malformed(f"a message of {parts} parts; a command is a single part")),
        (peer, b"after"),
    ]
    assert hello(router, other) == victim


def test_an_empty_message_is_a_message(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    client.send(b"")
    ((_, frame),) = take(router, 1)
    assert frame == b""


def test_a_peer_that_chose_its_id_is_refused(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0], routing_id=b"mine")
    client.send(b"hello")
    ((peer, got),) = take(router, 1)
    assert isinstance(got, Malformed)
    assert "routing id" in got.reason
    router.send([Output([peer], [b"answer"])])
    assert client.recv() == b"answer"


def test_a_frame_longer_than_any_command_is_malformed(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    client.send(bytes(COMMAND_OCTETS_MAX))
    client.send(bytes(COMMAND_OCTETS_MAX + 1))
    client.send(bytes(64 << 20))
    got = [frame for _, frame in take(router, 3)]
    assert got[0] == bytes(COMMAND_OCTETS_MAX)
    assert got[1:] == [
        Malformed(f"too-long: a frame of {size} octets; the longest command has {COMMAND_OCTETS_MAX}")
        for size in (COMMAND_OCTETS_MAX + 1, 64 << 20)
    ]


def test_a_frame_beyond_the_limit_ends_its_connection_alone(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(frame_octets_max=10_000))
    other = connect(router.endpoints[0])
    known = hello(router, other)
    client = connect(router.endpoints[0])
    peer = hello(router, client)
    client.send(bytes(10_001))
    limit = time.monotonic() + LONG
    while not router.send([Output([peer], [b"are you there?"])]):
        assert time.monotonic() < limit, "the connection is still there"
        time.sleep(0.01)
    assert hello(router, other) == known
    client.send(b"again")
    ((again, frame),) = take(router, 1)
    assert frame == b"again"
    assert again != peer


# Undelivered


def test_a_peer_that_does_not_read_refuses_and_the_rest_goes_on(start: Start, connect: Connect) -> None:
    clock = Clock()
    router = start(RouterOptions(send_queue=50), clock=clock)
    slow, quick = (connect(router.endpoints[0], rcvhwm=10) for _ in range(2))
    stuck, well = hello(router, slow), hello(router, quick)
    refusal, taken = fill(router, stuck)
    assert refusal.peer == stuck
    assert not refusal.gone
    outputs = [Output([stuck, well], [b"1", b"2"]), Output([well, stuck], [b"3"])]
    assert router.send(outputs) == [Undelivered(stuck, outputs[0], 0), Undelivered(stuck, outputs[1], 0)]
    assert [quick.recv() for _ in range(3)] == [b"1", b"2", b"3"]
    assert [slow.recv() for _ in range(taken)] == [b"x" * 1000] * taken
    assert slow.poll(50) == 0


def test_a_refused_peer_is_named_once_and_later_each_time(start: Start, connect: Connect) -> None:
    clock = Clock()
    router = start(RouterOptions(send_queue=50), clock=clock)
    client = connect(router.endpoints[0], rcvhwm=10)
    peer = hello(router, client)
    fill(router, peer)
    pauses = []
    for _ in range(9):
        assert router.writable() == []
        began = clock.now
        while not (named := router.writable()):
            clock.now += 0.0005
        assert named == [peer]
        assert router.writable() == []
        pauses.append(clock.now - began)
        assert router.send([Output([peer], [b"x"])])[0].accepted == 0
    assert pauses == sorted(pauses)
    assert pauses[0] < 0.01 < pauses[-1] < 0.1


def test_a_receive_returns_when_a_refused_peer_is_due(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(send_queue=50))
    peer = hello(router, connect(router.endpoints[0], rcvhwm=10))
    fill(router, peer)
    assert router.receive(LONG) == []
    limit = time.monotonic() + LONG
    while not (named := router.writable()):
        assert time.monotonic() < limit
        router.receive(LONG)
    assert named == [peer]


def test_what_a_full_pipe_refused_goes_on_where_it_stopped(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(send_queue=50))
    client = connect(router.endpoints[0], rcvhwm=10)
    peer = hello(router, client)
    frames = [b"%06d" % number * 50 for number in range(20_000)]
    got: list[bytes] = []
    at = refusals = 0
    while len(got) < len(frames):
        if at < len(frames):
            refused = router.send([Output([peer], frames[at:])])
            at += refused[0].accepted if refused else len(frames) - at
            refusals += bool(refused)
        while client.poll(1):
            got.append(client.recv())
    assert got == frames
    assert refusals


@pytest.mark.parametrize("size", [10, 20_000])
def test_a_peer_that_left_is_gone(start: Start, connect: Connect, size: int) -> None:
    router = start()
    client = connect(router.endpoints[0])
    peer = hello(router, client)
    client.close()
    limit = time.monotonic() + LONG
    output = Output([peer], [bytes(size)])
    while not (refused := router.send([output, output])):
        assert time.monotonic() < limit, "the peer is still there"
        time.sleep(0.01)
    assert refused[-1].gone
    assert router.send([output, output]) == [Undelivered(peer, output, 0, True)] * 2
    assert router.writable() == []


def test_large_frames_are_bounded_by_octets(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(large_window=4 << 20))
    client = connect(router.endpoints[0], rcvhwm=1)
    peer = hello(router, client)
    frame = bytes(range(256)) * 4096
    refusal, taken = fill(router, peer, frame, many=10)
    assert not refusal.gone
    assert taken < 100  # a pipe has room for 10,000
    for _ in range(taken):
        assert client.recv() == frame
    limit = time.monotonic() + LONG
    while router.send([Output([peer], [b"small", frame])]):
        assert time.monotonic() < limit, "what was sent is never taken back"
        time.sleep(0.01)
        while client.poll(0):
            client.recv()


def test_one_frame_beyond_the_window_is_taken(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(large_window=1000, large_octets=500))
    clients = [connect(router.endpoints[0]) for _ in range(80)]
    peers = [hello(router, client) for client in clients]
    for number in range(3):
        output = Output(peers, [b"%d" % number, b"%d" % number * 5000])
        waiting = router.send([output])
        limit = time.monotonic() + LONG
        while waiting:
            assert time.monotonic() < limit
            assert not any(each.gone for each in waiting)
            waiting = [
                rest
                for each in waiting
                for rest in router.send([Output([each.peer], each.output.frames[each.accepted :])])
            ]
    for client in clients:
        for number in range(3):
            assert client.recv() == b"%d" % number
            assert client.recv() == b"%d" % number * 5000


def test_an_unknown_peer_is_gone(start: Start) -> None:
    output = Output([b"\0none"], [b"x"])
    assert start().send([output]) == [Undelivered(b"\0none", output, 0, True)]


# Endpoints


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("nonsense", "not an endpoint"),
        ("udp://127.0.0.1:1", "tcp, ipc and inproc"),
        ("carrier://pigeon", "tcp, ipc and inproc"),
        ("tcp://203.0.113.1:*", "no such address"),
        ("ipc:///nowhere/at/all/zeps", "No such file"),
        ("ipc:///" + "x" * 200, "too long"),
    ],
)
def test_an_endpoint_that_cannot_be_bound_says_why(endpoint: str, reason: str) -> None:
    with pytest.raises(TransportError) as caught:
        ZmqRouter([endpoint])
    assert endpoint in str(caught.value)
    assert reason in str(caught.value)


def test_an_address_in_use(start: Start) -> None:
    endpoint = start().endpoints[0]
    with pytest.raises(TransportError, match=f"cannot listen on {endpoint}: the address is in use"):
        ZmqRouter([endpoint])


def test_close_lets_what_was_sent_leave_and_may_be_repeated(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    peer = hello(router, client)
    router.send([Output([peer], [b"last"] * 1000)])
    router.close(flush=LONG)
    router.close()
    assert [client.recv() for _ in range(1000)] == [b"last"] * 1000
