"""A DEALER on a plain socket that can break every rule above the transport on request."""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from zeps_conformance.broker.expected import Expected
from zeps_conformance.common.wirelog import KEEP, WireLog
from zeps_conformance.wire.endpoint import Endpoint
from zeps_conformance.wire.link import ConnectionLostError, Link
from zeps_conformance.wire.zmtp_codec import packaged_wire
from zeps_conformance.wire.zmtp_engine import Engine, Event, ReceivedCommand, ReceivedMessage, ZmtpError

__all__ = ["ATTENTION", "BrokerPeer", "ConnectionLostError"]

NARROW = 1 << 14  # bytes
ATTENTION = 0.25  # seconds of waiting after which a case maintains its other connections


class BrokerPeer(Link):
    """A connection that buffers messages for :meth:`receive`. `describe` formats a frame for the log. Methods that send
    raise ConnectionLostError if the connection has ended. `attend` is called several times a second during waits;
    `pace` multiplies the time for which sending may wait.
    """

    OTHER: ClassVar[str] = "the broker"

    def __init__(
        self, link: socket.socket, name: str, log: WireLog, describe: Callable[[bytes], str]
    ) -> None:
        super().__init__(link, name, log)
        self._wire = packaged_wire()
        self._engine = Engine(b"DEALER", wire=self._wire)
        self._answers = False  # whether ZMTP is answered automatically
        self._describe = describe
        self._inbox: deque[tuple[bytes, ...]] = deque()
        self._expected: Expected | None = None
        self.pace = 1.0
        self.attend: Callable[[], None] = lambda: None

    @classmethod
    def connect(
        cls,
        endpoint: Endpoint,
        name: str,
        log: WireLog,
        describe: Callable[[bytes], str],
        timeout: float,
        routing_id: bytes = b"",
    ) -> BrokerPeer:
        """Returns a peer with a complete handshake, which answers ZMTP's PING; it requests a non-empty `routing_id`.
        Raises ConnectionLostError if the handshake fails, or takes longer than `timeout` seconds.
        """
        peer = cls.dial(endpoint, name, log, describe, timeout)
        peer._answers = True
        peer._engine.identity = routing_id
        try:
            peer.send_raw(peer._engine.opening(), "greeting")
            peer.wait_until(lambda: peer._engine.ready, timeout, "the ZMTP handshake")
        except ConnectionLostError:
            peer.close()
            raise
        return peer

    @classmethod
    def dial(
        cls, endpoint: Endpoint, name: str, log: WireLog, describe: Callable[[bytes], str], timeout: float
    ) -> BrokerPeer:
        """Returns a connected peer that sends nothing automatically, not even its greeting. Raises ConnectionLostError
        if the connection is not accepted within `timeout` seconds.
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
        """Sends and logs one message of one or more parts. Raises ConnectionLostError if that fails."""
        text = self._describe(parts[0]) if len(parts) == 1 and len(parts[0]) > KEEP else ""
        self.log.message(self.name, ">", parts, text)
        self.write(self._wire.message(*parts))

    def begin(self, frame: bytes) -> bytes:
        """Returns the bytes of a one-part message, and logs it as sent; :meth:`write` sends them piece by piece."""
        self.log.message(self.name, ">", (frame,), self._describe(frame) if len(frame) > KEEP else "")
        return self._wire.message(frame)

    def send_together(self, frames: list[bytes]) -> None:
        """Sends several messages of one part each in one write."""
        for frame in frames:
            self.log.message(self.name, ">", (frame,), self._describe(frame) if len(frame) > KEEP else "")
        self.write(b"".join(self._wire.frame(frame) for frame in frames))

    def send_raw(self, data: bytes, text: str = "bytes below ZMTP") -> None:
        """Writes bytes to the socket unchanged, and logs them with `text`."""
        self.log.frame(self.name, ">", "raw", data, text)
        self.write(data)

    def receive(self, timeout: float) -> tuple[bytes, ...] | None:
        """Returns the parts of the next message, or None after `timeout` seconds. Raises ConnectionLostError if the
        connection is lost, after the messages that arrived before.
        """
        if not self._inbox:
            deadline = time.monotonic() + timeout
            while not self._inbox and self.lost is None:
                left = deadline - time.monotonic()
                self.pump(max(left, 0.0))
                if left <= 0:
                    break
        if self._inbox:
            return self._inbox.popleft()
        if self.lost is not None:
            raise ConnectionLostError(self.lost)
        return None

    def write(self, data: bytes, patience: float = 30.0) -> None:
        super().write(data, patience * self.pace)

    def pump(self, wait: float) -> None:
        super().pump(min(wait, ATTENTION))
        self.attend()

    def narrow(self) -> None:
        """Makes the socket's receive buffer small, so that the broker's output soon waits for this peer to read."""
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW)

    def expect_bytes(self, expected: Expected) -> None:
        """Compares input with `expected`, without decoding it, from the first byte on that does not belong to a whole
        message, until :meth:`stop_expecting`. Call it only if every whole message has been received (:attr:`idle`).
        """
        incoming = self._engine.incoming
        self._expected = expected
        self.arrived(incoming.take(len(incoming)))

    def stop_expecting(self) -> None:
        """Decodes input again, from the first byte on that does not belong to a whole expected message."""
        expected, self._expected = self._expected, None
        if expected is not None and (rest := expected.close()):
            self.arrived(rest)

    @property
    def idle(self) -> bool:
        """Whether every message that has arrived as a whole has been received."""
        return not self._inbox

    def listen(self, seconds: float) -> None:
        """Reads and logs input for :meth:`receive` until the time ends or the connection is lost (not an error)."""
        deadline = time.monotonic() + seconds
        while self.lost is None and (left := deadline - time.monotonic()) > 0:
            self.pump(left)

    def arrived(self, data: bytes) -> None:
        if self._expected is not None:
            data = self._expected.take(data)
            if not data:
                return
        try:
            events = self._engine.feed(data)
        except ZmtpError as error:
            self.end(f"over, the broker violates ZMTP: {error}")
            return
        if self._engine.answers:
            self._outbox += self._engine.answers if self._answers else b""
            self._engine.answers.clear()
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, ReceivedMessage):
            text = self._describe(event.parts[0]) if len(event.parts[0]) > KEEP else ""
            self.log.message(self.name, "<", event.parts, text)
            self._inbox.append(event.parts)
        elif isinstance(event, ReceivedCommand):
            self.log.frame(self.name, "<", "command", event.data, event.name)
        else:
            self.log.note(
                self.name, "open", f"handshake complete, the peer is {_socket_type(event.properties)}"
            )


def _socket_type(properties: dict[str, bytes]) -> str:
    return ascii(properties.get("socket-type", b"").decode("latin-1")) if properties else "unnamed"
