"""A load generator that is not the bottleneck: raw ZMTP over TCP, whole buffers, nothing parsed on the hot path.

A :class:`Sink` plays a DEALER that counts octets; every delivery of one run has the same size, so octets divided by
that size are deliveries. A :class:`Source` plays a DEALER that sends prepared buffers of many frames. Both speak just
enough ZMTP 3.0 for that, and neither uses the broker's code: they drive the broker and its peers alike.
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
    """Octets on the wire of a message of `octets`."""
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
    """A TCP connection to `endpoint` (tcp://host:port) with the ZMTP NULL handshake done. Raises OSError."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    sock = socket.create_connection((host, int(port)), timeout=10)
    _shake_hands(sock, kind)
    return sock


def _shake_hands(sock: socket.socket, kind: bytes) -> None:
    """The handshake of a socket of type `kind`, in whose midst libzmq must not find READY."""
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
    """Counts what arrives on one connection."""

    def __init__(self, endpoint: str, opening: Sequence[bytes] = (), kind: bytes = b"DEALER") -> None:
        self.sock = connect(endpoint, kind)
        self.octets = 0
        if opening:
            self.send(opening)

    def send(self, messages: Sequence[bytes]) -> None:
        self.sock.sendall(b"".join(map(frame, messages)))

    def expect(self, message: bytes) -> None:
        """Read one message that must be `message`; its octets are not counted."""
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
    """A PUB that listens, takes one connection, and sends prepared buffers to it whatever it asked for."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.sock = self._server

    def accept(self) -> None:
        """Wait for the one who connects."""
        self._server.settimeout(30)
        self.sock, _ = self._server.accept()
        self.sock.settimeout(30)
        _shake_hands(self.sock, b"PUB")

    def expect(self, octets: bytes) -> None:
        """Wait until it has asked for something, in these octets."""
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
    """Read until each sink has counted `octets` more octets, and return the time (monotonic) of the last.

    Raises TimeoutError with what is missing when nothing arrives for `timeout` seconds.
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
            raise TimeoutError(f"nothing arrived for {timeout} s; octets missing by sink: {missing}")
        for key, _ in ready:
            sink = key.data
            count = sink.sock.recv_into(buffer)
            if not count:
                raise ConnectionError("the peer closed a sink's connection")
            sink.octets += count
            if sink.octets >= goal[sink]:
                if sink.octets > goal[sink]:
                    raise ConnectionError(f"a sink got {sink.octets - goal[sink]} octets too many")
                waiting -= 1
                selector.unregister(sink.sock)
        if progress is not None:
            progress(sum(sink.octets for sink in sinks))
    selector.close()
    return time.monotonic()
