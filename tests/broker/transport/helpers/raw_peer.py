"""A peer on a plain socket that sends and reads raw bytes."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from transport_helpers import LONG, address_of

from zeps_broker.transport.zmtp.connection import Connection, Limits
from zeps_broker.transport.zmtp.frames import join_command
from zeps_broker.transport.zmtp.router_connection import RouterConnection
from zeps_broker.transport.zmtp.router_transport import RouterTransport
from zeps_wire import zmtp, zmtp_frame

GREETING_3_0, GREETING = (
    zmtp.Greeting(major=3, minor=minor, mechanism=b"NULL".ljust(20, b"\0"), as_server=0).encode()
    for minor in (0, 1)
)


def ready(kind: bytes = b"DEALER", *more: tuple[bytes, bytes]) -> bytes:
    return join_command(zmtp.Ready(properties=((b"Socket-Type", kind), *more)).encode())


def message(body: bytes, *, more: bool = False, long: bool = False) -> bytes:
    if long or len(body) > 255:
        return (zmtp_frame.LongMore(body=body) if more else zmtp_frame.LongLast(body=body)).encode()
    return (zmtp_frame.More(body=body) if more else zmtp_frame.Last(body=body)).encode()


def ping(ttl: int = 0, context: bytes = b"") -> bytes:
    return join_command(zmtp.Ping(ttl=ttl, context=context).encode())


@contextmanager
def unconnected(
    limits: Limits, kind: type[Connection] = RouterConnection, said: bytes = b""
) -> Iterator[tuple[Connection, socket.socket]]:
    """A connection without a hub that was fed with `said`, and its peer's socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        connection = kind(ours, "peer", limits)
        assert connection.feed(said) == []
        yield connection, theirs
        connection.end()


class Raw:
    """A peer on a plain socket."""

    def __init__(self, router: RouterTransport) -> None:
        self.router = router
        self.socket = socket.create_connection(address_of(router.endpoints[0]))
        self.got = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def close(self) -> None:
        self.socket.close()

    def expect(self, expected: bytes) -> None:
        """Reads the next bytes, while the router runs."""
        while len(self.got) < len(expected) and self._read():
            pass
        assert self.got[: len(expected)] == expected
        self.got = self.got[len(expected) :]

    def expect_closed(self) -> None:
        """Waits until the router closes the connection."""
        while self._read():
            pass

    def _read(self) -> bool:
        limit = time.monotonic() + LONG
        while time.monotonic() < limit:
            self.router.receive(0.0)
            self.socket.settimeout(0.02)
            try:
                chunk = self.socket.recv(65536)
            except TimeoutError:
                continue
            except ConnectionResetError:
                return False
            self.got += chunk
            return bool(chunk)
        raise AssertionError(f"nothing came; before: {self.got!r}")
