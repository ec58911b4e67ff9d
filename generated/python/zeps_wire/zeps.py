"""ZeroMQ Enterprise Publish-Subscribe.

ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
publishes messages to it, and receives those that match its subscriptions, from any point of the
stream's history on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from struct import Struct
from typing import Any, ClassVar

from . import layout as _layout
from . import operations as _op
from .caches import (
    PRINTABLE_OCTETS,
    PRINTABLE_TEXTS,
    packers,
    unpackers,
)
from .layout import FAULTS
from .support import (
    setters,
    table,
    trailing,
    twin,
    unknown_number,
)
from .text import octets_of

__all__ = [
    "ATTACH_HEAD",
    "ATTACH_OK_HEAD",
    "CREDIT_HEAD",
    "DELIVER_HEAD",
    "DELIVER_HEAD_SIZE",
    "DETACH_HEAD",
    "DETACH_OK_HEAD",
    "INVALID_HEAD",
    "LATEST_ALL",
    "LATEST_NEW",
    "MESSAGES",
    "PING_HEAD",
    "PING_OK_HEAD",
    "PUBLISH_HEAD",
    "SUBSCRIBE_HEAD",
    "SUBSCRIBE_OK_HEAD",
    "Attach",
    "AttachOk",
    "Credit",
    "Deliver",
    "Detach",
    "DetachOk",
    "EndingCode",
    "Invalid",
    "Message",
    "OpenCode",
    "Ping",
    "PingOk",
    "Publish",
    "Subscribe",
    "SubscribeOk",
    "decode",
    "deliver_head",
    "encode",
    "scan_attach",
    "scan_deliver",
    "scan_invalid",
    "scan_publish",
    "scan_subscribe",
    "unpack_deliver_head",
]

LATEST_ALL = 0
"""A `latest` that asks for everything retained."""
LATEST_NEW = 18446744073709551615
"""A `latest` that asks for new messages only."""

_pack_10s_u1_ns = packers(">10sB{}s")
_pack_3s_u1_ns = packers(">3sB{}s")
_pack_3s_u1_ns_u4 = packers(">3sB{}sI")
_pack_3s_u1_ns_u8 = packers(">3sB{}sQ")
_pack_3s_u8 = Struct(">3sQ").pack
_pack_3s_u8_u1_ns_u4 = packers(">3sQB{}sI")
_unpack_from_10s_u1 = Struct(">10sB").unpack_from
_unpack_from_10sx_ns = unpackers(">10sx{}s")
_unpack_from_3s8x_u1 = Struct(">3s8xB").unpack_from
_unpack_from_3s_u1 = Struct(">3sB").unpack_from
_unpack_from_3s_u8 = Struct(">3sQ").unpack_from
_unpack_from_3s_u8x_ns_u4 = unpackers(">3sQx{}sI")
_unpack_from_3sx_ns = unpackers(">3sx{}s")
_unpack_from_3sx_ns_u4 = unpackers(">3sx{}sI")
_unpack_from_3sx_ns_u8 = unpackers(">3sx{}sQ")
_unpack_from_u4 = Struct(">I").unpack_from

ATTACH_HEAD = b"\xaa\xa5\x01\x04ZEPS\x00\x01"
ATTACH_OK_HEAD = b"\xaa\xa5\x02"
SUBSCRIBE_HEAD = b"\xaa\xa5\x03"
SUBSCRIBE_OK_HEAD = b"\xaa\xa5\x04"
CREDIT_HEAD = b"\xaa\xa5\x05"
PUBLISH_HEAD = b"\xaa\xa5\x06"
DELIVER_HEAD = b"\xaa\xa5\x07"
DELIVER_HEAD_SIZE = 11
PING_HEAD = b"\xaa\xa5\x08"
PING_OK_HEAD = b"\xaa\xa5\t"
DETACH_HEAD = b"\xaa\xa5\n"
DETACH_OK_HEAD = b"\xaa\xa5\x0b"
INVALID_HEAD = b"\xaa\xa5\x0c"


class EndingCode(StrEnum):
    """Codes of INVALID that end the session. A code that a client does not know counts as one of
    these.

    Attributes:
        MALFORMED: The frame cannot be decoded, or the message has several parts.
        UNKNOWN_COMMAND: The command's number is not defined in this version.
        NO_SESSION: A command other than ATTACH came without a session.
        ROUTING_ID: The connection chose its own routing id.
        UNSUPPORTED_PROTOCOL: Refuses ATTACH: another protocol.
        UNSUPPORTED_VERSION: Refuses ATTACH: a version that the broker does not speak.
        STREAM_NAME: Refuses ATTACH: the stream name is empty.
        STREAM_UNAVAILABLE: Refuses ATTACH: the broker cannot read the stream, or may not begin
            another one; trying again later may help.
        TOO_MANY_SESSIONS: Refuses ATTACH: the broker has as many sessions as it may have, or no
            memory for another; trying again later may help.
        STOPPING: Refuses ATTACH: the broker is stopping; trying again later may help.
    """

    MALFORMED = "malformed"
    UNKNOWN_COMMAND = "unknown-command"
    NO_SESSION = "no-session"
    ROUTING_ID = "routing-id"
    UNSUPPORTED_PROTOCOL = "unsupported-protocol"
    UNSUPPORTED_VERSION = "unsupported-version"
    STREAM_NAME = "stream-name"
    STREAM_UNAVAILABLE = "stream-unavailable"
    TOO_MANY_SESSIONS = "too-many-sessions"
    STOPPING = "stopping"


_members_of_ending_code: dict[str, EndingCode] = {member.value: member for member in EndingCode}


class OpenCode(StrEnum):
    """Codes of INVALID that leave an open session as it is.

    Attributes:
        UNEXPECTED: A command that only the broker sends, or DETACH-OK without DETACH; it was
            ignored.
        BAD_PATTERN: Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's
            matching style.
        TOO_MANY_SUBSCRIPTIONS: Refuses SUBSCRIBE: the session has as many subscriptions as it may
            have, or the broker no resources for another.
        NOT_RETAINED: Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last
            are no longer retained.
        BEYOND_END: Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not
            exist; the stream ends before first.
        RETENTION: A notice: the sequences from first to last were to be delivered, and retention
            has removed them.
        DAMAGE: A notice: the sequences from first to last were to be delivered, and the journal is
            damaged there.
    """

    UNEXPECTED = "unexpected"
    BAD_PATTERN = "bad-pattern"
    TOO_MANY_SUBSCRIPTIONS = "too-many-subscriptions"
    NOT_RETAINED = "not-retained"
    BEYOND_END = "beyond-end"
    RETENTION = "retention"
    DAMAGE = "damage"


_members_of_open_code: dict[str, OpenCode] = {member.value: member for member in OpenCode}

_ATTACH_LAYOUT = _layout.Layout(
    "ATTACH",
    (
        _op.Constant(name="", octets=b"\xaa\xa5\x01"),
        _op.Constant(name="protocol", octets=b"\x04ZEPS"),
        _op.Constant(name="version", octets=b"\x00\x01"),
        _op.Content(name="stream", prefix=1, text="printable"),
    ),
    ("stream",),
    True,
    False,
)
_ATTACH_OK_LAYOUT = _layout.Layout(
    "ATTACH-OK", (_op.Constant(name="", octets=b"\xaa\xa5\x02"),), (), True, False
)
_SUBSCRIBE_LAYOUT = _layout.Layout(
    "SUBSCRIBE",
    (
        _op.Constant(name="", octets=b"\xaa\xa5\x03"),
        _op.Content(name="pattern", prefix=1, text="printable"),
        _op.Number(name="latest", size=8),
    ),
    ("pattern", "latest"),
    True,
    False,
)
_SUBSCRIBE_OK_LAYOUT = _layout.Layout(
    "SUBSCRIBE-OK", (_op.Constant(name="", octets=b"\xaa\xa5\x04"),), (), True, False
)
_CREDIT_LAYOUT = _layout.Layout(
    "CREDIT",
    (_op.Constant(name="", octets=b"\xaa\xa5\x05"), _op.Number(name="credit", size=8)),
    ("credit",),
    True,
    False,
)
_PUBLISH_LAYOUT = _layout.Layout(
    "PUBLISH",
    (
        _op.Constant(name="", octets=b"\xaa\xa5\x06"),
        _op.Content(name="key", prefix=1, text="printable"),
        _op.Content(name="body", prefix=4, limit=16777216),
    ),
    ("key", "body"),
    True,
    False,
)
_DELIVER_LAYOUT = _layout.Layout(
    "DELIVER",
    (
        _op.Constant(name="", octets=b"\xaa\xa5\x07"),
        _op.Number(name="sequence", size=8),
        _op.Content(name="key", prefix=1, text="printable"),
        _op.Content(name="body", prefix=4, limit=16777216),
    ),
    ("sequence", "key", "body"),
    True,
    False,
)
_PING_LAYOUT = _layout.Layout("PING", (_op.Constant(name="", octets=b"\xaa\xa5\x08"),), (), True, False)
_PING_OK_LAYOUT = _layout.Layout("PING-OK", (_op.Constant(name="", octets=b"\xaa\xa5\t"),), (), True, False)
_DETACH_LAYOUT = _layout.Layout("DETACH", (_op.Constant(name="", octets=b"\xaa\xa5\n"),), (), True, False)
_DETACH_OK_LAYOUT = _layout.Layout(
    "DETACH-OK", (_op.Constant(name="", octets=b"\xaa\xa5\x0b"),), (), True, False
)
_INVALID_LAYOUT = _layout.Layout(
    "INVALID",
    (_op.Constant(name="", octets=b"\xaa\xa5\x0c"), _op.Content(name="reason", prefix=1, text="printable")),
    ("reason",),
    True,
    False,
)


@dataclass(frozen=True, slots=True, init=False)
class Attach:
    """Client opens stream.

    Attributes:
        stream: Stream name
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "ATTACH"
    PROTOCOL: ClassVar[str] = "ZEPS"
    VERSION: ClassVar[int] = 1

    stream: str

    def __init__(
        self,
        stream: str,
    ) -> None:
        _set_attach__stream(self, stream)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            stream_octets = PRINTABLE_OCTETS[self.stream]
            return _pack_10s_u1_ns[len(stream_octets)](ATTACH_HEAD, len(stream_octets), stream_octets)
        except FAULTS:
            pass
        return _ATTACH_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 11 + octets_of(self.stream)


