"""ZeroMQ Enterprise Publish-Subscribe.

ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
publishes messages to it, and receives those that match its subscriptions, from any point of the
stream's history on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .shapes import OctetTable, PackerTable, TextTable, UnpackerTable
from .support import (
    Beginning,
    bad_constants,
    bad_text,
    ending,
    misfit,
    misread,
    out_of_range,
    setters,
    table,
    truncated,
    twin,
    unknown_number,
)
from .text import has_control, is_printable, octets_of

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

# A `latest` that asks for everything retained.
LATEST_ALL = 0
# A `latest` that asks for new messages only.
LATEST_NEW = 18446744073709551615

_pack_s10_u1 = Struct(">10sB").pack
_pack_s3_u1 = Struct(">3sB").pack
_pack_s3_u8 = Struct(">3sQ").pack
_pack_s3_u8_u1 = Struct(">3sQB").pack
_pack_u4 = Struct(">I").pack
_pack_u8 = Struct(">Q").pack
_unpack_all_s3_u8 = Struct(">3sQ").unpack
_unpack_s3_u8_u1 = Struct(">3sQB").unpack_from
_unpack_s3_x8_u1 = Struct(">3s8xB").unpack_from
_unpack_u4 = Struct(">I").unpack_from
_unpack_u8 = Struct(">Q").unpack_from

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

_PRINTABLE_TEXTS = TextTable(is_printable)
_PRINTABLE_OCTETS = OctetTable(is_printable)
_PUBLISH_UNPACKERS = UnpackerTable(">3sx{}sI{}s", 8, 16777216)
_PUBLISH_PACKERS = PackerTable(">3sB{}sI{}s", 16777216)
_DELIVER_UNPACKERS = UnpackerTable(">3sQx{}sI{}s", 16, 16777216)
_DELIVER_PACKERS = PackerTable(">3sQB{}sI{}s", 16777216)

_ATTACH_BEGINNING = Beginning(
    "ATTACH", b"\xaa\xa5\x01", (("protocol", b"\x04ZEPS"), ("version", b"\x00\x01"))
)
_ATTACH_OK_BEGINNING = Beginning("ATTACH-OK", b"\xaa\xa5\x02", ())
_SUBSCRIBE_BEGINNING = Beginning("SUBSCRIBE", b"\xaa\xa5\x03", ())
_SUBSCRIBE_OK_BEGINNING = Beginning("SUBSCRIBE-OK", b"\xaa\xa5\x04", ())
_CREDIT_BEGINNING = Beginning("CREDIT", b"\xaa\xa5\x05", ())
_PUBLISH_BEGINNING = Beginning("PUBLISH", b"\xaa\xa5\x06", ())
_DELIVER_BEGINNING = Beginning("DELIVER", b"\xaa\xa5\x07", ())
_PING_BEGINNING = Beginning("PING", b"\xaa\xa5\x08", ())
_PING_OK_BEGINNING = Beginning("PING-OK", b"\xaa\xa5\t", ())
_DETACH_BEGINNING = Beginning("DETACH", b"\xaa\xa5\n", ())
_DETACH_OK_BEGINNING = Beginning("DETACH-OK", b"\xaa\xa5\x0b", ())
_INVALID_BEGINNING = Beginning("INVALID", b"\xaa\xa5\x0c", ())


class EndingCode(StrEnum):
    """Codes of INVALID after which there is no session. A code that a client does not know counts as
    one of these.
    """

    # What arrived cannot be decoded.
    MALFORMED = "malformed"
    # The command's number is not defined in this version.
    UNKNOWN_COMMAND = "unknown-command"
    # A command other than ATTACH came without a session.
    NO_SESSION = "no-session"
    # The connection chose its own routing id.
    ROUTING_ID = "routing-id"
    # Refuses ATTACH: another protocol.
    UNSUPPORTED_PROTOCOL = "unsupported-protocol"
    # Refuses ATTACH: a version that the broker does not speak.
    UNSUPPORTED_VERSION = "unsupported-version"
    # Refuses ATTACH: the stream name is empty.
    STREAM_NAME = "stream-name"
    # Refuses ATTACH: the broker cannot serve the stream; trying again later may help.
    STREAM_UNAVAILABLE = "stream-unavailable"
    # Refuses ATTACH: the broker has as many sessions as it may have; trying again later may help.
    TOO_MANY_SESSIONS = "too-many-sessions"
    # Refuses ATTACH: the broker is stopping; trying again later may help.
    STOPPING = "stopping"


_members_of_ending_code: dict[str, EndingCode] = {member.value: member for member in EndingCode}


class OpenCode(StrEnum):
    """Codes of INVALID that leave an open session as it is."""

    # A command that only the broker sends, or DETACH-OK without DETACH; it was ignored.
    UNEXPECTED = "unexpected"
    # Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's matching style.
    BAD_PATTERN = "bad-pattern"
    # Refuses SUBSCRIBE: the session has as many subscriptions as it may have.
    TOO_MANY_SUBSCRIPTIONS = "too-many-subscriptions"
    # Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last are no longer
    # retained.
    NOT_RETAINED = "not-retained"
    # Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not exist; the
    # stream ends before first.
    BEYOND_END = "beyond-end"
    # A notice: the sequences from first to last were to be delivered, and retention has removed
    # them.
    RETENTION = "retention"
    # A notice: the sequences from first to last were to be delivered, and the journal is damaged
    # there.
    DAMAGE = "damage"


_members_of_open_code: dict[str, OpenCode] = {member.value: member for member in OpenCode}


@dataclass(frozen=True, slots=True, init=False)
class Attach:
    """Client opens stream."""

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "ATTACH"
    PROTOCOL: ClassVar[str] = "ZEPS"
    VERSION: ClassVar[int] = 1

    # Stream name
    stream: str

    def __init__(
        self,
        stream: str,
    ) -> None:
        _set_attach__stream(self, stream)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            try:
                stream_octets = self.stream.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "ATTACH", "stream") from None
            if not self.stream.isprintable() and has_control(self.stream):
                raise EncodeError("bad-text", "ATTACH", "stream")
            return _pack_s10_u1(ATTACH_HEAD, len(stream_octets)) + stream_octets
        except error:
            raise out_of_range("ATTACH", ("stream", octets_of(self.stream), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 11 + octets_of(self.stream)


@dataclass(frozen=True, slots=True)
class AttachOk:
    """Server grants the client access."""

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "ATTACH-OK"

    def encode(self) -> bytes:
        """The message as one frame."""
        return ATTACH_OK_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Subscribe:
    """Client subscribes to a set of topics."""

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "SUBSCRIBE"

    # Subscription pattern
    pattern: str
    # Last known sequence
    latest: int

    def __init__(
        self,
        pattern: str,
        latest: int,
    ) -> None:
        _set_subscribe__pattern(self, pattern)
        _set_subscribe__latest(self, latest)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            try:
                pattern_octets = self.pattern.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "SUBSCRIBE", "pattern") from None
            if not self.pattern.isprintable() and has_control(self.pattern):
                raise EncodeError("bad-text", "SUBSCRIBE", "pattern")
            return _pack_s3_u1(SUBSCRIBE_HEAD, len(pattern_octets)) + pattern_octets + _pack_u8(self.latest)
        except error:
            raise out_of_range(
                "SUBSCRIBE",
                ("pattern", octets_of(self.pattern), 0, 255),
                ("latest", self.latest, 0, 18446744073709551615),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 12 + octets_of(self.pattern)


@dataclass(frozen=True, slots=True)
class SubscribeOk:
    """Server confirms the subscription."""

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "SUBSCRIBE-OK"

    def encode(self) -> bytes:
        """The message as one frame."""
        return SUBSCRIBE_OK_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Credit:
    """Client sends credit to the server."""

    ID: ClassVar[int] = 5
    NAME: ClassVar[str] = "CREDIT"

    # Credit, in octets
    credit: int

    def __init__(
        self,
        credit: int,
    ) -> None:
        _set_credit__credit(self, credit)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s3_u8(CREDIT_HEAD, self.credit)
        except error:
            raise out_of_range("CREDIT", ("credit", self.credit, 0, 18446744073709551615)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 11


@dataclass(frozen=True, slots=True, init=False)
class Publish:
    """Client publishes a new message to the open stream."""

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "PUBLISH"

    # Message routing key
    key: str
    # Message contents
    body: bytes

    def __init__(
        self,
        key: str,
        body: bytes,
    ) -> None:
        _set_publish__key(self, key)
        _set_publish__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            key_octets, body_ = _PRINTABLE_OCTETS[self.key], self.body
            size = len(key_octets)
            return _PUBLISH_PACKERS[size, len(body_)](PUBLISH_HEAD, size, key_octets, len(body_), body_)
        except (KeyError, error):
            pass
        try:
            try:
                key_octets = self.key.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "PUBLISH", "key") from None
            if not self.key.isprintable() and has_control(self.key):
                raise EncodeError("bad-text", "PUBLISH", "key")
            body_length = len(self.body)
            if body_length > 16777216:
                raise EncodeError("too-long", "PUBLISH", "body")
            return _pack_s3_u1(PUBLISH_HEAD, len(key_octets)) + key_octets + _pack_u4(body_length) + self.body
        except error:
            raise out_of_range(
                "PUBLISH", ("key", octets_of(self.key), 0, 255), ("body", len(self.body), 0, 4294967295)
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 8 + octets_of(self.key) + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class Deliver:
    """Server delivers a message to the client."""

    ID: ClassVar[int] = 7
    NAME: ClassVar[str] = "DELIVER"

    # Sequenced per stream
    sequence: int
    # Message routing key
    key: str
    # Message contents
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
        """The message as one frame."""
        try:
            key_octets, body_ = _PRINTABLE_OCTETS[self.key], self.body
            size = len(key_octets)
            return _DELIVER_PACKERS[size, len(body_)](
                DELIVER_HEAD, self.sequence, size, key_octets, len(body_), body_
            )
        except (KeyError, error):
            pass
        try:
            try:
                key_octets = self.key.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "DELIVER", "key") from None
            if not self.key.isprintable() and has_control(self.key):
                raise EncodeError("bad-text", "DELIVER", "key")
            body_length = len(self.body)
            if body_length > 16777216:
                raise EncodeError("too-long", "DELIVER", "body")
            return (
                _pack_s3_u8_u1(DELIVER_HEAD, self.sequence, len(key_octets))
                + key_octets
                + _pack_u4(body_length)
                + self.body
            )
        except error:
            raise out_of_range(
                "DELIVER",
                ("sequence", self.sequence, 0, 18446744073709551615),
                ("key", octets_of(self.key), 0, 255),
                ("body", len(self.body), 0, 4294967295),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 16 + octets_of(self.key) + len(self.body)


@dataclass(frozen=True, slots=True)
class Ping:
    """Client or server sends a heartbeat."""

    ID: ClassVar[int] = 8
    NAME: ClassVar[str] = "PING"

    def encode(self) -> bytes:
        """The message as one frame."""
        return PING_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True)
class PingOk:
    """Client or server answers a heartbeat."""

    ID: ClassVar[int] = 9
    NAME: ClassVar[str] = "PING-OK"

    def encode(self) -> bytes:
        """The message as one frame."""
        return PING_OK_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True)
class Detach:
    """Client or server closes the peering."""

    ID: ClassVar[int] = 10
    NAME: ClassVar[str] = "DETACH"

    def encode(self) -> bytes:
        """The message as one frame."""
        return DETACH_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True)
class DetachOk:
    """Client or server confirms the close."""

    ID: ClassVar[int] = 11
    NAME: ClassVar[str] = "DETACH-OK"

    def encode(self) -> bytes:
        """The message as one frame."""
        return DETACH_OK_HEAD

    def size(self) -> int:
        """Octets of the encoded message."""
        return 3


@dataclass(frozen=True, slots=True, init=False)
class Invalid:
    """Server tells client it sent an invalid message."""

    ID: ClassVar[int] = 12
    NAME: ClassVar[str] = "INVALID"

    # Printable explanation
    reason: str

    def __init__(
        self,
        reason: str,
    ) -> None:
        _set_invalid__reason(self, reason)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            try:
                reason_octets = self.reason.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "INVALID", "reason") from None
            if not self.reason.isprintable() and has_control(self.reason):
                raise EncodeError("bad-text", "INVALID", "reason")
            return _pack_s3_u1(INVALID_HEAD, len(reason_octets)) + reason_octets
        except error:
            raise out_of_range("INVALID", ("reason", octets_of(self.reason), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
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
    if not data.startswith(ATTACH_HEAD):
        raise misread(_ATTACH_BEGINNING, data, ("stream", 10, 11))
    try:
        stream_length = data[10]
    except IndexError:
        raise misread(_ATTACH_BEGINNING, data, ("stream", 10, 11)) from None
    stream_end = 11 + stream_length
    try:
        stream = data[11:stream_end].decode()
    except UnicodeDecodeError:
        raise bad_text("ATTACH", "stream", 10, stream_end, len(data)) from None
    if not stream.isprintable() and has_control(stream):
        raise bad_text("ATTACH", "stream", 10, stream_end, len(data))
    if len(data) != stream_end:
        raise ending("ATTACH", "stream", 10, stream_end, len(data))
    message = _new_attach()
    message.stream = stream
    message.__class__ = Attach
    return message


def scan_attach(data: bytes) -> tuple[int, int]:
    """Where the content of `stream` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(ATTACH_HEAD):
        raise misread(_ATTACH_BEGINNING, data, ("stream", 10, 11))
    try:
        stream_length = data[10]
    except IndexError:
        raise misread(_ATTACH_BEGINNING, data, ("stream", 10, 11)) from None
    stream_end = 11 + stream_length
    if len(data) != stream_end:
        raise ending("ATTACH", "stream", 10, stream_end, len(data))
    return 11, stream_end


