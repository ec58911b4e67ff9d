"""Connection on a plain socket: reading, writing, and the reason of its end."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable
from typing import ClassVar, Self

from zeps_conformance.common.traffic import End
from zeps_conformance.common.wirelog import WireLog

__all__ = ["ConnectionLostError", "Link"]

READ_SIZE = 1 << 18
WRITE_SIZE = 1 << 20


class ConnectionLostError(Exception):
    """The connection ended (closed, reset, refused, ZMTP violated), or a wait timed out. The text is the reason."""


class Link:
    """One connection. All times are in seconds; all calls belong to one thread. `lost` is None while it is open, then
    the reason of its end. Sending also reads; a subclass processes the bytes that were read in :meth:`arrived`.
    """

    OTHER: ClassVar[str] = "the other side"

    def __init__(self, link: socket.socket, name: str, log: WireLog) -> None:
        self.name = name
        self.log = log
        self.lost: str | None = None
        self._link = link
        self._link.setblocking(False)
        self._outbox = bytearray()
        traffic = log.traffic
        self._record = None if traffic is None else traffic.connection(link, name, log.elapsed())

    def arrived(self, data: bytes) -> None:
        """Processes bytes that were read; called by :meth:`pump`. It must end the connection if they violate ZMTP."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the connection in order, if it is open: bytes that were sent still arrive."""
        if self.lost is None:
            self.end("closed by the suite", End.BY_SUITE)

    def reset(self) -> None:
        """Resets the connection (RST): bytes that were sent may be lost."""
        if self.lost is None:
            self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.end("reset by the suite", End.RESET_BY_SUITE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        """Reads and writes until `done`; `what` names the wait in errors. Raises ConnectionLostError if the connection
        ends before, or after `timeout` seconds.
        """
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

    def write(self, data: bytes, patience: float = 30.0) -> None:
        """Sends `data`, and waits until the socket has accepted them, or the connection ends meanwhile. Raises
        ConnectionLostError on timeout, or if the connection has ended before.
        """
        self._outbox += data
        self.wait_until(lambda: not self._outbox, patience, "sending")

    def pump(self, wait: float) -> None:
        """Waits at most `wait` seconds, then reads and writes once. A socket error only ends the connection."""
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
                self._recorded(True, self._outbox, sent)
                del self._outbox[:sent]
        except BlockingIOError:
            return
        except OSError as error:
            self.end(f"lost: {error.strerror or error}", End.LOST)

    def end(self, how: str, end: End = End.BY_SUITE) -> None:
        """Closes the socket, drops unsent bytes and sets `lost`; `how` completes "the connection was". `end` is for the
        recorded traffic.
        """
        self.lost = f"the connection was {how}"
        self._outbox.clear()
        self._link.close()
        self.log.note(self.name, "close", how)
        if self.log.traffic is not None and self._record is not None:
            self.log.traffic.ended(self._record, self.log.elapsed(), end)

    def _recorded(self, sent: bool, data: bytes | bytearray, size: int) -> None:
        """Records the first `size` bytes of `data`, if the case's traffic is recorded."""
        if self.log.traffic is not None and self._record is not None:
            self.log.traffic.add(self._record, self.log.elapsed(), sent, bytes(data[:size]))

    def _read(self) -> None:
        data = self._link.recv(READ_SIZE)
        if data:
            self._recorded(False, data, len(data))
            self.arrived(data)
        else:
            self.end(f"closed by {self.OTHER}", End.BY_PEER)
