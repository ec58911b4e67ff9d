"""A fast load generator: raw ZMTP over TCP, whole buffers, no parsing on the hot path.

All deliveries of a run have the same size, so a :class:`Sink` counts its deliveries by its bytes. :func:`timed` sends
prepared buffers of many frames. The part of ZMTP 3.0 that this needs is implemented here, without the broker's code.
"""

from __future__ import annotations

import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from processes import cpu_seconds

__all__ = [
    "CHUNK", "Publisher", "Run", "Sink", "Source", "blast", "busiest", "connect", "drain", "exactly", "frame", "timed",
    "wire_size",
]  # fmt: skip

CHUNK = 64
"""Number of messages in a buffer that :func:`timed` sends."""
_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_BUFFER = 1 << 20


class Message(Protocol):
    """A message of a generated codec."""

    def encode(self) -> bytes: ...


class Run(NamedTuple):
    """Results of one run."""

    rate: float
    """Deliveries/s."""
    used: float
    """The server's CPU seconds per million deliveries."""
    busy: float
    """The load's share of its CPU."""

    def __str__(self) -> str:
        return f"{self.rate:,.0f} deliveries/s, {self.used:.2f} CPU s per million, load {self.busy:.0%} of its CPU"


def busiest(seen: Iterable[Sequence[Run]]) -> str:
    """The highest share of its CPU that the load used in any run, as a sentence's end for a note."""
    return f"the load used at most {max(run.busy for runs in seen for run in runs):.0%} of its CPU."


def frame(message: bytes | Message) -> bytes:
    """`message` as one ZMTP message frame."""
    body = message if isinstance(message, bytes) else message.encode()
    if len(body) < 256:
        return bytes((0, len(body))) + body
    return struct.pack(">BQ", 2, len(body)) + body


def wire_size(size: int) -> int:
    """Bytes on the wire of a message of `size` bytes, with the frame's flags and length."""
    return size + (2 if size < 256 else 9)


def exactly(sock: socket.socket, count: int) -> bytes:
    """Read exactly `count` bytes. Raises ConnectionError if the peer closes the connection."""
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            raise ConnectionError(
                f"the peer closed the connection after {len(data)} of {count} expected bytes"
            )
        data += more
    return data


def connect(endpoint: str, kind: bytes = b"DEALER") -> socket.socket:
    """Connect to `endpoint` (tcp://host:port), with the ZMTP NULL handshake of a socket of type `kind`. Reads and sends
    time out after ten seconds. Raises OSError.
    """
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    sock = socket.create_connection((host, int(port)), timeout=10)
    _shake_hands(sock, kind)
    return sock


def _shake_hands(sock: socket.socket, kind: bytes) -> None:
    """Complete the handshake of a socket of type `kind`; READY follows the peer's greeting, as libzmq requires."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.sendall(_GREETING)
    exactly(sock, 64)
    ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    sock.sendall(bytes((4, len(ready))) + ready)
    flags, size = exactly(sock, 2)
    if flags != 4:
        raise ConnectionError(f"expected a READY command, got flags {flags:#04x}")
    exactly(sock, size)


class Source:
    """A DEALER, for a publisher; sends the messages `opening`. Sends and reads do not time out after the handshake."""

    def __init__(self, endpoint: str, *opening: bytes | Message) -> None:
        self.sock = connect(endpoint)
        self.sock.settimeout(None)
        self.send(*opening)

    def send(self, *messages: bytes | Message) -> None:
        self.sock.sendall(b"".join(map(frame, messages)))

    def expect(self, *messages: bytes | Message) -> None:
        """Read exactly as many bytes as these messages have; a Source waits without a timeout, a Sink for ten seconds.
        Raises ConnectionError if they differ or the peer closes the connection, and TimeoutError.
        """
        wire = b"".join(map(frame, messages))
        got = exactly(self.sock, len(wire))
        if got != wire:
            raise ConnectionError(f"expected {wire.hex()}, got {got.hex()}")

    def close(self) -> None:
        self.sock.close()


class Sink(Source):
    """A socket for a subscriber, with the timeout of :func:`connect` until :func:`drain` makes it non-blocking.
    `received` counts the bytes that :func:`drain` has read from it.
    """

    def __init__(self, endpoint: str, *opening: bytes | Message, kind: bytes = b"DEALER") -> None:
        self.sock = connect(endpoint, kind)
        self.received = 0
        self.send(*opening)


class Publisher:
    """A PUB that listens, accepts one connection, and sends prepared buffers to it regardless of its subscriptions."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.sock = self._server

    def accept(self) -> None:
        """Wait at most 30 seconds for the connection, and complete its handshake."""
        self._server.settimeout(30)
        self.sock, _ = self._server.accept()
        self.sock.settimeout(30)
        _shake_hands(self.sock, b"PUB")

    def expect(self, data: bytes) -> None:
        """Read until the peer has sent `data`, 30 seconds at most for each read, and remove the timeout."""
        got = b""
        while data not in got:
            more = self.sock.recv(4096)
            if not more:
                raise ConnectionError("the peer closed the connection")
            got += more
        self.sock.settimeout(None)

    def close(self) -> None:
        self.sock.close()
        self._server.close()


