"""Reports of the transports about incomplete frames (ZEPS-PING-15)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from raw_peer import GREETING, message, ready
from transport_helpers import LONG, Connect, address_of, hello, take

from zeps_broker.ports import Gone, Output, Peer
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.options import COMMAND_BYTES_MAX, RouterOptions
from zeps_broker.transport.zmtp.router_transport import RouterTransport


@pytest.fixture(params=["tcp", "ipc"])
def router(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RouterTransport]:
    endpoint = "tcp://127.0.0.1:*" if request.param == "tcp" else f"ipc://{tmp_path}/socket"
    with closing(RouterTransport([endpoint])) as made:
        yield made


@pytest.fixture
def peer(router: RouterTransport) -> Iterator[tuple[socket.socket, Peer]]:
    """Returns a plain socket that has sent one message, and the router's handle for it."""
    endpoint = router.endpoints[0]
    if endpoint.startswith("ipc://"):
        link = socket.socket(socket.AF_UNIX)
        link.connect(endpoint.removeprefix("ipc://"))
    else:
        link = socket.create_connection(address_of(endpoint))
    with link:
        link.sendall(GREETING + ready() + message(b"hello"))
        ((handle, _),) = take(router, 1)
        yield link, handle


def moved(router: RouterTransport, handle: Peer, enough: int) -> int:
    """Returns how far frames have advanced, when that is `enough`, while the router runs."""
    count, limit = 0, time.monotonic() + LONG
    while count < enough:
        assert time.monotonic() < limit, f"only {count} of {enough} bytes"
        router.receive(0.01)
        count += router.advanced(handle)
    return count


def read(router: RouterTransport, link: socket.socket, count: int) -> int:
    """Reads at least this many bytes, while the router runs; returns the number."""
    got, limit = 0, time.monotonic() + LONG
    while got < count:
        assert time.monotonic() < limit, f"only {got} of {count} bytes came"
        router.receive(0.0)
        with suppress(BlockingIOError):
            got += len(link.recv(1 << 20))
    return got


def test_a_frame_that_arrives_advances_until_it_is_whole(
    router: RouterTransport, peer: tuple[socket.socket, Peer]
) -> None:
    link, handle = peer
    frame = message(bytes(150_000))
    assert router.advanced(handle) == 0  # only complete frames arrived
    link.sendall(frame[:3])
    assert moved(router, handle, 3) == 3
    link.sendall(frame[3:100_000])
    assert moved(router, handle, 99_997) == 99_997
    assert router.advanced(handle) == 0
    link.sendall(frame[100_000:])
    assert take(router, 1) == [(handle, bytes(150_000))]
    assert router.advanced(handle) == 0


def test_a_frame_that_leaves_advances_as_its_reader_reads(
    router: RouterTransport, peer: tuple[socket.socket, Peer]
) -> None:
    link, handle = peer
    size = 16 << 20
    link.setblocking(False)
    assert router.send([Output([handle], [bytes(size)])]) == []
    while router.advanced(handle):  # the kernel takes a part of it, though the peer does not read
        router.receive(0.05)
    assert router.advanced(handle) == 0
    got = read(router, link, size // 2)
    assert 0 < router.advanced(handle) <= size
    read(router, link, size - got)
    router.receive(0.05)
    router.advanced(handle)
    assert router.advanced(handle) == 0


def test_a_connection_that_is_closed_does_not_advance(
    router: RouterTransport, peer: tuple[socket.socket, Peer]
) -> None:
    link, handle = peer
    link.sendall(message(bytes(1000))[:500])
    assert moved(router, handle, 500) == 500
    link.close()
    assert router.receive(LONG) == [(handle, Gone())]
    assert router.advanced(handle) == 0


def test_libzmq_tells_of_whole_frames_only(connect: Connect) -> None:
    for options, longest in (
        (RouterOptions(), COMMAND_BYTES_MAX),
        (RouterOptions(frame_bytes_max=1000), 1000),
    ):
        with closing(LibzmqRouter(["tcp://127.0.0.1:*"], options)) as router:
            assert router.advanced(hello(router, connect(router.endpoints[0]))) == 0
            assert router.unseen_bytes == longest
