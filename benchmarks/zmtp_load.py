"""A fast load generator: raw ZMTP over TCP, whole buffers, no parsing on the hot path.

A :class:`Sink` is a DEALER that counts bytes; all deliveries of a run have the same size, so the number of deliveries
is the number of bytes divided by that size. A :class:`Source` is a DEALER that sends prepared buffers of many frames.
Both implement the part of ZMTP 3.0 that this needs, without the broker's code, for the broker and its peers.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence

__all__ = ["Publisher", "Sink", "Source", "connect", "drain", "frame", "wire_size"]

_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_BUFFER = 1 << 20


def frame(body: bytes) -> bytes:
    """`body` as one ZMTP message frame."""
    if len(body) < 256:
        return bytes((0, len(body))) + body
    return struct.pack(">BQ", 2, len(body)) + body


def wire_size(octets: int) -> int:
    """Bytes on the wire of a message of `octets` bytes."""
    return octets + (2 if octets < 256 else 9)


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            raise ConnectionError("the peer closed the connection during the handshake")
        data += more
    return data


def connect(endpoint: str, kind: bytes = b"DEALER") -> socket.socket:
    """Connect to `endpoint` (tcp://host:port), and complete the ZMTP NULL handshake. Raises OSError."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    sock = socket.create_connection((host, int(port)), timeout=10)
    _shake_hands(sock, kind)
    return sock


def _shake_hands(sock: socket.socket, kind: bytes) -> None:
    """Complete the handshake of a socket of type `kind`.

    READY is sent only after the peer's greeting, as libzmq requires.
    """
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.sendall(_GREETING)
    _exactly(sock, 64)
    ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    sock.sendall(bytes((4, len(ready))) + ready)
    flags, size = _exactly(sock, 2)
    if flags != 4:
        raise ConnectionError(f"expected a READY command, got flags {flags:#04x}")
    _exactly(sock, size)


class Sink:
    """Counts the bytes received on one connection."""

    def __init__(self, endpoint: str, opening: Sequence[bytes] = (), kind: bytes = b"DEALER") -> None:
        self.sock = connect(endpoint, kind)
        self.octets = 0
        if opening:
            self.send(opening)

    def send(self, messages: Sequence[bytes]) -> None:
        self.sock.sendall(b"".join(map(frame, messages)))

    def expect(self, message: bytes) -> None:
        """Read one message, which must be `message`; its bytes are not counted."""
        wire = frame(message)
        got = _exactly(self.sock, len(wire))
        if got != wire:
            raise ConnectionError(f"expected {wire.hex()}, got {got.hex()}")

    def close(self) -> None:
        self.sock.close()


class Source:
    """Sends prepared buffers."""

    def __init__(self, endpoint: str, opening: Sequence[bytes] = ()) -> None:
        self.sock = connect(endpoint)
        self.sock.settimeout(None)
        if opening:
            self.sock.sendall(b"".join(map(frame, opening)))

    def expect(self, message: bytes) -> None:
        wire = frame(message)
        got = _exactly(self.sock, len(wire))
        if got != wire:
            raise ConnectionError(f"expected {wire.hex()}, got {got.hex()}")

    def send(self, buffer: bytes) -> None:
        self.sock.sendall(buffer)

    def close(self) -> None:
        self.sock.close()


class Publisher:
    """A PUB that listens, accepts one connection, and sends prepared buffers to it regardless of its subscriptions."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.sock = self._server

    def accept(self) -> None:
        """Wait for the connection."""
        self._server.settimeout(30)
        self.sock, _ = self._server.accept()
        self.sock.settimeout(30)
        _shake_hands(self.sock, b"PUB")

    def expect(self, octets: bytes) -> None:
        """Wait until the peer has sent `octets`."""
        got = b""
        while octets not in got:
            more = self.sock.recv(4096)
            if not more:
                raise ConnectionError("the peer closed the connection")
            got += more
        self.sock.settimeout(None)

    def send(self, buffer: bytes) -> None:
        self.sock.sendall(buffer)

    def close(self) -> None:
        self.sock.close()
        self._server.close()


def drain(
    sinks: Sequence[Sink],
    octets: int,
    *,
    timeout: float = 120.0,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Read until each sink has counted `octets` more bytes. Returns the (monotonic) time of the last read.

    Raises TimeoutError with the missing bytes if no data arrives for `timeout` seconds.
    """
    selector = selectors.DefaultSelector()
    goal: dict[Sink, int] = {}
    for sink in sinks:
        sink.sock.setblocking(False)
        selector.register(sink.sock, selectors.EVENT_READ, sink)
        goal[sink] = sink.octets + octets
    buffer = bytearray(_BUFFER)
    waiting = len(sinks)
    while waiting:
        ready = selector.select(timeout)
        if not ready:
            missing = {i: goal[s] - s.octets for i, s in enumerate(sinks) if s.octets < goal[s]}
            raise TimeoutError(f"no data arrived for {timeout} s; missing bytes by sink: {missing}")
        for key, _ in ready:
            sink = key.data
            count = sink.sock.recv_into(buffer)
            if not count:
                raise ConnectionError("the peer closed a sink's connection")
            sink.octets += count
            if sink.octets >= goal[sink]:
                if sink.octets > goal[sink]:
                    raise ConnectionError(f"a sink received {sink.octets - goal[sink]} bytes too many")
                waiting -= 1
                selector.unregister(sink.sock)
        if progress is not None:
            progress(sum(sink.octets for sink in sinks))
    selector.close()
    return time.monotonic()
