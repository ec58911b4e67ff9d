"""The raw peer over real sockets: with a test listener, with libzmq, and with peers that violate the protocol."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq

from zeps_conformance.broker.peer import BrokerPeer, ConnectionLostError
from zeps_conformance.common.wirelog import KEEP, WireLog
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote, RouterServer
from zeps_conformance.wire.zmtp_codec import packaged_wire

PATIENCE = 20.0
WIRE = packaged_wire()


class Parrot(RouterServer):
    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        remote.send(*parts)


def connect(endpoint: str, log: WireLog | None = None, timeout: float = PATIENCE) -> BrokerPeer:
    return BrokerPeer.connect(
        parse_endpoint(endpoint), "A", log or WireLog(), lambda data: f"{len(data)} bytes", timeout
    )


@pytest.fixture
def parrot() -> Iterator[Parrot]:
    with Parrot() as listener:
        yield listener


def test_messages_of_one_and_several_parts(parrot: Parrot) -> None:
    with connect(parrot.endpoint) as peer:
        for parts in ((b"",), (b"one",), (b"a", b"", b"c"), (bytes(300),), (b"x" * 255, b"y" * 256)):
            peer.send(*parts)
            assert peer.receive(PATIENCE) == parts
        assert peer.receive(0.0) is None


def test_large_messages_both_ways_at_once(parrot: Parrot) -> None:
    with connect(parrot.endpoint) as peer:
        bodies = [bytes((index,)) * 3_000_000 for index in range(6)]
        peer.send_together(bodies)
        assert [peer.receive(PATIENCE) for _ in bodies] == [(body,) for body in bodies]


def test_the_log_has_every_frame_in_both_directions(parrot: Parrot) -> None:
    log = WireLog()
    with connect(parrot.endpoint, log) as peer:
        peer.send(b"one", b"two")
        peer.receive(PATIENCE)
        peer.send(bytes(KEEP + 1))
        peer.receive(PATIENCE)
    frames = [
        (entry.direction, entry.size, entry.part, entry.parts)
        for entry in log.lines
        if entry.kind == "message"
    ]
    assert frames == [(way, size, part, 2) for way in "><" for size, part in ((3, 1), (3, 2))] + [
        (">", KEEP + 1, 1, 1),
        ("<", KEEP + 1, 1, 1),
    ]
    assert log.lines[-1].text == "closed by the suite"
    assert {entry.text for entry in log.lines if entry.size == KEEP + 1} == {f"{KEEP + 1} bytes"}
    times = [entry.at for entry in log.lines]
    assert times == sorted(times)


def test_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ConnectionLostError, match="cannot connect"):
        connect(f"tcp://127.0.0.1:{port}")


def test_what_arrived_before_the_end_is_handed_out() -> None:
    class Farewell(RouterServer):
        def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
            remote.send(b"goodbye")
            self.hang_up(remote)

    with Farewell() as listener, connect(listener.endpoint) as peer:
        peer.send(b"hello")
        assert peer.receive(PATIENCE) == (b"goodbye",)
        with pytest.raises(ConnectionLostError, match="closed by the broker"):
            peer.receive(PATIENCE)
        with pytest.raises(ConnectionLostError):
            peer.send(b"more")


def test_a_reset_is_seen_by_the_other_side() -> None:
    seen = threading.Event()

    class Watcher(Parrot):
        def gone(self, remote: Remote) -> None:
            seen.set()

    with Watcher() as listener:
        connect(listener.endpoint).reset()
        assert seen.wait(PATIENCE)


def serve_once(script: Callable[[socket.socket], None]) -> tuple[str, threading.Thread]:
    server = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        link, _ = server.accept()
        with server, link:
            script(link)

    thread = threading.Thread(target=run)
    thread.start()
    return f"tcp://127.0.0.1:{server.getsockname()[1]}", thread


def test_ten_bytes_of_greeting_are_not_waited_out() -> None:
    """libzmq sends ten bytes, and the rest only after it has received the peer's."""

    def reluctant(link: socket.socket) -> None:
        link.sendall(WIRE.greeting()[:10])
        received = b""
        while len(received) < 64:
            received += link.recv(64 - len(received))
        assert received == WIRE.greeting()
        link.sendall(WIRE.greeting()[10:] + WIRE.ready(b"ROUTER") + WIRE.message(b"hi"))
        link.recv(100)

    endpoint, thread = serve_once(reluctant)
    with connect(endpoint) as peer:
        assert peer.receive(PATIENCE) == (b"hi",)
    thread.join()


def test_a_broker_that_breaks_zmtp_is_told_apart() -> None:
    endpoint, thread = serve_once(lambda link: link.sendall(b"220 mail.example ESMTP\r\n"))
    with pytest.raises(ConnectionLostError, match="the broker violates ZMTP"):
        connect(endpoint)
    thread.join()


def test_a_handshake_that_never_ends() -> None:
    done = threading.Event()
    endpoint, thread = serve_once(lambda link: done.wait(PATIENCE) and None)
    with pytest.raises(ConnectionLostError, match=r"the ZMTP handshake took longer than 0\.05 s"):
        connect(endpoint, timeout=0.05)
    done.set()
    thread.join()


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_against_libzmq(transport: str, tmp_path: Path) -> None:
    log = WireLog()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger = 0
        router.setsockopt(zmq.HEARTBEAT_IVL, 10)
        # Without it libzmq closes a connection that does not answer one PING for HEARTBEAT_IVL.
        router.setsockopt(zmq.HEARTBEAT_TIMEOUT, int(PATIENCE * 1000))
        router.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        router.bind("tcp://127.0.0.1:*" if transport == "tcp" else f"ipc://{tmp_path}/router")
        with connect(router.getsockopt_string(zmq.LAST_ENDPOINT), log) as peer:
            peer.send(b"one", b"", b"three")
            identity, *parts = router.recv_multipart()
            assert parts == [b"one", b"", b"three"]
            router.send_multipart([identity, bytes(70_000)])
            assert peer.receive(PATIENCE) == (bytes(70_000),)
            while not any(entry.text == "PING" for entry in log.lines):
                assert peer.receive(0.02) is None
            peer.send(b"still here")
            assert router.recv_multipart()[1:] == [b"still here"]


def test_libzmq_talks_to_our_listener(parrot: Parrot) -> None:
    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.linger = 0
        dealer.connect(parrot.endpoint)
        dealer.send_multipart([b"a", bytes(1000)])
        assert dealer.recv_multipart() == [b"a", bytes(1000)]


def test_what_is_only_dialled_says_nothing_of_itself() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        endpoint = parse_endpoint(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        with BrokerPeer.dial(endpoint, "A", WireLog(), lambda _: "", PATIENCE) as peer:
            link, _ = server.accept()
            with link:
                link.sendall(WIRE.greeting() + WIRE.ready(b"ROUTER"))
                peer.send_raw(b"half a greeting")
                peer.listen(0.05)
                peer.close()
                said = b""
                while more := link.recv(4096):
                    said += more
    assert said == b"half a greeting"