@dataclass(frozen=True, slots=True)
class AttachOk:
    """Server grants the client access."""

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "ATTACH-OK"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return ATTACH_OK_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Subscribe:
    """Client subscribes to a set of topics.

    Attributes:
        pattern: Subscription pattern
        latest: Last known sequence
    """

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "SUBSCRIBE"

    pattern: str
    latest: int

    def __init__(
        self,
        pattern: str,
        latest: int,
    ) -> None:
        _set_subscribe__pattern(self, pattern)
        _set_subscribe__latest(self, latest)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            pattern_octets = PRINTABLE_OCTETS[self.pattern]
            return _pack_3s_u1_ns_u8[len(pattern_octets)](
                SUBSCRIBE_HEAD, len(pattern_octets), pattern_octets, self.latest
            )
        except FAULTS:
            pass
        return _SUBSCRIBE_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 12 + octets_of(self.pattern)


@dataclass(frozen=True, slots=True)
class SubscribeOk:
    """Server confirms the subscription."""

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "SUBSCRIBE-OK"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return SUBSCRIBE_OK_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Credit:
    """Client sends credit to the server.

    Attributes:
        credit: Credit, in octets
    """

    ID: ClassVar[int] = 5
    NAME: ClassVar[str] = "CREDIT"

    credit: int

    def __init__(
        self,
        credit: int,
    ) -> None:
        _set_credit__credit(self, credit)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_3s_u8(CREDIT_HEAD, self.credit)
        except FAULTS:
            pass
        return _CREDIT_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 11


