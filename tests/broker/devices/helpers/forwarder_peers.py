"""Publishers and subscribers of a forwarder, on libzmq sockets and on plain ones."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import zmq
from transport_helpers import LONG, address_of
from waiting import until

from zeps_broker.devices.bridge.server import BridgeServer
from zeps_broker.devices.forwarder.server import Forwarder
from zeps_broker.service.logs import EventLog
from zeps_broker.transport.zmtp import hub
from zeps_broker.transport.zmtp.frames import join, join_command
from zeps_wire import zmtp

Forward = Callable[..., str]
Open = Callable[[int], "zmq.Socket[bytes]"]


@contextmanager
def running(device: Forwarder | BridgeServer) -> Iterator[None]:
    """Runs a device in a thread during the block."""
    thread = threading.Thread(target=device.run)
    thread.start()
    try:
        yield
    finally:
        device.stop()
        thread.join(LONG)
    assert not thread.is_alive()


def events_at_the_limit(
    make: Callable[[EventLog], Forwarder | BridgeServer], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Connects two peers to a device that has a descriptor for one; returns its log's events besides its own."""
    monkeypatch.setattr(hub, "_descriptors_free", lambda: 1)
    lines: list[str] = []
    device = make(EventLog("debug", "json", lines.append))
    with running(device), ExitStack() as stack:
        for _ in range(2):
            link = stack.enter_context(socket.create_connection(address_of(device.endpoints[0]), LONG))
            assert link.recv(1) == b"\xff"
    events = [str(json.loads(line)["event"]) for line in lines]
    return [event for event in events if event not in ("ready", "connected", "stopped")]


def bind(publisher: zmq.Socket[bytes]) -> str:
    publisher.setsockopt(zmq.XPUB_VERBOSER, 1)
    return f"tcp://127.0.0.1:{publisher.bind_to_random_port('tcp://127.0.0.1')}"


def published(forward: Forward, opened: Open, **options: object) -> tuple[zmq.Socket[bytes], str]:
    """Returns a publisher, and the endpoint for subscribers of a forwarder below it with these options."""
    publisher = opened(zmq.XPUB)
    return publisher, forward(bind(publisher), **options)


def bind_again(made: zmq.Socket[bytes], endpoint: str) -> None:
    """Binds to the endpoint of a socket that libzmq closes in the background."""
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


class Peers:
    """Publishers and subscribers on plain sockets; `stack` closes them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def connect(self, endpoint: str, minor: int, kind: bytes = b"SUB") -> socket.socket:
        """Returns a peer after the handshake."""
        link = self._stack.enter_context(socket.create_connection(address_of(endpoint), LONG))
        shake_hands(link, minor, kind)
        return link

    def listen(self) -> tuple[socket.socket, str]:
        """Returns a publisher's listening socket, and its endpoint."""
        server = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        server.settimeout(LONG)
        return server, f"tcp://127.0.0.1:{server.getsockname()[1]}"

    def accept(self, server: socket.socket, minor: int, filters: bytes | None = None) -> socket.socket:
        """Returns a publisher to which the forwarder has connected, after the handshake."""
        link, _ = server.accept()
        self._stack.enter_context(link)
        shake_hands(link, minor, b"PUB", filters)
        return link


def shake_hands(link: socket.socket, minor: int, kind: bytes, filters: bytes | None = None) -> None:
    """Performs both halves of the handshake; `filters` is this side's X-Filters."""
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
    """Encodes a subscription, or a cancellation, in version 3.`minor`."""
    if minor:
        return join_command((zmtp.Subscribe if more else zmtp.Cancel)(topic=topic).encode())
    return bytes(join([(zmtp.Subscription if more else zmtp.Cancellation)(topic=topic).encode()]))


def filter_wish(minor: int, kind: int, data: bytes, *, more: bool = True) -> bytes:
    """Like :func:`wish`, for a filter of another kind than a prefix."""
    if minor:
        return join_command((zmtp.SubscribeX if more else zmtp.CancelX)(kind=kind, filter=data).encode())
    form = zmtp.SubscriptionX if more else zmtp.CancellationX
    return bytes(join([form(kind=kind, filter=data).encode()]))


def receive(link: socket.socket, count: int) -> bytes:
    """Reads the next `count` bytes."""
    got = bytearray()
    while len(got) < count:
        chunk = link.recv(count - len(got))
        assert chunk
        got += chunk
    return bytes(got)


def expect_of(reader: zmq.Socket[bytes], publisher: zmq.Socket[bytes], *steps: bytes) -> None:
    """Like :func:`expect`, for a listening reader: libzmq accepts connections during the socket's calls."""
    for step in steps:
        until(lambda: publisher.poll(5), lambda: reader.poll(5))
        expect(publisher, step)


def receives(link: socket.socket, expected: bytes | memoryview) -> bool:
    """Returns whether the next bytes are these."""
    return receive(link, len(expected)) == expected
