"""One plain socket: octets in, octets out, and how it ended."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable
from typing import ClassVar, Self

from zeps_conformance.common.wirelog import WireLog

__all__ = ["ConnectionLostError", "Link"]

READ_SIZE = 1 << 18
WRITE_SIZE = 1 << 20


class ConnectionLostError(Exception):
    """The connection is over: closed, reset, refused, or the other side broke ZMTP. The text says which."""


class Link:
    """One connection. All times are in seconds; all calls belong to one thread.

    Sending reads as well, so that another side that waits for us to read cannot make both sides wait. A subclass says
    in :meth:`arrived` what to do with what was read.
    """

    OTHER: ClassVar[str] = "the other side"

    def __init__(self, link: socket.socket, name: str, log: WireLog) -> None:
        self.name = name
        self.log = log
        self.lost: str | None = None
        self._link = link
        self._link.setblocking(False)
        self._outbox = bytearray()

    def arrived(self, octets: bytes) -> None:
        """Take in what was read. ZmtpError ends the connection."""
        raise NotImplementedError

    def close(self) -> None:
        """Close in order: what was sent still arrives."""
        if self.lost is None:
            self.end("closed by the suite")

    def reset(self) -> None:
        """Close at once with RST: what was sent may or may not arrive."""
        if self.lost is None:
            self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.end("reset by the suite")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        """Read and write until `done`. ConnectionLostError if the connection or the time is over before."""
        deadline = time.monotonic() + timeout
        while not done():
            left = deadline - time.monotonic()
            if self.lost is None and left > 0:
                self.pump(left)
            if done():
                return
            if self.lost is not None:
                raise ConnectionLostError(f"{self.lost} during {what}")
            if left <= 0:
                raise ConnectionLostError(f"{what} took longer than {timeout:g} s")

    def write(self, octets: bytes, patience: float = 30.0) -> None:
        """Send `octets`, and wait until the socket has them. ConnectionLostError as for :meth:`wait_until`."""
        self._outbox += octets
        self.wait_until(lambda: not self._outbox, patience, "sending")

    def pump(self, wait: float) -> None:
        """Read and write what can be read and written, waiting at most `wait` for either."""
        interest = select.POLLIN | (select.POLLOUT if self._outbox else 0)
        poll = select.poll()
        poll.register(self._link, interest)
        ready = poll.poll(wait * 1000)
        try:
            for _, events in ready:
                if events & (select.POLLIN | select.POLLHUP | select.POLLERR):
                    self._read()
            if self._outbox:
                sent = self._link.send(memoryview(self._outbox)[:WRITE_SIZE])
                del self._outbox[:sent]
        except BlockingIOError:
            return
        except OSError as error:
            self.end(f"lost: {error.strerror or error}")

    def end(self, how: str) -> None:
        """Close the socket; `how` is what :attr:`lost` will say."""
        self.lost = f"the connection was {how}"
        self._outbox.clear()
        self._link.close()
        self.log.note(self.name, "close", how)

    def _read(self) -> None:
        octets = self._link.recv(READ_SIZE)
        if octets:
            self.arrived(octets)
        else:
            self.end(f"closed by {self.OTHER}")
