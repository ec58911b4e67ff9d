"""A DEALER that speaks ZMTP over one plain socket, and can break every rule above the socket on request."""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from zeps_conformance.common.wirelog import KEEP, WireLog
from zeps_conformance.wire.endpoint import Endpoint
from zeps_conformance.wire.link import ConnectionLostError, Link
from zeps_conformance.wire.zmtp_codec import packaged_wire
from zeps_conformance.wire.zmtp_engine import Engine, Event, ReceivedCommand, ReceivedMessage, ZmtpError

__all__ = ["BrokerPeer", "ConnectionLostError"]


class BrokerPeer(Link):
    """One connection whose messages are taken in as they come, and handed out by :meth:`receive`."""

    OTHER: ClassVar[str] = "the broker"

    def __init__(
        self, link: socket.socket, name: str, log: WireLog, describe: Callable[[bytes], str]
    ) -> None:
        super().__init__(link, name, log)
        self._wire = packaged_wire()
        self._engine = Engine(b"DEALER", wire=self._wire)
        self._answers = False  # whether ZMTP is answered without being asked
        self._describe = describe
        self._inbox: deque[tuple[bytes, ...]] = deque()

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
        """A peer with a completed handshake, which has asked for `routing_id` if that is not empty.

        ConnectionLostError if that takes longer than `timeout`, or fails.
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
        self.write(self._wire.message(*parts))

    def begin(self, frame: bytes) -> bytes:
        """The octets of a message of one part, which is logged; :meth:`write` sends them, piece by piece."""
        self.log.message(self.name, ">", (frame,), self._describe(frame) if len(frame) > KEEP else "")
        return self._wire.message(frame)

    def send_together(self, frames: list[bytes]) -> None:
        """Several messages of one part each, handed to the socket in one write."""
        for frame in frames:
            self.log.message(self.name, ">", (frame,), self._describe(frame) if len(frame) > KEEP else "")
        self.write(b"".join(self._wire.frame(frame) for frame in frames))

    def send_raw(self, octets: bytes, text: str = "octets below ZMTP") -> None:
        """Octets that go to the socket as they are."""
        self.log.frame(self.name, ">", "raw", octets, text)
        self.write(octets)

    def receive(self, timeout: float) -> tuple[bytes, ...] | None:
        """The next message, all its parts; None if none comes within `timeout`.

        What arrived before the connection was lost is still handed out; then ConnectionLostError.
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

    def listen(self, seconds: float) -> None:
        """Log what comes for so long; that the connection is lost meanwhile is no error."""
        deadline = time.monotonic() + seconds
        while self.lost is None and (left := deadline - time.monotonic()) > 0:
            self.pump(left)

    def arrived(self, octets: bytes) -> None:
        try:
            events = self._engine.feed(octets)
        except ZmtpError as error:
            self.end(f"over, the broker breaks ZMTP: {error}")
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
