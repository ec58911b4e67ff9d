"""Properties of libzmq's engine: batches read message by message, pipes counted in messages, lent frames, inproc."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from transport_helpers import LONG, Clock, Connect, Context, Start, answer_all, fill, hello, join
from waiting import until

from zeps_broker.ports import Output, Received, Undelivered
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.options import RouterOptions


@pytest.fixture
def start(context: Context, stack: ExitStack) -> Start:
    def make(options: RouterOptions | None = None, *endpoints: str, **more: object) -> LibzmqRouter:
        router = LibzmqRouter(endpoints or ["tcp://127.0.0.1:*"], options, **more)  # type: ignore[arg-type]
        return stack.enter_context(closing(router))

    return make


def test_an_endpoint_of_each_kind(start: Start, connect: Connect, context: Context, tmp_path: Path) -> None:
    router = start(None, "tcp://127.0.0.1:*", f"ipc://{tmp_path}/zeps", "inproc://zeps", context=context)
    assert not router.endpoints[0].endswith("*")
    assert len(router.endpoints) == 3
    answer_all(router, connect)


def test_a_batch_is_bounded_by_messages(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(turn_messages_max=10))
    client = connect(router.endpoints[0])
    for number in range(35):
        client.send(b"%d" % number)
    got: list[Received] = []
    while len(got) < 35:
        batch = router.receive(1.0)
        assert len(batch) <= 10
        got += batch
    assert [frame for _, frame in got] == [b"%d" % number for number in range(35)]


def test_a_batch_is_bounded_by_bytes(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(turn_bytes_max=5000))
    client = connect(router.endpoints[0])
    for _ in range(20):
        client.send(b"x" * 1000)
    got = 0
    while got < 20:
        batch = router.receive(1.0)
        assert len(batch) <= 5
        got += len(batch)


def test_a_refused_peer_is_named_once_and_later_each_time(
    start: Start, connect: Connect, context: Context
) -> None:
    # Without a thread or a kernel buffer between the two, which would take one more message at any time.
    clock = Clock()
    router = start(RouterOptions(send_messages_max=50), "inproc://zeps", context=context, clock=clock)
    _, peer = join(router, connect, rcvhwm=10)
    fill(router, peer, settle=0)
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
    router = start(RouterOptions(send_messages_max=50))
    peer = hello(router, connect(router.endpoints[0], rcvhwm=10))
    fill(router, peer)
    assert router.receive(LONG) == []
    assert until(router.writable, lambda: router.receive(LONG)) == [peer]


def test_large_frames_are_bounded_by_bytes(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(shared_bytes_max=4 << 20))
    client, peer = join(router, connect, rcvhwm=1)
    frame = bytes(range(256)) * 4096
    refusal, taken = fill(router, peer, frame, many=10)
    assert not refusal.gone
    assert taken < 100  # the pipe would take 10,000
    for _ in range(taken):
        assert client.recv() == frame

    def read() -> None:
        while client.poll(10):
            client.recv()

    until(
        lambda: not router.send([Output([peer], [b"small", frame])]),
        read,
        why="sent frames are never released",
    )


def test_one_frame_beyond_the_window_is_taken(start: Start, connect: Connect) -> None:
    router = start(RouterOptions(shared_bytes_max=1000, shared_frame_bytes_min=500))
    clients = [connect(router.endpoints[0]) for _ in range(80)]
    peers = [hello(router, client) for client in clients]
    for number in range(3):
        output = Output(peers, [b"%d" % number, b"%d" % number * 5000])
        waiting = router.send([output])
        limit = time.monotonic() + LONG
        while waiting:
            assert time.monotonic() < limit
            assert not any(refusal.gone for refusal in waiting)
            waiting = router.send(
                [Output([refusal.peer], refusal.output.frames[refusal.accepted :]) for refusal in waiting]
            )
    for client in clients:
        for number in range(3):
            assert client.recv() == b"%d" % number
            assert client.recv() == b"%d" % number * 5000


def test_an_unknown_peer_is_gone(start: Start) -> None:
    output = Output([b"\0none"], [b"x"])
    assert start().send([output]) == [Undelivered(b"\0none", output, 0, True)]


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("nonsense", "not an endpoint"),
        ("udp://127.0.0.1:1", "tcp, ipc or inproc"),
        ("carrier://pigeon", "tcp, ipc or inproc"),
        ("tcp://203.0.113.1:*", "does not have this address"),
        ("ipc:///nowhere/at/all/zeps", "No such file"),
        ("ipc:///" + "x" * 200, "too long"),
    ],
)
def test_an_endpoint_that_cannot_be_bound_says_why(endpoint: str, reason: str) -> None:
    with pytest.raises(TransportError) as caught:
        LibzmqRouter([endpoint])
    assert endpoint in str(caught.value)
    assert reason in str(caught.value)
