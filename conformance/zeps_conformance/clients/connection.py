"""One connection of a client to the suite, which is the broker on it."""

from __future__ import annotations

import socket
from collections import deque
from dataclasses import dataclass

from zeps_conformance.clients.referee import ClientReferee, Phase
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.model.interpreter import Decoded, Interpreter, Value
from zeps_conformance.wire.link import Link
from zeps_conformance.wire.zmtp_codec import Wire
from zeps_conformance.wire.zmtp_engine import Engine, Ready, ReceivedMessage, ZmtpError

__all__ = ["BrokerConnection", "Publication", "Subscription"]

NO_SESSION = "no-session without a session"


@dataclass(frozen=True, slots=True)
class Publication:
    """A message that the client published."""

    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Subscription:
    """A SUBSCRIBE of the client."""

    pattern: str
    latest: int


class BrokerConnection(Link):
    """The suite's end. Frames are judged when they arrive, and `violation` is the first that broke a rule. PING is
    answered while `answers_pings`; commands without a session are refused while `refuses`. `inbox`: other messages than
    CREDIT, PUBLISH, PING and PING-OK, in order. `pings`: unanswered PINGs of the client; `answered`: PING-OKs received.
    """

    OTHER = "the client"

    def __init__(
        self, link: socket.socket, name: str, log: WireLog, wire: Wire, codec: Interpreter, stream: str
    ) -> None:
        super().__init__(link, name, log)
        self.codec = codec
        self.engine = Engine(b"ROUTER", identity=None, wire=wire)
        self.referee = ClientReferee(codec, stream)
        self.violation: FailureError | None = None
        self.decodes = True  # whether received bytes are decoded
        self.properties: dict[str, bytes] | None = None
        self.answers_pings = True
        self.refuses = True
        self.inbox: deque[Decoded] = deque()
        self.subscriptions: list[Subscription] = []
        self.publications: list[Publication] = []
        self.pings = 0
        self.answered = 0
        self.paused = False  # whether the suite does not read
        self.trickles = False  # whether the suite sends single bytes
        self._held_back = bytearray()

    @property
    def number(self) -> int:
        """The descriptor of its socket."""
        return self._link.fileno()

    @property
    def ready(self) -> bool:
        """Whether the handshake is complete."""
        return self.properties is not None

    def greet(self) -> None:
        """Sends the greeting; READY follows by itself."""
        self.queue(self.engine.opening())

    def queue(self, data: bytes) -> None:
        """Queues bytes, which are sent while the trial waits. Does nothing if the connection is lost."""
        if self.lost is None and self.trickles:
            self._held_back += data
        elif self.lost is None:
            self._outbox += data

    @property
    def queued(self) -> int:
        """Bytes that are not sent yet."""
        return len(self._outbox) + len(self._held_back)

    def pump(self, wait: float) -> None:
        if self._held_back and not self._outbox:
            self._outbox += self._held_back[:1]
            del self._held_back[:1]
        super().pump(wait)

    def send(self, name: str, /, **values: Value) -> None:
        """Sends a valid message; the referee records it."""
        frame = self.codec.encode(name, **values)
        self.referee.sent(self.codec.decode(frame))
        self.send_frames(frame)

    def send_frames(self, *parts: bytes) -> None:
        """Sends a message, valid or not, which the referee does not see."""
        self.log.message(self.name, ">", parts, self.codec.render(*parts) if len(parts) == 1 else "")
        self.queue(self.engine.wire.message(*parts))

    def end_session(self, reason: str) -> None:
        """Sends INVALID with `reason`, whose code ends the session or is not known."""
        self.referee.ended()
        self.send_frames(self.codec.encode("INVALID", reason=reason))

    def arrived(self, data: bytes) -> None:
        if not self.decodes:
            return
        try:
            events = self.engine.feed(data)
        except ZmtpError as error:
            self.end(f"closed by the suite: the client violated ZMTP: {error}")
            return
        self.queue(bytes(self.engine.answers))
        self.engine.answers.clear()
        for event in events:
            if isinstance(event, Ready):
                self.properties = event.properties
            elif isinstance(event, ReceivedMessage):
                self._message(event.parts)

    def _message(self, parts: tuple[bytes, ...]) -> None:
        text = self.codec.render(*parts) if len(parts) == 1 else ""
        self.log.message(self.name, "<", parts, text)
        ended = self.referee.phase is Phase.ENDED and not self.referee.detaching
        try:
            message = self.referee.received(parts)
        except FailureError as error:
            self.violation = self.violation or error
            return
        match message.name:
            case "PUBLISH":
                if not ended:
                    self.publications.append(Publication(str(message["key"]), message["body"]))
            case "CREDIT":
                pass
            case "PING":
                self.pings += 1
                if self.answers_pings and not ended:
                    self.pings -= 1
                    self.send("PING-OK")
            case "PING-OK":
                self.answered += 1
            case "SUBSCRIBE":
                self.subscriptions.append(Subscription(str(message["pattern"]), int(message["latest"])))
                self.inbox.append(message)
            case _:
                self.inbox.append(message)
        if ended and self.refuses and message.name not in ("ATTACH", "PING-OK", "DETACH-OK"):
            self.send_frames(self.codec.encode("INVALID", reason=NO_SESSION))
