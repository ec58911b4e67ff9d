"""ZMTP 3.x without input and output: greeting, NULL handshake, frames and commands (RFC 23 and RFC 37).

Lenient in what it takes, so that a verdict is never about the transport: either order of the two READY
commands, any minor version, any padding, unknown properties, long frames where short ones would do. PING is
answered by PONG.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

__all__ = [
    "GREETING_SIZE",
    "Command",
    "Engine",
    "Event",
    "Message",
    "Ready",
    "ZmtpError",
    "command_frame",
    "greeting",
    "message_frames",
    "ready_command",
]

GREETING_SIZE = 64
FRAME_MAX = 1 << 28  # octets; more than any frame that a case provokes
MORE, LONG, COMMAND = 1, 2, 4


class ZmtpError(Exception):
    """The other side breaks ZMTP, or refused us with ERROR. The text says how."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The handshake is complete. `properties` are the peer's, names in lower case."""

    properties: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Message:
    parts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    data: bytes


Event = Ready | Message | Command


def greeting(mechanism: bytes = b"NULL", as_server: bool = False, version: tuple[int, int] = (3, 1)) -> bytes:
    """The 64 octets that open a connection."""
    head = b"\xff" + bytes(8) + b"\x7f" + bytes(version)
    return head + mechanism.ljust(20, b"\x00") + bytes((as_server,)) + bytes(31)


def frame(flags: int, body: bytes) -> bytes:
    """One frame: short if `body` has at most 255 octets, else long."""
    if len(body) <= 255:
        return bytes((flags, len(body))) + body
    return struct.pack(">BQ", flags | LONG, len(body)) + body


def message_frames(parts: tuple[bytes, ...]) -> bytes:
    """A message of one or more parts."""
    last = len(parts) - 1
    return b"".join(frame(MORE if index < last else 0, part) for index, part in enumerate(parts))


def command_frame(name: bytes, data: bytes = b"") -> bytes:
    return frame(COMMAND, bytes((len(name),)) + name + data)


def ready_command(socket_type: bytes, identity: bytes | None = None) -> bytes:
    """READY with Socket-Type and, unless None, Identity."""
    data = _property(b"Socket-Type", socket_type)
    if identity is not None:
        data += _property(b"Identity", identity)
    return command_frame(b"READY", data)


def _property(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + struct.pack(">I", len(value)) + value


def _properties(data: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    at = 0
    try:
        while at < len(data):
            name_end = at + 1 + data[at]
            (size,) = struct.unpack_from(">I", data, name_end)
            name, value = data[at + 1 : name_end], data[name_end + 4 : name_end + 4 + size]
            if not name or len(value) != size:
                raise ZmtpError("READY with malformed metadata")
            found[name.decode("ascii", "replace").lower()] = value
            at = name_end + 4 + size
    except (IndexError, struct.error) as error:
        raise ZmtpError("READY with malformed metadata") from error
    return found


@dataclass(slots=True)
class Engine:
    """One end of one connection.

    Octets in by :meth:`feed`; `answers` collects the octets it wants to send.
    """

    socket_type: bytes
    identity: bytes | None = b""
    answers: bytearray = field(default_factory=bytearray)
    greeted: bool = False
    ready: bool = False
    _buffer: bytearray = field(default_factory=bytearray)
    _parts: list[bytes] = field(default_factory=list)

    def opening(self) -> bytes:
        """Everything this end may say unasked: its greeting.

        READY follows once the other's greeting is known.
        """
        return greeting()

    def feed(self, octets: bytes) -> list[Event]:
        """The events that `octets` complete.

        ZmtpError if they break the protocol; the connection is then over.
        """
        self._buffer += octets
        events: list[Event] = []
        if not self.greeted and not self._greet():
            return events
        while (parsed := self._frame()) is not None:
            flags, body = parsed
            if flags & COMMAND:
                event = self._command(body)
                if event is not None:
                    events.append(event)
            elif not self.ready:
                raise ZmtpError("a message before READY")
            else:
                self._parts.append(body)
                if not flags & MORE:
                    events.append(Message(tuple(self._parts)))
                    self._parts.clear()
        return events

    def _greet(self) -> bool:
        buffer = self._buffer
        if buffer and buffer[0] != 0xFF:
            raise ZmtpError("the greeting does not begin with %xFF: not ZMTP 2 or later")
        if len(buffer) > 9 and not buffer[9] & 1:
            raise ZmtpError("the greeting's tenth octet is even: ZMTP 1")
        if len(buffer) > 10 and buffer[10] < 3:
            raise ZmtpError(f"the greeting announces version {buffer[10]}: older than ZMTP 3")
        if len(buffer) < GREETING_SIZE:
            return False
        mechanism = bytes(buffer[12:32]).rstrip(b"\x00")
        if mechanism != b"NULL":
            raise ZmtpError(f"the greeting announces mechanism {mechanism.decode('latin-1')!a}, not NULL")
        del buffer[:GREETING_SIZE]
        self.greeted = True
        self.answers += ready_command(self.socket_type, self.identity)
        return True

    def _frame(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        flags = buffer[0]
        if flags & 0xF8:
            raise ZmtpError(f"a frame with reserved flags: %x{flags:02X}")
        if flags & LONG:
            if len(buffer) < 9:
                return None
            (size,) = struct.unpack_from(">Q", buffer, 1)
            start = 9
        else:
            size, start = buffer[1], 2
        if size > FRAME_MAX:
            raise ZmtpError(f"a frame of {size} octets")
        if len(buffer) < start + size:
            return None
        body = bytes(memoryview(buffer)[start : start + size])
        del buffer[: start + size]
        return flags, body

    def _command(self, body: bytes) -> Event | None:
        if not body or len(body) < 1 + body[0]:
            raise ZmtpError("a command without a name")
        name, data = body[1 : 1 + body[0]].decode("ascii", "replace"), body[1 + body[0] :]
        if name == "READY" and not self.ready:
            self.ready = True
            return Ready(_properties(data))
        if name == "ERROR":
            reason = data[1 : 1 + data[0]] if data else b""
            raise ZmtpError(f"ERROR: {reason.decode('utf-8', 'replace')!a}")
        if name == "PING" and len(data) >= 2:
            self.answers += command_frame(b"PONG", data[2:18])
        return Command(name, data)
