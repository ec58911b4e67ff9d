"""A DEALER that speaks ZMTP over one plain socket, and can break every rule above the socket on request."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

from zeps_conformance.raw.endpoint import Endpoint
from zeps_conformance.raw.wirelog import KEEP, WireLog
from zeps_conformance.raw.zmtp import Command, Engine, Event, Message, ZmtpError, message_frames

__all__ = ["ConnectionLostError", "Peer"]

READ_SIZE = 1 << 18


class ConnectionLostError(Exception):
    """The connection is over: closed, reset, refused, or the other side broke ZMTP. The text says which."""


class Peer:
    """One connection. All times are in seconds; all calls belong to one thread.

    Sending reads as well, so that a broker that waits for us to read cannot make both sides wait.
    """

    def __init__(
        self, link: socket.socket, name: str, log: WireLog, describe: Callable[[bytes], str]
    ) -> None:
        self.name = name
        self.log = log
        self.lost: str | None = None
        self._link = link
        self._link.setblocking(False)
        self._engine = Engine(b"DEALER")
        self._answers = False  # whether ZMTP is answered without being asked
        self._describe = describe
        self._inbox: deque[tuple[bytes, ...]] = deque()
        self._outbox = bytearray()

    @classmethod
    def connect(
        cls, endpoint: Endpoint, name: str, log: WireLog, describe: Callable[[bytes], str], timeout: float
    ) -> Peer:
        """A peer with a completed handshake.

        ConnectionLostError if that takes longer than `timeout`, or fails.
        """
        peer = cls.dial(endpoint, name, log, describe, timeout)
        peer._answers = True
        try:
            peer.send_raw(peer._engine.opening(), "greeting")
            peer._await(lambda: peer._engine.ready, timeout, "the ZMTP handshake")
        except ConnectionLostError:
            peer.close()
            raise
        return peer

    @classmethod
    def dial(
        cls, endpoint: Endpoint, name: str, log: WireLog, describe: Callable[[bytes], str], timeout: float
    ) -> Peer:
        """A peer that has connected, and says nothing but what it is told to: no READY, no PONG.

        ConnectionLostError if nothing accepts.
        """
        try:
            link = endpoint.connect(timeout)
        except OSError as error:
            reason = error.strerror or str(error)
            log.note(name, "close", f"cannot connect: {reason}")
            raise ConnectionLostError(f"cannot connect to {endpoint.text}: {reason}") from error
        log.note(name, "open", f"connected to {endpoint.text}")
        return cls(link, name, log, describe)

    def send(self, *parts: bytes) -> None:
        """One message of one or more parts. ConnectionLostError if it cannot be sent."""
        text = self._describe(parts[0]) if len(parts) == 1 and len(parts[0]) > KEEP else ""
        self.log.message(self.name, ">", parts, text)
        self._write(message_frames(parts))

    def send_together(self, frames: list[bytes]) -> None:
        """Several messages of one part each, handed to the socket in one write."""
        for frame in frames:
            self.log.message(self.name, ">", (frame,), self._describe(frame) if len(frame) > KEEP else "")
        self._write(b"".join(message_frames((frame,)) for frame in frames))

    def send_raw(self, octets: bytes, text: str = "octets below ZMTP") -> None:
        """Octets that go to the socket as they are."""
        self.log.frame(self.name, ">", "raw", octets, text)
        self._write(octets)

    def receive(self, timeout: float) -> tuple[bytes, ...] | None:
        """The next message, all its parts; None if none comes within `timeout`.

        What arrived before the connection was lost is still handed out; then ConnectionLostError.
        """
        if not self._inbox:
            deadline = time.monotonic() + timeout
            while not self._inbox and self.lost is None:
                left = deadline - time.monotonic()
                self._pump(max(left, 0.0))
                if left <= 0:
                    break
        if self._inbox:
            return self._inbox.popleft()
        if self.lost is not None:
            raise ConnectionLostError(self.lost)
        return None

    def listen(self, seconds: float) -> None:
        """Log what comes for so long; that the connection is lost meanwhile is no error."""
        deadline = time.monotonic() + seconds
        while self.lost is None and (left := deadline - time.monotonic()) > 0:
            self._pump(left)

    def close(self) -> None:
        """Close in order: what was sent still arrives."""
        if self.lost is None:
            self._end("closed by the suite")

    def reset(self) -> None:
        """Close at once with RST: what was sent may or may not arrive."""
        if self.lost is None:
            self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._end("reset by the suite")

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _await(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        deadline = time.monotonic() + timeout
        while not done():
            left = deadline - time.monotonic()
            if self.lost is None and left > 0:
                self._pump(left)
            if done():
                return
            if self.lost is not None:
                raise ConnectionLostError(f"{self.lost} during {what}")
            if left <= 0:
                raise ConnectionLostError(f"{what} took longer than {timeout:g} s")

    def _write(self, octets: bytes, patience: float = 30.0) -> None:
        self._outbox += octets
        self._await(lambda: not self._outbox, patience, "sending")

    def _pump(self, wait: float) -> None:
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
                sent = self._link.send(memoryview(self._outbox)[: 1 << 20])
                del self._outbox[:sent]
        except BlockingIOError:
            return
        except OSError as error:
            self._end(f"lost: {error.strerror or error}")

    def _read(self) -> None:
        octets = self._link.recv(READ_SIZE)
        if not octets:
            self._end("closed by the broker")
            return
        try:
            events = self._engine.feed(octets)
        except ZmtpError as error:
            self._end(f"over, the broker breaks ZMTP: {error}")
            return
        if self._engine.answers:
            self._outbox += self._engine.answers if self._answers else b""
            self._engine.answers.clear()
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, Message):
            text = self._describe(event.parts[0]) if len(event.parts[0]) > KEEP else ""
            self.log.message(self.name, "<", event.parts, text)
            self._inbox.append(event.parts)
        elif isinstance(event, Command):
            self.log.frame(self.name, "<", "command", event.data, event.name)
        else:
            self.log.note(
                self.name, "open", f"handshake complete, the peer is {_socket_type(event.properties)}"
            )

    def _end(self, how: str) -> None:
        self.lost = f"the connection was {how}"
        self._outbox.clear()
        self._link.close()
        self.log.note(self.name, "close", how)


def _socket_type(properties: dict[str, bytes]) -> str:
    return ascii(properties.get("socket-type", b"").decode("latin-1")) if properties else "unnamed"
