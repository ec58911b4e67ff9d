"""ZMTP 3.x without input and output: greeting, NULL handshake, frames and commands, with the models' wire format. It
accepts READY in either order, any minor version and padding, unknown properties, and long frames of small bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zeps_conformance.model.interpreter import MalformedFrameError, Value
from zeps_conformance.wire.zmtp_codec import Frame, Properties, Wire, packaged_wire

__all__ = [
    "Engine",
    "Event",
    "Incoming",
    "Ready",
    "ReceivedCommand",
    "ReceivedMessage",
    "ZmtpError",
    "properties_of",
]

FRAME_MAX = 1 << 28  # bytes; more than any frame that a case causes
WINDOW = 256  # bytes that are decoded first, because most frames fit into them


class ZmtpError(Exception):
    """The peer sent ERROR, a frame over 256 MiB, a version below 3 or another mechanism, or violated ZMTP otherwise."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The handshake is complete. `properties` are the peer's, names in lower case."""

    properties: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    parts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ReceivedCommand:
    """A command that arrived. `data` is its body after the name."""

    name: str
    data: bytes


Event = Ready | ReceivedMessage | ReceivedCommand


class Incoming:
    """Buffer of received bytes, from which complete greetings and frames are taken."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._buffer = bytearray()
        self._needs = 1

    def __len__(self) -> int:
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def peek(self, count: int) -> bytes:
        """Returns the first `count` bytes, or all if there are fewer, without removing them."""
        return bytes(self._buffer[:count])

    def take(self, count: int) -> bytes:
        """Removes and returns the first `count` bytes, or all if there are fewer."""
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        self._needs = 1
        return taken

    def greeting(self) -> dict[str, Value] | None:
        """Removes the greeting and returns its fields; None if it is incomplete. Raises ZmtpError if it is malformed or
        announces a version older than 3, as soon as that is readable.
        """
        data = bytes(self._buffer[: self._wire.greeting_size])
        try:
            fields = self._wire.take_greeting(data).values
        except MalformedFrameError as error:
            if error.code != "truncated":
                older = "the greeting's tenth byte is invalid: ZMTP 1"
                other = "the greeting does not begin with %xFF: not ZMTP 2 or later"
                raise ZmtpError(older if error.offset else other) from error
            self._refuse_old(data)
            return None
        self._refuse_old(data)
        self.take(len(data))
        return dict(fields)

    def frame(self) -> Frame | None:
        """Removes and returns the next frame, or None. Raises ZmtpError if it is malformed or exceeds 256 MiB."""
        window = WINDOW
        while len(self._buffer) >= self._needs:
            data = bytes(self._buffer[:window])
            try:
                frame = self._wire.take_frame(data)
            except MalformedFrameError as error:
                if error.code != "truncated":
                    raise _broken_frame(error, data) from error
                if error.needs > FRAME_MAX:
                    raise ZmtpError(
                        f"a frame of {error.needs} bytes: the suite reads at most {FRAME_MAX}"
                    ) from error
                needed = max(error.needs, len(data) + 1)
                if needed > len(self._buffer):
                    self._needs = needed
                    return None
                window = max(needed, 2 * window)
            else:
                self.take(len(frame.encoded))
                return frame
        return None

    def _refuse_old(self, data: bytes) -> None:
        """Raises ZmtpError as soon as the major version is readable and older than 3."""
        at = self._wire.major_at
        if len(data) > at and data[at] < 3:
            raise ZmtpError(f"the greeting announces version {data[at]}: older than ZMTP 3")


def _broken_frame(error: MalformedFrameError, data: bytes) -> ZmtpError:
    if error.code == "unknown-message":
        return ZmtpError(f"a frame with invalid flags: %x{data[0]:02X}")
    return ZmtpError(f"an invalid frame: {error}")


def properties_of(ready: Frame) -> dict[str, bytes]:
    """Returns READY's properties, names in lower case. Raises ZmtpError if it does not decode, or a name is empty."""
    pairs = ready.values.get("properties")
    if pairs is None or any(not name for name, _ in pairs):  # type: ignore[union-attr, misc]
        raise ZmtpError("READY with malformed metadata")
    return {name.decode("ascii", "replace").lower(): value for name, value in pairs}  # type: ignore[union-attr, misc]