def _decode_attach_ok(data: bytes) -> Any:
    if data != ATTACH_OK_HEAD:
        raise misread(_ATTACH_OK_BEGINNING, data)
    return _the_attach_ok


def _decode_subscribe(data: bytes) -> Any:
    if not data.startswith(SUBSCRIBE_HEAD):
        raise misread(_SUBSCRIBE_BEGINNING, data, ("pattern", 3, 4))
    try:
        pattern_length = data[3]
    except IndexError:
        raise misread(_SUBSCRIBE_BEGINNING, data, ("pattern", 3, 4)) from None
    pattern_end = 4 + pattern_length
    try:
        pattern = data[4:pattern_end].decode()
    except UnicodeDecodeError:
        raise bad_text("SUBSCRIBE", "pattern", 3, pattern_end, len(data)) from None
    if not pattern.isprintable() and has_control(pattern):
        raise bad_text("SUBSCRIBE", "pattern", 3, pattern_end, len(data))
    if len(data) != pattern_end + 8:
        raise misfit(
            "SUBSCRIBE",
            len(data),
            pattern_end + 8,
            ("pattern", 3, pattern_end),
            ("latest", pattern_end, pattern_end + 8),
        )
    (latest,) = _unpack_u8(data, pattern_end)
    message = _new_subscribe()
    message.pattern = pattern
    message.latest = latest
    message.__class__ = Subscribe
    return message


