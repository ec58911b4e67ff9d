"""ZMTP in the bytes of one side, as they arrive: greeting, messages and commands, and how they violate ZMTP."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from zeps_conformance.model.interpreter import MalformedFrameError
from zeps_conformance.wire.zmtp_codec import Frame, Wire
from zeps_conformance.wire.zmtp_engine import Incoming, ZmtpError, properties_of

__all__ = [
    "CONTEXT_MAX",
    "PROPERTY",
    "SHORT_MAX",
    "SOCKET_TYPES",
    "Fault",
    "Item",
    "SideReader",
    "Spoken",
    "begins_with_greeting",
]

PROPERTY = re.compile(rb"[A-Za-z0-9_.+-]{1,255}")
MECHANISM = re.compile(rb"[A-Z0-9_-]+\x00*")
CONTEXT_MAX = 16  # bytes of a PING's context
WINDOW = 64  # bytes after ERROR that are looked at
SHORT_MAX = 255  # bytes of a body whose size has one byte
#: RFC 37 and the draft types that libraries use.
SOCKET_TYPES = frozenset(
    b"REQ REP DEALER ROUTER PUB XPUB SUB XSUB PUSH PULL PAIR "
    b"CLIENT SERVER RADIO DISH SCATTER GATHER PEER CHANNEL DGRAM STREAM".split()
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A violation of ZMTP by the bytes from the offset `start` to `end`."""

    rule: str
    expected: str
    seen: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Item:
    """A message, or a command with its `name`, from the offset `start` to `end`. `context` is that of PING and PONG;
    `is_sound`: a PING decodes. `long`: a frame has a size of eight bytes that one byte could hold.
    """

    parts: tuple[bytes, ...]
    start: int
    end: int
    name: str = ""
    context: bytes = b""
    is_sound: bool = True
    long: bool = False


@dataclass(slots=True)
class Spoken:
    """What one side sent. `mechanism` is empty without a greeting of ZMTP 3. `version` is major and minor, (0, 0) until
    it is known. `properties` are those of READY, names in lower case, None without READY. `stopped`: why the bytes from
    the offset `decoded` on are not decoded, or empty.
    """

    mechanism: str = ""
    version: tuple[int, int] = (0, 0)
    properties: dict[str, bytes] | None = None
    faults: list[Fault] = field(default_factory=list)
    stopped: str = ""
    decoded: int = 0

    @property
    def socket_type(self) -> str:
        """The socket type of READY, or an empty text."""
        return (self.properties or {}).get("socket-type", b"").decode("latin-1")

    @property
    def identity(self) -> bytes:
        """The routing id that the side chose, or empty."""
        return (self.properties or {}).get("identity", b"")


def begins_with_greeting(wire: Wire, data: bytes) -> bool | None:
    """Returns whether `data` begins with ZMTP's signature; None if that is possible and bytes are missing."""
    size = min(len(data), wire.major_at)
    try:
        wire.take_greeting(data[:size])
    except MalformedFrameError as error:
        if error.code != "truncated":
            return False
    return True if size == wire.major_at else None


