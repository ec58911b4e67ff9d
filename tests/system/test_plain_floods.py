"""Peers of `zeps forward` and of a gateway that send messages and topics without end, and the effect on others."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from attacker_links import opening
from harness import PATIENCE, BrokerProcess, eventually
from zeps_process import ZepsProcess

from zeps_broker.transport.zmtp.frames import join, join_parts
from zeps_wire import zmtp

Launch = Callable[..., BrokerProcess]
TOPICS_MAX = 10_000
MEMORY_BYTES_MAX = 640 << 20
"""Memory of a broker. A peer may have half of the share for topics, a twentieth: 16 MiB, as of a forwarder."""


@dataclass
class Server:
    """A process that plain sockets connect to."""

    process: ZepsProcess
    folder: Path
    """Its endpoints, `below` for SUB and `above` for PUB."""
    links: list[socket.socket] = field(default_factory=list)

    def connect(self, kind: str) -> socket.socket:
        """Returns a SUB or PUB on a plain socket after the handshake."""
        link = socket.socket(socket.AF_UNIX)
        self.links.append(link)
        link.settimeout(PATIENCE)
        link.connect(str(self.folder / ("below" if kind == "SUB" else "above")))
        link.sendall(opening(socket_type=kind.encode()))
        head = receive(link, 66)
        receive(link, head[65])
        return link

    def why_closed(self) -> tuple[str, int]:
        """Returns the logged reason for which the first connection was closed, and the number of closed connections."""
        records = eventually("the log says why", lambda: self.process.log("over-limit"))
        return records[0]["reason"], records[-1]["closed"]


@pytest.fixture(params=["forward", "gateway"])
def server(request: pytest.FixtureRequest, tmp_path: Path, launch: Launch) -> Iterator[Server]:
    with forward(tmp_path) if request.param == "forward" else gateway(tmp_path, launch) as made:
        yield made
        for link in made.links:
            link.close()


@contextmanager
def gateway(folder: Path, launch: Launch) -> Iterator[Server]:
    gateways = (
        f'[gateways.s]\nsubscribers = ["ipc://{folder}/below"]\npublishers = ["ipc://{folder}/above"]\n'
    )
    broker = launch(config=f"{gateways}[limits]\nmemory_bytes_max = {MEMORY_BYTES_MAX}\n")
    yield Server(broker, folder)


@contextmanager
def forward(folder: Path) -> Iterator[Server]:
    ends = ("--downstream", f"ipc://{folder}/below", "--upstream-bind", f"ipc://{folder}/above")
    forwarder = ZepsProcess(folder / "forwarder.log", "forward", "--log-format", "json", *ends)
    try:
        forwarder.start()
        yield Server(forwarder, folder)
    finally:
        forwarder.end()


def receive(link: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        more = link.recv(count - len(got))
        assert more, "the connection was closed"
        got += more
    return got


def subscriptions(*topics: bytes, more: bool = True) -> bytes:
    form = zmtp.Subscription if more else zmtp.Cancellation
    return bytes(join([form(topic=topic).encode() for topic in topics]))


def numbered(count: int) -> list[bytes]:
    return [b"topic %d" % number for number in range(count)]


def flood(link: socket.socket, chunk: bytes, times: int) -> bool:
    """Sends until the peer closes the connection; returns False if it takes everything."""
    try:
        for _ in range(times):
            link.sendall(chunk)
        link.settimeout(PATIENCE / 4)
        while link.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


class Pair:
    """A well-behaved subscriber and publisher."""

    def __init__(self, server: Server) -> None:
        self.publisher = server.connect("PUB")
        self.subscriber = server.connect("SUB")
        self.subscriber.sendall(subscriptions(b"innocent"))
        self.message = join_parts([b"innocent", b"body"])
        self.subscriber.settimeout(0.1)

        def connected() -> bool:
            self.publisher.sendall(self.message)
            try:
                return bool(self.subscriber.recv(1 << 16))
            except TimeoutError:
                return False

        eventually("a message comes through", connected)
        self.subscriber.settimeout(PATIENCE)
        self.exchange()

    def exchange(self) -> None:
        """Waits until a new message arrives."""
        last = join_parts([b"innocent", os.urandom(8)])
        self.publisher.sendall(last)
        got = b""
        while not got.endswith(last):
            got += receive(self.subscriber, 1)


@pytest.mark.parametrize("kind", ["SUB", "PUB"])
def test_a_message_that_never_ends_is_cut_off(server: Server, kind: str) -> None:
    innocent = Pair(server)
    before = server.process.memory()
    greedy = server.connect(kind)
    assert flood(greedy, b"\1\0" * (1 << 16), 20)
    innocent.exchange()
    assert server.process.memory() - before < 48 << 20
    reason, closed = server.why_closed()
    assert reason.startswith("a message of more than")
    assert closed == 1


def test_a_subscriber_with_too_many_topics_is_closed_and_others_keep_theirs(server: Server) -> None:
    innocent = Pair(server)
    full = server.connect("SUB")
    full.sendall(subscriptions(*numbered(TOPICS_MAX - 1), b"innocent"))
    before = server.process.memory()
    greedy = server.connect("SUB")
    assert flood(greedy, subscriptions(*numbered(100_000)), 1)
    innocent.exchange()
    assert server.process.memory() - before < 64 << 20
    innocent.exchange()
    assert full.recv(1 << 16).startswith(b"\1\x08innocent")
    reason, closed = server.why_closed()
    assert reason == f"more than {TOPICS_MAX} subscriptions"
    assert closed == 1


def test_topics_that_are_too_long_together_are_refused(server: Server) -> None:
    innocent = Pair(server)
    greedy = server.connect("SUB")
    topic = bytes(1 << 20)
    assert flood(greedy, b"".join(subscriptions(b"%d" % n + topic) for n in range(17)), 1)
    innocent.exchange()
    reason, _ = server.why_closed()
    assert reason == "topics of more than 16777216 bytes"


def test_cancelling_and_leaving_give_back(server: Server) -> None:
    innocent = Pair(server)
    topics = numbered(TOPICS_MAX - 1)
    for _ in range(2):  # the first frees its topics by leaving
        link = server.connect("SUB")
        link.sendall(subscriptions(*topics) + subscriptions(*topics, more=False))
        link.sendall(subscriptions(*topics, b"innocent"))
        link.setblocking(False)
        while not select.select([link], [], [], 0.01)[0]:
            innocent.exchange()
        link.close()
    assert server.process.log("over-limit") == []