def scan_subscribe(data: bytes) -> tuple[int, int]:
    """Where the content of `pattern` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(SUBSCRIBE_HEAD):
        raise misread(_SUBSCRIBE_BEGINNING, data, ("pattern", 3, 4))
    try:
        pattern_length = data[3]
    except IndexError:
        raise misread(_SUBSCRIBE_BEGINNING, data, ("pattern", 3, 4)) from None
    pattern_end = 4 + pattern_length
    if len(data) != pattern_end + 8:
        raise misfit(
            "SUBSCRIBE",
            len(data),
            pattern_end + 8,
            ("pattern", 3, pattern_end),
            ("latest", pattern_end, pattern_end + 8),
        )
    return 4, pattern_end


def _decode_subscribe_ok(data: bytes) -> Any:
    if data != SUBSCRIBE_OK_HEAD:
        raise misread(_SUBSCRIBE_OK_BEGINNING, data)
    return _the_subscribe_ok


def _decode_credit(data: bytes) -> Any:
    try:
        head, credit = _unpack_all_s3_u8(data)
    except error:
        raise misread(_CREDIT_BEGINNING, data, ("credit", 3, 11)) from None
    if head != CREDIT_HEAD:
        raise misread(_CREDIT_BEGINNING, data, ("credit", 3, 11))
    message = _new_credit()
    message.credit = credit
    message.__class__ = Credit
    return message


def _decode_publish(data: bytes) -> Any:
    try:
        unpack_all, size = _PUBLISH_UNPACKERS[data[3], len(data)]
        head, key_octets, body_length, body = unpack_all(data)
        key = _PRINTABLE_TEXTS[key_octets]
    except (IndexError, KeyError):
        pass
    else:
        if head == PUBLISH_HEAD and body_length == size:
            message = _new_publish()
            message.key = key
            message.body = body
            message.__class__ = Publish
            return message
    if not data.startswith(PUBLISH_HEAD):
        raise misread(_PUBLISH_BEGINNING, data, ("key", 3, 4))
    try:
        key_length = data[3]
    except IndexError:
        raise misread(_PUBLISH_BEGINNING, data, ("key", 3, 4)) from None
    key_end = 4 + key_length
    try:
        key = data[4:key_end].decode()
    except UnicodeDecodeError:
        raise bad_text("PUBLISH", "key", 3, key_end, len(data)) from None
    if not key.isprintable() and has_control(key):
        raise bad_text("PUBLISH", "key", 3, key_end, len(data))
    try:
        (body_length,) = _unpack_u4(data, key_end)
    except error:
        raise truncated("PUBLISH", len(data), ("key", 3, key_end), ("body", key_end, key_end + 4)) from None
    if body_length > 16777216:
        raise DecodeError("too-long", "PUBLISH", "body", key_end)
    body_end = key_end + 4 + body_length
    if len(data) != body_end:
        raise ending("PUBLISH", "body", key_end, body_end, len(data))
    body = data[key_end + 4 :]
    message = _new_publish()
    message.key = key
    message.body = body
    message.__class__ = Publish
    return message


def scan_publish(data: bytes) -> tuple[int, int, int, int]:
    """Where the content of `key` and `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(PUBLISH_HEAD):
        raise misread(_PUBLISH_BEGINNING, data, ("key", 3, 4))
    try:
        key_length = data[3]
    except IndexError:
        raise misread(_PUBLISH_BEGINNING, data, ("key", 3, 4)) from None
    key_end = 4 + key_length
    try:
        (body_length,) = _unpack_u4(data, key_end)
    except error:
        raise truncated("PUBLISH", len(data), ("key", 3, key_end), ("body", key_end, key_end + 4)) from None
    if body_length > 16777216:
        raise DecodeError("too-long", "PUBLISH", "body", key_end)
    body_end = key_end + 4 + body_length
    if len(data) != body_end:
        raise ending("PUBLISH", "body", key_end, body_end, len(data))
    return 4, key_end, key_end + 4, body_end


def _decode_deliver(data: bytes) -> Any:
    try:
        unpack_all, size = _DELIVER_UNPACKERS[data[11], len(data)]
        head, sequence, key_octets, body_length, body = unpack_all(data)
        key = _PRINTABLE_TEXTS[key_octets]
    except (IndexError, KeyError):
        pass
    else:
        if head == DELIVER_HEAD and body_length == size:
            message = _new_deliver()
            message.sequence = sequence
            message.key = key
            message.body = body
            message.__class__ = Deliver
            return message
    try:
        head, sequence, key_length = _unpack_s3_u8_u1(data)
    except error:
        raise misread(_DELIVER_BEGINNING, data, ("sequence", 3, 11), ("key", 11, 12)) from None
    if head != DELIVER_HEAD:
        raise misread(_DELIVER_BEGINNING, data, ("sequence", 3, 11), ("key", 11, 12))
    key_end = 12 + key_length
    try:
        key = data[12:key_end].decode()
    except UnicodeDecodeError:
        raise bad_text("DELIVER", "key", 11, key_end, len(data)) from None
    if not key.isprintable() and has_control(key):
        raise bad_text("DELIVER", "key", 11, key_end, len(data))
    try:
        (body_length,) = _unpack_u4(data, key_end)
    except error:
        raise truncated("DELIVER", len(data), ("key", 11, key_end), ("body", key_end, key_end + 4)) from None
    if body_length > 16777216:
        raise DecodeError("too-long", "DELIVER", "body", key_end)
    body_end = key_end + 4 + body_length
    if len(data) != body_end:
        raise ending("DELIVER", "body", key_end, body_end, len(data))
    body = data[key_end + 4 :]
    message = _new_deliver()
    message.sequence = sequence
    message.key = key
    message.body = body
    message.__class__ = Deliver
    return message


def scan_deliver(data: bytes) -> tuple[int, int, int, int]:
    """Where the content of `key` and `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, key_length = _unpack_s3_x8_u1(data)
    except error:
        raise misread(_DELIVER_BEGINNING, data, ("sequence", 3, 11), ("key", 11, 12)) from None
    if head != DELIVER_HEAD:
        raise misread(_DELIVER_BEGINNING, data, ("sequence", 3, 11), ("key", 11, 12))
    key_end = 12 + key_length
    try:
        (body_length,) = _unpack_u4(data, key_end)
    except error:
        raise truncated("DELIVER", len(data), ("key", 11, key_end), ("body", key_end, key_end + 4)) from None
    if body_length > 16777216:
        raise DecodeError("too-long", "DELIVER", "body", key_end)
    body_end = key_end + 4 + body_length
    if len(data) != body_end:
        raise ending("DELIVER", "body", key_end, body_end, len(data))
    return 12, key_end, key_end + 4, body_end


