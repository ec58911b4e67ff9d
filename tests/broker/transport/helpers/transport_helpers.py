"""Shared helpers of the transports' tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

import pytest
import zmq
from waiting import until

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Gone, Malformed, Output, Peer, Received, Undelivered
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.zmtp.router_transport import RouterTransport

Context = zmq.Context[zmq.Socket[bytes]]
Connect = Callable[..., zmq.Socket[bytes]]
Router = LibzmqRouter | RouterTransport
Start = Callable[..., Router]
LONG = 10.0


@pytest.fixture
def context() -> Iterator[Context]:
    made = zmq.Context()
    yield made
    made.destroy(linger=0)


def socket_of(context: Context, kind: int) -> zmq.Socket[bytes]:
    """Returns a socket that waits at most LONG for a message, and drops its output when it is closed."""
    made = context.socket(kind)
    made.linger = 0
    made.rcvtimeo = int(LONG * 1000)
    return made


def address_of(endpoint: str) -> tuple[str, int]:
    """Returns host and port of a tcp endpoint."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    return host, int(port)


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def take(router: Router, count: int) -> list[tuple[Peer, bytes | Malformed]]:
    """Returns the next `count` messages."""
    got: list[tuple[Peer, bytes | Malformed]] = []
    until(lambda: len(got) >= count, lambda: got.extend(items(router.receive(0.5))), seconds=LONG)
    assert len(got) == count
    return got


def read_until(router: Router, done: Callable[[list[Received]], object]) -> list[list[Received]]:
    """Returns the input of each turn until `done` with all of it."""
    turns: list[list[Received]] = []
    until(
        lambda: done([item for batch in turns for item in batch]),
        lambda: turns.append(router.receive(0.01)),
        seconds=LONG,
    )
    return turns


def items(batch: list[Received]) -> list[tuple[Peer, bytes | Malformed]]:
    """Returns the items, runs as single frames, without reports of closed connections."""
    return [
        (peer, frame) for peer, data in batch if not isinstance(data, Gone) for frame in frames_of([data])
    ]


def frames_of(received: Iterable[bytes | FrameBatch | Malformed]) -> list[bytes | Malformed]:
    """Returns the frames of `received` one by one, including those of runs."""
    return [frame for item in received for frame in (item if isinstance(item, FrameBatch) else (item,))]


def hello(router: Router, client: zmq.Socket[bytes]) -> Peer:
    client.send(b"hello")
    ((peer, frame),) = take(router, 1)
    assert frame == b"hello"
    return peer


def join(router: Router, connect: Connect, **options: object) -> tuple[zmq.Socket[bytes], Peer]:
    """Returns a client of the first endpoint, with these socket options, and the router's handle for it."""
    client = connect(router.endpoints[0], **options)
    return client, hello(router, client)


def answer_all(router: Router, connect: Connect) -> None:
    """A client at each endpoint is another peer, and gets what one output sends to all of them."""
    clients = [connect(endpoint) for endpoint in router.endpoints]
    peers = [hello(router, client) for client in clients]
    assert len(set(peers)) == len(clients)
    router.send([Output(peers, [b"answer"])])
    assert [client.recv() for client in clients] == [b"answer"] * len(clients)


def fill(
    router: Router, peer: Peer, frame: bytes = b"x" * 1000, many: int = 200, settle: float = 0.5
) -> tuple[Undelivered, int]:
    """Sends until the peer's pipe has been full for `settle` seconds. Returns (last refusal, frames accepted)."""
    taken = 0
    last = time.monotonic()  # when it took a frame, or might have
    limit = last + 10 * LONG
    while time.monotonic() < limit:
        refusals = router.send([Output([peer], [frame] * many)])
        accepted = refusals[0].accepted if refusals else many
        taken += accepted
        if accepted:
            last = time.monotonic()
        elif time.monotonic() > last + settle:
            return refusals[0], taken
        if refusals:
            router.receive(0.02)
    raise AssertionError("the pipe is never full")


def drain(router: Router, client: zmq.Socket[bytes], count: int) -> list[bytes]:
    """Returns the next `count` messages of the client, while the router runs."""
    got: list[bytes] = []

    def turn() -> None:
        router.receive(0.0)
        while len(got) < count and client.poll(1):
            got.append(client.recv())

    until(lambda: len(got) >= count, turn, seconds=LONG)
    return got