def drain(
    sinks: Sequence[Sink],
    byte_count: int,
    *,
    timeout: float = 120.0,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Read until each sink has counted `byte_count` more bytes. Returns the (monotonic) time of the last read. Makes
    the sockets non-blocking; `progress` gets the bytes counted by all sinks, after each round of reads. Raises
    TimeoutError with the missing bytes if no data arrives for `timeout` seconds, and ConnectionError if a sink gets too
    many bytes or its peer closes the connection.
    """
    selector = selectors.DefaultSelector()
    goal: dict[Sink, int] = {}
    for sink in sinks:
        sink.sock.setblocking(False)
        selector.register(sink.sock, selectors.EVENT_READ, sink)
        goal[sink] = sink.received + byte_count
    buffer = bytearray(_BUFFER)
    waiting = len(sinks)
    while waiting:
        ready = selector.select(timeout)
        if not ready:
            missing = {i: goal[s] - s.received for i, s in enumerate(sinks) if s.received < goal[s]}
            raise TimeoutError(f"no data arrived for {timeout} s; missing bytes by sink: {missing}")
        for key, _ in ready:
            sink = key.data
            count = sink.sock.recv_into(buffer)
            if not count:
                raise ConnectionError("the peer closed a sink's connection")
            sink.received += count
            if sink.received >= goal[sink]:
                if sink.received > goal[sink]:
                    raise ConnectionError(f"a sink received {sink.received - goal[sink]} bytes too many")
                waiting -= 1
                selector.unregister(sink.sock)
        if progress is not None:
            progress(sum(sink.received for sink in sinks))
    selector.close()
    return time.monotonic()


def blast(sock: socket.socket, buffer: bytes, times: int) -> threading.Thread:
    """Start a thread that sends `buffer` `times` times, and return it."""

    def run() -> None:
        for _ in range(times):
            sock.sendall(buffer)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def timed(
    source: Source | Publisher,
    sinks: Sequence[Sink],
    message: bytes | Message,
    size: int,
    messages: int,
    pid: int,
) -> Run:
    """Send `message` `messages` times, a multiple of CHUNK, to the server `pid`, after a warm-up; close the sockets.
    Each sink gets `size` bytes on the wire for each of them.
    """
    buffer, warm = frame(message) * CHUNK, 16
    blast(source.sock, buffer, warm).join()
    drain(sinks, warm * CHUNK * size)
    server, load, start = cpu_seconds(pid), time.process_time(), time.monotonic()
    sender = blast(source.sock, buffer, messages // CHUNK)
    elapsed = drain(sinks, messages * size) - start
    sender.join()
    deliveries = messages * len(sinks)
    busy = (time.process_time() - load) / elapsed
    used = (cpu_seconds(pid) - server) / deliveries * 1e6
    for connection in (source, *sinks):
        connection.close()
    return Run(deliveries / elapsed, used, busy)
