"""ZeroMQ Enterprise Publish-Subscribe.

ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
publishes messages to it, and receives those that match its subscriptions, from any point of the
stream's history on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import bad_constants, ending, misfit, out_of_range, truncated, twin, unknown_number
from .text import has_control, octets_of

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
    "Invalid",
    "Message",
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
_unpack_u4 = Struct(">I").unpack_from
_unpack_u8 = Struct(">Q").unpack_from
_unpack_u8_u1 = Struct(">QB").unpack_from

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


@dataclass(frozen=True, slots=True)
class Attach:
    """Client opens stream."""

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "ATTACH"
    PROTOCOL: ClassVar[str] = "ZEPS"
    VERSION: ClassVar[int] = 1

    # Stream name
    stream: str

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


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Client subscribes to a set of topics."""

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "SUBSCRIBE"

    # Subscription pattern
    pattern: str
    # Last known sequence
    latest: int

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


@dataclass(frozen=True, slots=True)
class Credit:
    """Client sends credit to the server."""

    ID: ClassVar[int] = 5
    NAME: ClassVar[str] = "CREDIT"

    # Credit, in octets
    credit: int

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s3_u8(CREDIT_HEAD, self.credit)
        except error:
            raise out_of_range("CREDIT", ("credit", self.credit, 0, 18446744073709551615)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 11


@dataclass(frozen=True, slots=True)
class Publish:
    """Client publishes a new message to the open stream."""

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "PUBLISH"

    # Message routing key
    key: str
    # Message contents
    body: bytes

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            try:
                key_octets = self.key.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "PUBLISH", "key") from None
            if not self.key.isprintable() and has_control(self.key):
                raise EncodeError("bad-text", "PUBLISH", "key")
            if len(self.body) > 16777216:
                raise EncodeError("too-long", "PUBLISH", "body")
            return (
                _pack_s3_u1(PUBLISH_HEAD, len(key_octets)) + key_octets + _pack_u4(len(self.body)) + self.body
            )
        except error:
            raise out_of_range(
                "PUBLISH", ("key", octets_of(self.key), 0, 255), ("body", len(self.body), 0, 4294967295)
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 8 + octets_of(self.key) + len(self.body)


@dataclass(frozen=True, slots=True)
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

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            try:
                key_octets = self.key.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "DELIVER", "key") from None
            if not self.key.isprintable() and has_control(self.key):
                raise EncodeError("bad-text", "DELIVER", "key")
            if len(self.body) > 16777216:
                raise EncodeError("too-long", "DELIVER", "body")
            return (
                _pack_s3_u8_u1(DELIVER_HEAD, self.sequence, len(key_octets))
                + key_octets
                + _pack_u4(len(self.body))
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


@dataclass(frozen=True, slots=True)
class Invalid:
    """Server tells client it sent an invalid message."""

    ID: ClassVar[int] = 12
    NAME: ClassVar[str] = "INVALID"

    # Printable explanation
    reason: str

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

_attach = twin(Attach)
_attach_ok = AttachOk()
_subscribe = twin(Subscribe)
_subscribe_ok = SubscribeOk()
_credit = twin(Credit)
_publish = twin(Publish)
_deliver = twin(Deliver)
_ping = Ping()
_ping_ok = PingOk()
_detach = Detach()
_detach_ok = DetachOk()
_invalid = twin(Invalid)


def _decode_attach(data: bytes) -> Any:
    size = len(data)
    if not data.startswith(ATTACH_HEAD):
        raise bad_constants("ATTACH", data, 3, ("protocol", b"\x04ZEPS"), ("version", b"\x00\x01"))
    if size < 11:
        raise truncated("ATTACH", size, ("stream", 10, 11))
    stream_length = data[10]
    stream_end = 11 + stream_length
    if stream_end > size:
        raise DecodeError("truncated", "ATTACH", "stream", 10)
    try:
        stream = data[11:stream_end].decode()
    except UnicodeDecodeError:
        raise DecodeError("bad-text", "ATTACH", "stream", 10) from None
    if not stream.isprintable() and has_control(stream):
        raise DecodeError("bad-text", "ATTACH", "stream", 10)
    if size != stream_end:
        raise DecodeError("trailing", "ATTACH", None, stream_end)
    message = _attach()
    message.stream = stream
    message.__class__ = Attach
    return message


def scan_attach(data: bytes) -> tuple[int, int]:
    """Where the content of stream starts and ends. Checks all but what text holds."""
    size = len(data)
    if not data.startswith(b"\xaa\xa5\x01"):
        raise bad_constants("ATTACH", data, 0, (None, b"\xaa\xa5\x01"))
    if not data.startswith(ATTACH_HEAD):
        raise bad_constants("ATTACH", data, 3, ("protocol", b"\x04ZEPS"), ("version", b"\x00\x01"))
    if size < 11:
        raise truncated("ATTACH", size, ("stream", 10, 11))
    stream_length = data[10]
    stream_end = 11 + stream_length
    if stream_end != size:
        raise ending("ATTACH", "stream", 10, stream_end, size)
    return 11, stream_end


def _decode_attach_ok(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "ATTACH-OK", None, 3)
    return _attach_ok


def _decode_subscribe(data: bytes) -> Any:
    size = len(data)
    if size < 4:
        raise truncated("SUBSCRIBE", size, ("pattern", 3, 4))
    pattern_length = data[3]
    pattern_end = 4 + pattern_length
    if pattern_end > size:
        raise DecodeError("truncated", "SUBSCRIBE", "pattern", 3)
    try:
        pattern = data[4:pattern_end].decode()
    except UnicodeDecodeError:
        raise DecodeError("bad-text", "SUBSCRIBE", "pattern", 3) from None
    if not pattern.isprintable() and has_control(pattern):
        raise DecodeError("bad-text", "SUBSCRIBE", "pattern", 3)
    if size != pattern_end + 8:
        raise misfit("SUBSCRIBE", size, pattern_end + 8, ("latest", pattern_end, pattern_end + 8))
    (latest,) = _unpack_u8(data, pattern_end)
    message = _subscribe()
    message.pattern = pattern
    message.latest = latest
    message.__class__ = Subscribe
    return message


def scan_subscribe(data: bytes) -> tuple[int, int]:
    """Where the content of pattern starts and ends. Checks all but what text holds."""
    size = len(data)
    if not data.startswith(b"\xaa\xa5\x03"):
        raise bad_constants("SUBSCRIBE", data, 0, (None, b"\xaa\xa5\x03"))
    if size < 4:
        raise truncated("SUBSCRIBE", size, ("pattern", 3, 4))
    pattern_length = data[3]
    pattern_end = 4 + pattern_length
    if pattern_end > size:
        raise DecodeError("truncated", "SUBSCRIBE", "pattern", 3)
    if size != pattern_end + 8:
        raise misfit("SUBSCRIBE", size, pattern_end + 8, ("latest", pattern_end, pattern_end + 8))
    return 4, pattern_end


def _decode_subscribe_ok(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "SUBSCRIBE-OK", None, 3)
    return _subscribe_ok


def _decode_credit(data: bytes) -> Any:
    size = len(data)
    if size != 11:
        raise misfit("CREDIT", size, 11, ("credit", 3, 11))
    (credit,) = _unpack_u8(data, 3)
    message = _credit()
    message.credit = credit
    message.__class__ = Credit
    return message


def _decode_publish(data: bytes) -> Any:
    size = len(data)
    if size < 4:
        raise truncated("PUBLISH", size, ("key", 3, 4))
    key_length = data[3]
    key_end = 4 + key_length
    if key_end > size:
        raise DecodeError("truncated", "PUBLISH", "key", 3)
    try:
        key = data[4:key_end].decode()
    except UnicodeDecodeError:
        raise DecodeError("bad-text", "PUBLISH", "key", 3) from None
    if not key.isprintable() and has_control(key):
        raise DecodeError("bad-text", "PUBLISH", "key", 3)
    if size < key_end + 4:
        raise truncated("PUBLISH", size, ("body", key_end, key_end + 4))
    (body_length,) = _unpack_u4(data, key_end)
    if body_length > 16777216:
        raise DecodeError("too-long", "PUBLISH", "body", key_end)
    body_end = key_end + 4 + body_length
    if body_end != size:
        raise ending("PUBLISH", "body", key_end, body_end, size)
    body = data[key_end + 4 :]
    message = _publish()
    message.key = key
    message.body = body
    message.__class__ = Publish
    return message


def scan_publish(data: bytes) -> tuple[int, int, int, int]:
    """Where the content of key and of body starts and ends. Checks all but what text holds."""
    size = len(data)
    if not data.startswith(b"\xaa\xa5\x06"):
        raise bad_constants("PUBLISH", data, 0, (None, b"\xaa\xa5\x06"))
    if size < 4:
        raise truncated("PUBLISH", size, ("key", 3, 4))
    key_length = data[3]
    key_end = 4 + key_length
    if key_end > size:
        raise DecodeError("truncated", "PUBLISH", "key", 3)
    if size < key_end + 4:
        raise truncated("PUBLISH", size, ("body", key_end, key_end + 4))
    (body_length,) = _unpack_u4(data, key_end)
    if body_length > 16777216:
        raise DecodeError("too-long", "PUBLISH", "body", key_end)
    body_end = key_end + 4 + body_length
    if body_end != size:
        raise ending("PUBLISH", "body", key_end, body_end, size)
    return 4, key_end, key_end + 4, body_end


def _decode_deliver(data: bytes) -> Any:
    size = len(data)
    if size < 12:
        raise truncated("DELIVER", size, ("sequence", 3, 11), ("key", 11, 12))
    sequence, key_length = _unpack_u8_u1(data, 3)
    key_end = 12 + key_length
    if key_end > size:
        raise DecodeError("truncated", "DELIVER", "key", 11)
    try:
        key = data[12:key_end].decode()
    except UnicodeDecodeError:
        raise DecodeError("bad-text", "DELIVER", "key", 11) from None
    if not key.isprintable() and has_control(key):
        raise DecodeError("bad-text", "DELIVER", "key", 11)
    if size < key_end + 4:
        raise truncated("DELIVER", size, ("body", key_end, key_end + 4))
    (body_length,) = _unpack_u4(data, key_end)
    if body_length > 16777216:
        raise DecodeError("too-long", "DELIVER", "body", key_end)
    body_end = key_end + 4 + body_length
    if body_end != size:
        raise ending("DELIVER", "body", key_end, body_end, size)
    body = data[key_end + 4 :]
    message = _deliver()
    message.sequence = sequence
    message.key = key
    message.body = body
    message.__class__ = Deliver
    return message


def scan_deliver(data: bytes) -> tuple[int, int, int, int]:
    """Where the content of key and of body starts and ends. Checks all but what text holds."""
    size = len(data)
    if not data.startswith(b"\xaa\xa5\x07"):
        raise bad_constants("DELIVER", data, 0, (None, b"\xaa\xa5\x07"))
    if size < 12:
        raise truncated("DELIVER", size, ("sequence", 3, 11), ("key", 11, 12))
    key_length = data[11]
    key_end = 12 + key_length
    if key_end > size:
        raise DecodeError("truncated", "DELIVER", "key", 11)
    if size < key_end + 4:
        raise truncated("DELIVER", size, ("body", key_end, key_end + 4))
    (body_length,) = _unpack_u4(data, key_end)
    if body_length > 16777216:
        raise DecodeError("too-long", "DELIVER", "body", key_end)
    body_end = key_end + 4 + body_length
    if body_end != size:
        raise ending("DELIVER", "body", key_end, body_end, size)
    return 12, key_end, key_end + 4, body_end


def deliver_head(sequence: int) -> bytes:
    """The octets of DELIVER up to the first field whose size varies."""
    try:
        return _pack_s3_u8(DELIVER_HEAD, sequence)
    except error:
        raise out_of_range("DELIVER", ("sequence", sequence, 0, 18446744073709551615)) from None


def unpack_deliver_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `deliver_head` packed, at `offset`."""
    size = len(data)
    if data[offset : offset + 3] != DELIVER_HEAD:
        raise bad_constants("DELIVER", data, offset, (None, b"\xaa\xa5\x07"))
    if size < offset + 11:
        raise truncated("DELIVER", size, ("sequence", offset + 3, offset + 11))
    (sequence,) = _unpack_u8(data, offset + 3)
    return (sequence,)


def _decode_ping(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "PING", None, 3)
    return _ping


def _decode_ping_ok(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "PING-OK", None, 3)
    return _ping_ok


def _decode_detach(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "DETACH", None, 3)
    return _detach


def _decode_detach_ok(data: bytes) -> Any:
    size = len(data)
    if size != 3:
        raise DecodeError("trailing", "DETACH-OK", None, 3)
    return _detach_ok


def _decode_invalid(data: bytes) -> Any:
    size = len(data)
    if size < 4:
        raise truncated("INVALID", size, ("reason", 3, 4))
    reason_length = data[3]
    reason_end = 4 + reason_length
    if reason_end > size:
        raise DecodeError("truncated", "INVALID", "reason", 3)
    try:
        reason = data[4:reason_end].decode()
    except UnicodeDecodeError:
        raise DecodeError("bad-text", "INVALID", "reason", 3) from None
    if not reason.isprintable() and has_control(reason):
        raise DecodeError("bad-text", "INVALID", "reason", 3)
    if size != reason_end:
        raise DecodeError("trailing", "INVALID", None, reason_end)
    message = _invalid()
    message.reason = reason
    message.__class__ = Invalid
    return message


def scan_invalid(data: bytes) -> tuple[int, int]:
    """Where the content of reason starts and ends. Checks all but what text holds."""
    size = len(data)
    if not data.startswith(b"\xaa\xa5\x0c"):
        raise bad_constants("INVALID", data, 0, (None, b"\xaa\xa5\x0c"))
    if size < 4:
        raise truncated("INVALID", size, ("reason", 3, 4))
    reason_length = data[3]
    reason_end = 4 + reason_length
    if reason_end != size:
        raise ending("INVALID", "reason", 3, reason_end, size)
    return 4, reason_end


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"\xaa\xa5\x01": _decode_attach,
    b"\xaa\xa5\x02": _decode_attach_ok,
    b"\xaa\xa5\x05": _decode_credit,
    b"\xaa\xa5\x07": _decode_deliver,
    b"\xaa\xa5\n": _decode_detach,
    b"\xaa\xa5\x0b": _decode_detach_ok,
    b"\xaa\xa5\x0c": _decode_invalid,
    b"\xaa\xa5\x08": _decode_ping,
    b"\xaa\xa5\t": _decode_ping_ok,
    b"\xaa\xa5\x06": _decode_publish,
    b"\xaa\xa5\x03": _decode_subscribe,
    b"\xaa\xa5\x04": _decode_subscribe_ok,
}


def encode(message: Message) -> bytes:
    """The message as one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """The message that `data` holds, to its last octet. Raises DecodeError, and nothing else."""
    if type(data) is not bytes:
        data = bytes(data)
    decoder = _DECODERS.get(data[:3])
    if decoder is None:
        raise unknown_number(data, b"\xaa\xa5")
    return decoder(data)