@dataclass(frozen=True, slots=True, init=False)
class Publish:
    """Client publishes a new message to the open stream.

    Attributes:
        key: Message routing key
        body: Message contents
    """

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "PUBLISH"

    key: str
    body: bytes

    def __init__(
        self,
        key: str,
        body: bytes,
    ) -> None:
        _set_publish__key(self, key)
        _set_publish__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            key_octets = PRINTABLE_OCTETS[self.key]
            if len(self.body) > 16777216:
                raise ValueError
            return (
                _pack_3s_u1_ns_u4[len(key_octets)](PUBLISH_HEAD, len(key_octets), key_octets, len(self.body))
                + self.body
            )
        except FAULTS:
            pass
        return _PUBLISH_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 8 + octets_of(self.key) + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class Deliver:
    """Server delivers a message to the client.

    Attributes:
        sequence: Sequenced per stream
        key: Message routing key
        body: Message contents
    """

    ID: ClassVar[int] = 7
    NAME: ClassVar[str] = "DELIVER"

    sequence: int
    key: str
    body: bytes

    def __init__(
        self,
        sequence: int,
        key: str,
        body: bytes,
    ) -> None:
        _set_deliver__sequence(self, sequence)
        _set_deliver__key(self, key)
        _set_deliver__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            key_octets = PRINTABLE_OCTETS[self.key]
            if len(self.body) > 16777216:
                raise ValueError
            return (
                _pack_3s_u8_u1_ns_u4[len(key_octets)](
                    DELIVER_HEAD, self.sequence, len(key_octets), key_octets, len(self.body)
                )
                + self.body
            )
        except FAULTS:
            pass
        return _DELIVER_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 16 + octets_of(self.key) + len(self.body)