class SideReader:
    """Decodes what one side sends. `heard` is called with each item in order, `result` is what is known so far. Stops
    at ERROR, at another frame before READY, at what cannot be decoded, and at a greeting of an older version or another
    mechanism.
    """

    def __init__(self, wire: Wire, heard: Callable[[Item], None] = lambda item: None) -> None:
        self.result = Spoken()
        self._heard = heard
        self._wire = wire
        self._incoming = Incoming(wire)
        self._greeted = False
        self._parts: list[bytes] = []
        self._begin = 0  # offset of the first of them
        self._long = False  # whether a frame of them is longer than necessary
        self._long_reported = False
        self._refused = False  # whether it sent ERROR in place of READY

    def feed(self, data: bytes) -> None:
        """Decodes further bytes."""
        if self.result.stopped:
            self._judge_rest(data)
            return
        self._incoming.feed(data)
        if not self._greeted and not self._greeting():
            return
        self._frames()

    def _greeting(self) -> bool:
        """Reads the greeting. Returns whether frames of the NULL mechanism follow."""
        size = self._wire.greeting_size
        data = self._incoming.peek(size)
        begins = begins_with_greeting(self._wire, data)
        if not begins:
            self.result.stopped = "it does not begin with a greeting of ZMTP" if begins is False else ""
            return False
        major_at = self._wire.major_at
        if len(data) > major_at and data[major_at] < 3:
            self.result.version = data[major_at], 0
            self.result.stopped = f"it speaks ZMTP {'2.0' if data[major_at] else '1.0'}"
            return False
        if len(data) < size:
            return False
        fields = self._wire.take_greeting(data).values
        self._incoming.take(size)
        self.result.decoded = size
        self._greeted = True
        self._judge_greeting(fields)
        if self.result.mechanism != "NULL":
            encrypted = "encrypted, " if self.result.mechanism == "CURVE" else ""
            self.result.stopped = f"{encrypted}mechanism {self.result.mechanism!a}"
            return False
        return True

    def _judge_greeting(self, fields: Any) -> None:
        mechanism = bytes(fields["mechanism"])
        self.result.version = fields["major"], fields["minor"]
        self.result.mechanism = mechanism.rstrip(b"\0").decode("latin-1")
        if fields["major"] != 3 or fields["minor"] > 1:
            self._fault("ZMTP-G-2", "version 3.0 or 3.1", f"version {fields['major']}.{fields['minor']}", 0)
        if not MECHANISM.fullmatch(mechanism):
            expected = "a mechanism of capital letters, digits, hyphens and underscores, padded with zeros"
            self._fault("ZMTP-G-22", expected, repr(mechanism), 0)
        if any(fields["filler"]):
            self._fault("ZMTP-G-1", "31 bytes of zeros at the end of the greeting", "other bytes", 0)
        if self.result.mechanism == "NULL" and fields["as_server"]:
            self._fault("ZMTP-G-13", "as-server 0 with NULL", f"as-server {fields['as_server']}", 0)

    def _judge_rest(self, rest: bytes) -> None:
        """Judges the bytes that follow an ERROR in place of READY: the first of them is a fault."""
        if rest and self._refused:
            self._refused = False
            self._fault(
                "ZMTP-N-1",
                "nothing after an ERROR in place of READY",
                rest[:16].hex(" "),
                self.result.decoded,
            )

    def _frames(self) -> None:
        """Reads the complete frames, up to a fault."""
        while not self.result.stopped:
            start = self.result.decoded
            try:
                frame = self._incoming.frame()
            except ZmtpError as error:
                self._broken(error)
                return
            if frame is None:
                return
            self.result.decoded += len(frame.encoded)
            self._judge_form(frame, start)
            if frame.command:
                self._command(frame, start)
            elif self.result.properties is None:
                self._fault("ZMTP-N-1", "READY or ERROR as the first frame", "a message", start)
                self.result.stopped = "it sent a message before READY"
            else:
                self._message_frame(frame, start)
        self._judge_rest(self._incoming.peek(WINDOW))

    def _message_frame(self, frame: Frame, start: int) -> None:
        if not self._parts:
            self._begin, self._long = start, False
        self._parts.append(frame.body)
        self._long = self._long or _needlessly_long(frame)
        if not frame.more:
            parts, self._parts = tuple(self._parts), []
            self._heard(Item(parts, self._begin, self.result.decoded, long=self._long))

    def _broken(self, error: ZmtpError) -> None:
        flags = self._incoming.peek(1)[0]
        if "the suite reads at most" in str(error):
            self.result.stopped = str(error)
            return
        rule, expected = "ZMTP-F-7", "a frame of at most 2^63-1 bytes"
        if flags & 0xF8:
            rule, expected = "ZMTP-F-1", "bits 7 to 3 of the flags are zero"
        elif flags & 5 == 5:
            rule, expected = "ZMTP-F-3", "a command with bit 0 of the flags as zero"
        self._fault(rule, expected, str(error), self.result.decoded, self.result.decoded + 1)
        self.result.stopped = "its frames cannot be decoded"

    def _judge_form(self, frame: Frame, start: int) -> None:
        if _needlessly_long(frame) and not self._long_reported:
            self._long_reported = True
            seen = f"a size of eight bytes for a body of {len(frame.body)}"
            self._fault("ZMTP-F-5", f"a size of one byte for up to {SHORT_MAX} bytes", seen, start)

    def _command(self, frame: Frame, start: int) -> None:
        body = frame.body
        if not body or not body[0] or len(body) <= body[0]:
            self._fault(
                "ZMTP-F-14", "a command that begins with its name", body[:32].hex(" ") or "nothing", start
            )
            return
        context = b""
        if frame.name == "READY" and self.result.properties is None:
            self._ready(frame, start)
        elif frame.name == "ERROR":
            if not frame.values:
                self._fault("ZMTP-N-14", "ERROR with a reason that decodes", body[:64].hex(" "), start)
            self.result.stopped = "it refused the connection with ERROR"
            self._refused = self.result.properties is None
        elif self.result.properties is None:
            self._fault("ZMTP-N-1", "READY or ERROR as the first frame", f"the command {frame.name!a}", start)
            self.result.stopped = "it sent a command before READY"
        elif frame.name == "READY":
            self._fault("ZMTP-N-1", "READY once", "a second READY", start)
        elif frame.name in ("PING", "PONG"):
            context = body[1 + len(frame.name) + (2 if frame.name == "PING" else 0) :]
            if len(context) > CONTEXT_MAX:
                expected = f"a context of at most {CONTEXT_MAX} bytes"
                self._fault("ZMTP-H-4", expected, f"{frame.name} with {len(context)} bytes", start)
            elif not frame.values:
                self._fault("ZMTP-H-2", "PING with a time to live of two bytes", body.hex(" "), start)
        sound, long = bool(frame.values), _needlessly_long(frame)
        self._heard(Item((body,), start, self.result.decoded, frame.name, context, sound, long))

    def _ready(self, frame: Frame, start: int) -> None:
        try:
            self.result.properties = properties_of(frame)
        except ZmtpError as error:
            self._fault("ZMTP-N-3", "READY with properties that decode", str(error), start)
            self.result.stopped = "its READY cannot be decoded"
            return
        pairs: Any = frame.values["properties"]
        for name, _ in pairs:
            if not PROPERTY.fullmatch(name):
                expected = "a name of letters, digits, hyphens, underscores, dots and plus signs"
                self._fault("ZMTP-N-4", expected, repr(name), start)
        kind = self.result.properties.get("socket-type")
        if kind is None:
            self._fault("ZMTP-N-7", "a READY with Socket-Type", "none", start)
        elif kind not in SOCKET_TYPES:
            self._fault("ZMTP-N-20", "a socket type of RFC 37", repr(kind), start)

    def _fault(self, rule: str, expected: str, seen: str, start: int, end: int | None = None) -> None:
        self.result.faults.append(
            Fault(rule, expected, seen, start, self.result.decoded if end is None else end)
        )


def _needlessly_long(frame: Frame) -> bool:
    return frame.long and len(frame.body) <= SHORT_MAX