def deliver_head(sequence: int) -> bytes:
    """The octets of DELIVER up to the first field whose size varies."""
    try:
        return _pack_s3_u8(DELIVER_HEAD, sequence)
    except error:
        raise out_of_range("DELIVER", ("sequence", sequence, 0, 18446744073709551615)) from None


def unpack_deliver_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `deliver_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 3] != DELIVER_HEAD:
        raise bad_constants("DELIVER", data, offset, (None, b"\xaa\xa5\x07"))
    try:
        (sequence,) = _unpack_u8(data, offset + 3)
    except error:
        raise truncated("DELIVER", len(data), ("sequence", offset + 3, offset + 11)) from None
    return (sequence,)


def _decode_ping(data: bytes) -> Any:
    if data != PING_HEAD:
        raise misread(_PING_BEGINNING, data)
    return _the_ping


def _decode_ping_ok(data: bytes) -> Any:
    if data != PING_OK_HEAD:
        raise misread(_PING_OK_BEGINNING, data)
    return _the_ping_ok


def _decode_detach(data: bytes) -> Any:
    if data != DETACH_HEAD:
        raise misread(_DETACH_BEGINNING, data)
    return _the_detach


def _decode_detach_ok(data: bytes) -> Any:
    if data != DETACH_OK_HEAD:
        raise misread(_DETACH_OK_BEGINNING, data)
    return _the_detach_ok


def _decode_invalid(data: bytes) -> Any:
    if not data.startswith(INVALID_HEAD):
        raise misread(_INVALID_BEGINNING, data, ("reason", 3, 4))
    try:
        reason_length = data[3]
    except IndexError:
        raise misread(_INVALID_BEGINNING, data, ("reason", 3, 4)) from None
    reason_end = 4 + reason_length
    try:
        reason = data[4:reason_end].decode()
    except UnicodeDecodeError:
        raise bad_text("INVALID", "reason", 3, reason_end, len(data)) from None
    if not reason.isprintable() and has_control(reason):
        raise bad_text("INVALID", "reason", 3, reason_end, len(data))
    if len(data) != reason_end:
        raise ending("INVALID", "reason", 3, reason_end, len(data))
    message = _new_invalid()
    message.reason = reason
    message.__class__ = Invalid
    return message


def scan_invalid(data: bytes) -> tuple[int, int]:
    """Where the content of `reason` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(INVALID_HEAD):
        raise misread(_INVALID_BEGINNING, data, ("reason", 3, 4))
    try:
        reason_length = data[3]
    except IndexError:
        raise misread(_INVALID_BEGINNING, data, ("reason", 3, 4)) from None
    reason_end = 4 + reason_length
    if len(data) != reason_end:
        raise ending("INVALID", "reason", 3, reason_end, len(data))
    return 4, reason_end


def _no_message(data: bytes) -> Any:
    raise unknown_number(data, b"\xaa\xa5")


_DECODERS: tuple[Callable[[bytes], Message], ...] = table(
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
    """The message as one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """The message that `data` holds, to its last octet. Raises DecodeError, and nothing else."""
    if type(data) is not bytes:
        data = bytes(data)
    try:
        decoder = _DECODERS[data[2]]
    except IndexError:
        raise unknown_number(data, b"\xaa\xa5") from None
    return decoder(data)