@dataclass(frozen=True, slots=True)
class Ping:
    """Client or server sends a heartbeat."""

    ID: ClassVar[int] = 8
    NAME: ClassVar[str] = "PING"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return PING_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True)
class PingOk:
    """Client or server answers a heartbeat."""

    ID: ClassVar[int] = 9
    NAME: ClassVar[str] = "PING-OK"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return PING_OK_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True)
class Detach:
    """Client or server closes the peering."""

    ID: ClassVar[int] = 10
    NAME: ClassVar[str] = "DETACH"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return DETACH_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True)
class DetachOk:
    """Client or server confirms the close."""

    ID: ClassVar[int] = 11
    NAME: ClassVar[str] = "DETACH-OK"

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        return DETACH_OK_HEAD

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Invalid:
    """Server tells client it sent an invalid message.

    Attributes:
        reason: Printable explanation
    """

    ID: ClassVar[int] = 12
    NAME: ClassVar[str] = "INVALID"

    reason: str

    def __init__(
        self,
        reason: str,
    ) -> None:
        _set_invalid__reason(self, reason)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            reason_octets = PRINTABLE_OCTETS[self.reason]
            return _pack_3s_u1_ns[len(reason_octets)](INVALID_HEAD, len(reason_octets), reason_octets)
        except FAULTS:
            pass
        return _INVALID_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 4 + octets_of(self.reason)


Message = (
    Attach
    | AttachOk
    | Subscribe
    | SubscribeOk
    | Credit
    | Publish
    | Deliver
    | Ping
    | PingOk
    | Detach
    | DetachOk
    | Invalid
)

MESSAGES: dict[int, type[Message]] = {
    1: Attach,
    2: AttachOk,
    3: Subscribe,
    4: SubscribeOk,
    5: Credit,
    6: Publish,
    7: Deliver,
    8: Ping,
    9: PingOk,
    10: Detach,
    11: DetachOk,
    12: Invalid,
}

(_set_attach__stream,) = setters(Attach)
_new_attach = twin(Attach)
_the_attach_ok = AttachOk()
_set_subscribe__pattern, _set_subscribe__latest = setters(Subscribe)
_new_subscribe = twin(Subscribe)
_the_subscribe_ok = SubscribeOk()
(_set_credit__credit,) = setters(Credit)
_new_credit = twin(Credit)
_set_publish__key, _set_publish__body = setters(Publish)
_new_publish = twin(Publish)
_set_deliver__sequence, _set_deliver__key, _set_deliver__body = setters(Deliver)
_new_deliver = twin(Deliver)
_the_ping = Ping()
_the_ping_ok = PingOk()
_the_detach = Detach()
_the_detach_ok = DetachOk()
(_set_invalid__reason,) = setters(Invalid)
_new_invalid = twin(Invalid)


def _decode_attach(data: bytes) -> Any:
    try:
        stream_length = data[10]
        stream_end = 11 + stream_length
        head, stream = _unpack_from_10sx_ns[stream_length](data)
        if head != ATTACH_HEAD:
            raise ValueError
        stream = PRINTABLE_TEXTS[stream]
        if len(data) != stream_end:
            raise trailing(data, "ATTACH", stream_end)
        message = _new_attach()
        message.stream = stream
        message.__class__ = Attach
        return message
    except FAULTS:
        pass
    return Attach(**_ATTACH_LAYOUT.read(data))