@dataclass(slots=True)
class Engine:
    """One end of a connection. :meth:`feed` answers a greeting by READY, and joins frames to messages.

    To control what is sent, pass bytes to `incoming` and call :meth:`take_greeting` and :meth:`take_frame`. `answers`
    collects bytes to send; the caller clears it. `version` is this end's, `other` the peer's, (0, 0) until it is known.
    READY contains Socket-Type, Identity unless `identity` is None, and `properties`. `greeted`: frames follow; `ready`:
    the handshake is complete. Invalid input raises ZmtpError; the caller must then close the connection.
    """

    socket_type: bytes = b""
    identity: bytes | None = b""
    wire: Wire = field(default_factory=packaged_wire)
    version: tuple[int, int] = (3, 1)
    other: tuple[int, int] = (0, 0)
    properties: Properties = ()
    answers: bytearray = field(default_factory=bytearray)
    greeted: bool = False
    ready: bool = False
    incoming: Incoming = field(init=False)
    _parts: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.incoming = Incoming(self.wire)

    def opening(self) -> bytes:
        """Returns the greeting, which this end sends unprompted; READY follows after the peer's greeting."""
        return self.wire.greeting(self.version)

    def take_greeting(self) -> dict[str, Value] | None:
        """Returns the fields of the peer's greeting, and sets `greeted` and `other`; None if it is incomplete."""
        greeting = self.incoming.greeting()
        if greeting is not None:
            self.greeted = True
            self.other = greeting["major"], greeting["minor"]  # type: ignore[assignment]
        return greeting

    def take_frame(self, answers_pings: bool = True) -> Frame | None:
        """Returns the next frame, or None if it is incomplete; answers PING unless `answers_pings` is false."""
        frame = self.incoming.frame()
        if answers_pings and frame is not None and frame.command and frame.name == "PING" and frame.values:
            self.answers += self.wire.command("PONG", context=frame.values["context"])
        return frame

    def accept_ready(self, ready: Frame) -> dict[str, bytes]:
        """Sets `ready`. Returns the properties of the peer's READY. Raises ZmtpError if they are malformed."""
        properties = properties_of(ready)
        self.ready = True
        return properties

    def feed(self, data: bytes) -> list[Event]:
        """Returns the events that `data` complete, and adds the bytes to send to `answers`."""
        self.incoming.feed(data)
        events: list[Event] = []
        if not self.greeted and not self._greet():
            return events
        while (frame := self.take_frame()) is not None:
            if frame.command:
                events.append(self._command(frame))
            elif not self.ready:
                raise ZmtpError("a message before READY")
            else:
                self._parts.append(frame.body)
                if not frame.more:
                    events.append(ReceivedMessage(tuple(self._parts)))
                    self._parts.clear()
        return events

    def _greet(self) -> bool:
        greeting = self.take_greeting()
        if greeting is None:
            return False
        mechanism = bytes(greeting["mechanism"]).rstrip(b"\x00")  # type: ignore[arg-type]
        if mechanism != b"NULL":
            raise ZmtpError(f"the greeting announces mechanism {mechanism.decode('latin-1')!a}, not NULL")
        identity = [] if self.identity is None else [(b"Identity", self.identity)]
        self.answers += self.wire.ready(self.socket_type, [*identity, *self.properties])
        return True

    def _command(self, frame: Frame) -> Event:
        name = frame.name
        if not name:
            raise ZmtpError("a command without a name")
        if name == "READY" and not self.ready:
            return Ready(self.accept_ready(frame))
        if name == "ERROR":
            raise ZmtpError(f"ERROR: {frame.values.get('reason', b'').decode('utf-8', 'replace')!a}")  # type: ignore[union-attr]
        return ReceivedCommand(name, frame.body[1 + len(name) :])