def scan_attach(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `stream`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, stream_length = _unpack_from_10s_u1(data)
        stream_end = 11 + stream_length
        if head != ATTACH_HEAD:
            raise ValueError
        if len(data) != stream_end:
            raise trailing(data, "ATTACH", stream_end)
        return 11, stream_end
    except FAULTS:
        pass
    found: tuple[int, int] = _ATTACH_LAYOUT.scan(data)
    return found


def _decode_attach_ok(data: bytes) -> Any:
    try:
        if data != ATTACH_OK_HEAD:
            raise ValueError
        return _the_attach_ok
    except FAULTS:
        pass
    return AttachOk(**_ATTACH_OK_LAYOUT.read(data))


def _decode_subscribe(data: bytes) -> Any:
    try:
        pattern_length = data[3]
        pattern_end = 4 + pattern_length
        head, pattern, latest = _unpack_from_3sx_ns_u8[pattern_length](data)
        if head != SUBSCRIBE_HEAD:
            raise ValueError
        pattern = PRINTABLE_TEXTS[pattern]
        if len(data) != pattern_end + 8:
            raise trailing(data, "SUBSCRIBE", pattern_end + 8)
        message = _new_subscribe()
        message.pattern = pattern
        message.latest = latest
        message.__class__ = Subscribe
        return message
    except FAULTS:
        pass
    return Subscribe(**_SUBSCRIBE_LAYOUT.read(data))


def scan_subscribe(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `pattern`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, pattern_length = _unpack_from_3s_u1(data)
        pattern_end = 4 + pattern_length
        if head != SUBSCRIBE_HEAD:
            raise ValueError
        if len(data) != pattern_end + 8:
            raise trailing(data, "SUBSCRIBE", pattern_end + 8)
        return 4, pattern_end
    except FAULTS:
        pass
    found: tuple[int, int] = _SUBSCRIBE_LAYOUT.scan(data)
    return found


def _decode_subscribe_ok(data: bytes) -> Any:
    try:
        if data != SUBSCRIBE_OK_HEAD:
            raise ValueError
        return _the_subscribe_ok
    except FAULTS:
        pass
    return SubscribeOk(**_SUBSCRIBE_OK_LAYOUT.read(data))


def _decode_credit(data: bytes) -> Any:
    try:
        head, credit = _unpack_from_3s_u8(data)
        if head != CREDIT_HEAD:
            raise ValueError
        if len(data) != 11:
            raise trailing(data, "CREDIT", 11)
        message = _new_credit()
        message.credit = credit
        message.__class__ = Credit
        return message
    except FAULTS:
        pass
    return Credit(**_CREDIT_LAYOUT.read(data))


def _decode_publish(data: bytes) -> Any:
    try:
        key_length = data[3]
        key_end = 4 + key_length
        head, key, body_length = _unpack_from_3sx_ns_u4[key_length](data)
        body = data[key_end + 4 :]
        if body_length > 16777216 or len(body) != body_length or head != PUBLISH_HEAD:
            raise ValueError
        key = PRINTABLE_TEXTS[key]
        message = _new_publish()
        message.key = key
        message.body = body
        message.__class__ = Publish
        return message
    except FAULTS:
        pass
    return Publish(**_PUBLISH_LAYOUT.read(data))


def scan_publish(data: bytes) -> tuple[int, int, int, int]:
    """The bounds of the content of `key`, `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, key_length = _unpack_from_3s_u1(data)
        key_end = 4 + key_length
        (body_length,) = _unpack_from_u4(data, key_end)
        body_end = key_end + 4 + body_length
        if head != PUBLISH_HEAD or body_length > 16777216:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "PUBLISH", body_end)
        return 4, key_end, key_end + 4, body_end
    except FAULTS:
        pass
    found: tuple[int, int, int, int] = _PUBLISH_LAYOUT.scan(data)
    return found


def _decode_deliver(data: bytes) -> Any:
    try:
        key_length = data[11]
        key_end = 12 + key_length
        head, sequence, key, body_length = _unpack_from_3s_u8x_ns_u4[key_length](data)
        body = data[key_end + 4 :]
        if body_length > 16777216 or len(body) != body_length or head != DELIVER_HEAD:
            raise ValueError
        key = PRINTABLE_TEXTS[key]
        message = _new_deliver()
        message.sequence = sequence
        message.key = key
        message.body = body
        message.__class__ = Deliver
        return message
    except FAULTS:
        pass
    return Deliver(**_DELIVER_LAYOUT.read(data))


def scan_deliver(data: bytes) -> tuple[int, int, int, int]:
    """The bounds of the content of `key`, `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, key_length = _unpack_from_3s8x_u1(data)
        key_end = 12 + key_length
        (body_length,) = _unpack_from_u4(data, key_end)
        body_end = key_end + 4 + body_length
        if head != DELIVER_HEAD or body_length > 16777216:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "DELIVER", body_end)
        return 12, key_end, key_end + 4, body_end
    except FAULTS:
        pass
    found: tuple[int, int, int, int] = _DELIVER_LAYOUT.scan(data)
    return found


def deliver_head(sequence: int) -> bytes:
    """The bytes of DELIVER before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_3s_u8(DELIVER_HEAD, sequence)
    except FAULTS:
        pass
    return _DELIVER_LAYOUT.write_head(sequence)


def unpack_deliver_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `deliver_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, sequence = _unpack_from_3s_u8(data, offset)
        if head != DELIVER_HEAD:
            raise ValueError
        return (sequence,)
    except FAULTS:
        pass
    found: tuple[int] = _DELIVER_LAYOUT.read_head(data, offset, 2)
    return found


def _decode_ping(data: bytes) -> Any:
    try:
        if data != PING_HEAD:
            raise ValueError
        return _the_ping
    except FAULTS:
        pass
    return Ping(**_PING_LAYOUT.read(data))


def _decode_ping_ok(data: bytes) -> Any:
    try:
        if data != PING_OK_HEAD:
            raise ValueError
        return _the_ping_ok
    except FAULTS:
        pass
    return PingOk(**_PING_OK_LAYOUT.read(data))


def _decode_detach(data: bytes) -> Any:
    try:
        if data != DETACH_HEAD:
            raise ValueError
        return _the_detach
    except FAULTS:
        pass
    return Detach(**_DETACH_LAYOUT.read(data))


def _decode_detach_ok(data: bytes) -> Any:
    try:
        if data != DETACH_OK_HEAD:
            raise ValueError
        return _the_detach_ok
    except FAULTS:
        pass
    return DetachOk(**_DETACH_OK_LAYOUT.read(data))


def _decode_invalid(data: bytes) -> Any:
    try:
        reason_length = data[3]
        reason_end = 4 + reason_length
        head, reason = _unpack_from_3sx_ns[reason_length](data)
        if head != INVALID_HEAD:
            raise ValueError
        reason = PRINTABLE_TEXTS[reason]
        if len(data) != reason_end:
            raise trailing(data, "INVALID", reason_end)
        message = _new_invalid()
        message.reason = reason
        message.__class__ = Invalid
        return message
    except FAULTS:
        pass
    return Invalid(**_INVALID_LAYOUT.read(data))


def scan_invalid(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `reason`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, reason_length = _unpack_from_3s_u1(data)
        reason_end = 4 + reason_length
        if head != INVALID_HEAD:
            raise ValueError
        if len(data) != reason_end:
            raise trailing(data, "INVALID", reason_end)
        return 4, reason_end
    except FAULTS:
        pass
    found: tuple[int, int] = _INVALID_LAYOUT.scan(data)
    return found


def _no_message(data: bytes) -> Any:
    raise unknown_number(data, b"\xaa\xa5")


_DECODERS: tuple[Callable[..., Message], ...] = table(
    {
        1: _decode_attach,
        2: _decode_attach_ok,
        3: _decode_subscribe,
        4: _decode_subscribe_ok,
        5: _decode_credit,
        6: _decode_publish,
        7: _decode_deliver,
        8: _decode_ping,
        9: _decode_ping_ok,
        10: _decode_detach,
        11: _decode_detach_ok,
        12: _decode_invalid,
    },
    _no_message,
)


def encode(message: Message) -> bytes:
    """Encodes the message to one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """Decodes the message in `data`, which must be used completely. Raises only DecodeError."""
    if type(data) is not bytes:
        data = bytes(data)
    try:
        decoder = _DECODERS[data[2]]
    except IndexError:
        raise unknown_number(data, b"\xaa\xa5") from None
    return decoder(data)
