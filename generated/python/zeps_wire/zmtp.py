"""ZMTP 3, publish-subscribe.

What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and
then what frames hold, the body of a command or of a message. A publisher takes a message for what
it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE
and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by filters of other
kinds than the beginning of a message. A filter has a kind, one octet, whose meaning publishers and
subscribers agree on elsewhere, and any octets. Whoever does not know the kind of a filter sends
everything, which is always right: filtering at the publisher saves traffic and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import (
    Beginning,
    bad_constants,
    ending,
    miscounted,
    misfit,
    misread,
    out_of_range,
    setters,
    truncated,
    twin,
    unknown,
)

__all__ = [
    "CANCELLATION_HEAD",
    "CANCELLATION_X_HEAD",
    "CANCELLATION_X_HEAD_SIZE",
    "CANCEL_HEAD",
    "CANCEL_X_HEAD",
    "CANCEL_X_HEAD_SIZE",
    "ERROR_HEAD",
    "GREETING_HEAD",
    "MESSAGES",
    "PING_HEAD",
    "PING_HEAD_SIZE",
    "PONG_HEAD",
    "READY_HEAD",
    "SUBSCRIBE_HEAD",
    "SUBSCRIBE_X_HEAD",
    "SUBSCRIBE_X_HEAD_SIZE",
    "SUBSCRIPTION_HEAD",
    "SUBSCRIPTION_X_HEAD",
    "SUBSCRIPTION_X_HEAD_SIZE",
    "Cancel",
    "CancelX",
    "Cancellation",
    "CancellationX",
    "Error",
    "Greeting",
    "Message",
    "Ping",
    "Pong",
    "Ready",
    "Subscribe",
    "SubscribeX",
    "Subscription",
    "SubscriptionX",
    "cancel_x_head",
    "cancellation_x_head",
    "decode",
    "encode",
    "ping_head",
    "scan_cancel",
    "scan_cancel_x",
    "scan_cancellation",
    "scan_cancellation_x",
    "scan_error",
    "scan_ping",
    "scan_pong",
    "scan_subscribe",
    "scan_subscribe_x",
    "scan_subscription",
    "scan_subscription_x",
    "subscribe_x_head",
    "subscription_x_head",
    "unpack_cancel_x_head",
    "unpack_cancellation_x_head",
    "unpack_ping_head",
    "unpack_subscribe_x_head",
    "unpack_subscription_x_head",
]


_pack_s12_u1 = Struct(">12sB").pack
_pack_s1_s8_s1_u1_u1_s20_u1_s31 = Struct(">1s8s1sBB20sB31s").pack
_pack_s1_u1 = Struct(">1sB").pack
_pack_s5_u2 = Struct(">5sH").pack
_pack_s6_u1 = Struct(">6sB").pack
_pack_s9_u1 = Struct(">9sB").pack
_pack_u1 = Struct(">B").pack
_pack_u4 = Struct(">I").pack
_unpack_s5_u2 = Struct(">5sH").unpack_from
_unpack_u1_u1_s20_u1_x31 = Struct(">BB20sB31x").unpack_from
_unpack_u2 = Struct(">H").unpack_from
_unpack_u4 = Struct(">I").unpack_from

GREETING_HEAD = b"\xff"
READY_HEAD = b"\x05READY"
ERROR_HEAD = b"\x05ERROR"
PING_HEAD = b"\x04PING"
PING_HEAD_SIZE = 7
PONG_HEAD = b"\x04PONG"
SUBSCRIBE_HEAD = b"\tSUBSCRIBE"
CANCEL_HEAD = b"\x06CANCEL"
SUBSCRIPTION_HEAD = b"\x01"
CANCELLATION_HEAD = b"\x00"
SUBSCRIBE_X_HEAD = b"\x0bSUBSCRIBE-X"
SUBSCRIBE_X_HEAD_SIZE = 13
CANCEL_X_HEAD = b"\x08CANCEL-X"
CANCEL_X_HEAD_SIZE = 10
SUBSCRIPTION_X_HEAD = b"\x02"
SUBSCRIPTION_X_HEAD_SIZE = 2
CANCELLATION_X_HEAD = b"\x03"
CANCELLATION_X_HEAD_SIZE = 2


_GREETING_BEGINNING = Beginning("GREETING", b"", (("signature", b"\xff"),))
_READY_BEGINNING = Beginning("READY", b"", (("name", b"\x05READY"),))
_ERROR_BEGINNING = Beginning("ERROR", b"", (("name", b"\x05ERROR"),))
_PING_BEGINNING = Beginning("PING", b"", (("name", b"\x04PING"),))
_PONG_BEGINNING = Beginning("PONG", b"", (("name", b"\x04PONG"),))
_SUBSCRIBE_BEGINNING = Beginning("SUBSCRIBE", b"", (("name", b"\tSUBSCRIBE"),))
_CANCEL_BEGINNING = Beginning("CANCEL", b"", (("name", b"\x06CANCEL"),))
_SUBSCRIPTION_BEGINNING = Beginning("SUBSCRIPTION", b"", (("form", b"\x01"),))
_CANCELLATION_BEGINNING = Beginning("CANCELLATION", b"", (("form", b"\x00"),))
_SUBSCRIBE_X_BEGINNING = Beginning("SUBSCRIBE-X", b"", (("name", b"\x0bSUBSCRIBE-X"),))
_CANCEL_X_BEGINNING = Beginning("CANCEL-X", b"", (("name", b"\x08CANCEL-X"),))
_SUBSCRIPTION_X_BEGINNING = Beginning("SUBSCRIPTION-X", b"", (("form", b"\x02"),))
_CANCELLATION_X_BEGINNING = Beginning("CANCELLATION-X", b"", (("form", b"\x03"),))


@dataclass(frozen=True, slots=True, init=False)
class Greeting:
    """Opens a connection, in either direction."""

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "GREETING"
    SIGNATURE: ClassVar[int] = 255
    SIGNATURE_END: ClassVar[int] = 127

    # Major version
    major: int
    # Minor version
    minor: int
    # Name of the security mechanism, padded with zeros
    mechanism: bytes
    # 1 for the server of a mechanism that has one
    as_server: int

    def __init__(
        self,
        major: int,
        minor: int,
        mechanism: bytes,
        as_server: int,
    ) -> None:
        _set_greeting__major(self, major)
        _set_greeting__minor(self, minor)
        _set_greeting__mechanism(self, mechanism)
        _set_greeting__as_server(self, as_server)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            if len(self.mechanism) != 20:
                raise miscounted("GREETING", "mechanism", len(self.mechanism), 20)
            return _pack_s1_s8_s1_u1_u1_s20_u1_s31(
                GREETING_HEAD,
                b"\x00\x00\x00\x00\x00\x00\x00\x00",
                b"\x7f",
                self.major,
                self.minor,
                self.mechanism,
                self.as_server,
                b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
            )
        except error:
            raise out_of_range(
                "GREETING",
                ("major", self.major, 0, 255),
                ("minor", self.minor, 0, 255),
                ("as_server", self.as_server, 0, 255),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 64


@dataclass(frozen=True, slots=True, init=False)
class Ready:
    """Command: the sender is ready, and this is what it is."""

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "READY"
    NAME_: ClassVar[str] = "READY"

    # Metadata of the connection: Socket-Type, Identity and others
    properties: tuple[tuple[bytes, bytes], ...]

    def __init__(
        self,
        properties: tuple[tuple[bytes, bytes], ...],
    ) -> None:
        _set_ready__properties(self, properties)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return READY_HEAD + b"".join(
                [
                    _pack_u1(len(properties_key))
                    + properties_key
                    + _pack_u4(len(properties_value))
                    + properties_value
                    for properties_key, properties_value in self.properties
                ]
            )
        except error:
            raise out_of_range(
                "READY",
                *(("properties", len(item[0]), 0, 255) for item in self.properties),
                *(("properties", len(item[1]), 0, 4294967295) for item in self.properties),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 6 + 5 * len(self.properties) + sum(len(key) + len(item) for key, item in self.properties)


@dataclass(frozen=True, slots=True, init=False)
class Error:
    """Command: the sender refuses the peer."""

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "ERROR"
    NAME_: ClassVar[str] = "ERROR"

    # Says why, to people
    reason: bytes

    def __init__(
        self,
        reason: bytes,
    ) -> None:
        _set_error__reason(self, reason)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s6_u1(ERROR_HEAD, len(self.reason)) + self.reason
        except error:
            raise out_of_range("ERROR", ("reason", len(self.reason), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 7 + len(self.reason)


@dataclass(frozen=True, slots=True, init=False)
class Ping:
    """Command: asks for a sign of life."""

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "PING"
    NAME_: ClassVar[str] = "PING"

    # Tenths of a second after which silence means that the sender is gone; 0 for none
    ttl: int
    # Comes back in PONG
    context: bytes

    def __init__(
        self,
        ttl: int,
        context: bytes,
    ) -> None:
        _set_ping__ttl(self, ttl)
        _set_ping__context(self, context)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            if len(self.context) > 16:
                raise EncodeError("too-long", "PING", "context")
            return _pack_s5_u2(PING_HEAD, self.ttl) + self.context
        except error:
            raise out_of_range("PING", ("ttl", self.ttl, 0, 65535)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 7 + len(self.context)


@dataclass(frozen=True, slots=True, init=False)
class Pong:
    """Command: answers PING."""

    ID: ClassVar[int] = 5
    NAME: ClassVar[str] = "PONG"
    NAME_: ClassVar[str] = "PONG"

    # What came with PING
    context: bytes

    def __init__(
        self,
        context: bytes,
    ) -> None:
        _set_pong__context(self, context)

    def encode(self) -> bytes:
        """The message as one frame."""
        if len(self.context) > 16:
            raise EncodeError("too-long", "PONG", "context")
        return PONG_HEAD + self.context

    def size(self) -> int:
        """Octets of the encoded message."""
        return 5 + len(self.context)


@dataclass(frozen=True, slots=True, init=False)
class Subscribe:
    """Command of version 3.1: asks for the messages that begin with a topic."""

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "SUBSCRIBE"
    NAME_: ClassVar[str] = "SUBSCRIBE"

    # Any octets, or none
    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_subscribe__topic(self, topic)

    def encode(self) -> bytes:
        """The message as one frame."""
        return SUBSCRIBE_HEAD + self.topic

    def size(self) -> int:
        """Octets of the encoded message."""
        return 10 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Cancel:
    """Command of version 3.1: takes one subscription back."""

    ID: ClassVar[int] = 7
    NAME: ClassVar[str] = "CANCEL"
    NAME_: ClassVar[str] = "CANCEL"

    # Any octets, or none
    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_cancel__topic(self, topic)

    def encode(self) -> bytes:
        """The message as one frame."""
        return CANCEL_HEAD + self.topic

    def size(self) -> int:
        """Octets of the encoded message."""
        return 7 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Subscription:
    """Message of version 3.0: asks for the messages that begin with a topic."""

    ID: ClassVar[int] = 8
    NAME: ClassVar[str] = "SUBSCRIPTION"
    FORM: ClassVar[int] = 1

    # Any octets, or none
    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_subscription__topic(self, topic)

    def encode(self) -> bytes:
        """The message as one frame."""
        return SUBSCRIPTION_HEAD + self.topic

    def size(self) -> int:
        """Octets of the encoded message."""
        return 1 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Cancellation:
    """Message of version 3.0: takes one subscription back."""

    ID: ClassVar[int] = 9
    NAME: ClassVar[str] = "CANCELLATION"
    FORM: ClassVar[int] = 0

    # Any octets, or none
    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_cancellation__topic(self, topic)

    def encode(self) -> bytes:
        """The message as one frame."""
        return CANCELLATION_HEAD + self.topic

    def size(self) -> int:
        """Octets of the encoded message."""
        return 1 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class SubscribeX:
    """Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets
    pass.
    """

    ID: ClassVar[int] = 10
    NAME: ClassVar[str] = "SUBSCRIBE-X"
    NAME_: ClassVar[str] = "SUBSCRIBE-X"

    # What the filter means; 255 is no kind
    kind: int
    # Any octets, or none
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_subscribe_x__kind(self, kind)
        _set_subscribe_x__filter(self, filter)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s12_u1(SUBSCRIBE_X_HEAD, self.kind) + self.filter
        except error:
            raise out_of_range("SUBSCRIBE-X", ("kind", self.kind, 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 13 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class CancelX:
    """Command of our extension, for version 3.1: takes one filter back."""

    ID: ClassVar[int] = 11
    NAME: ClassVar[str] = "CANCEL-X"
    NAME_: ClassVar[str] = "CANCEL-X"

    # What the filter means; 255 is no kind
    kind: int
    # Any octets, or none
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_cancel_x__kind(self, kind)
        _set_cancel_x__filter(self, filter)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s9_u1(CANCEL_X_HEAD, self.kind) + self.filter
        except error:
            raise out_of_range("CANCEL-X", ("kind", self.kind, 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 10 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class SubscriptionX:
    """Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets
    pass.
    """

    ID: ClassVar[int] = 12
    NAME: ClassVar[str] = "SUBSCRIPTION-X"
    FORM: ClassVar[int] = 2

    # What the filter means; 255 is no kind
    kind: int
    # Any octets, or none
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_subscription_x__kind(self, kind)
        _set_subscription_x__filter(self, filter)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s1_u1(SUBSCRIPTION_X_HEAD, self.kind) + self.filter
        except error:
            raise out_of_range("SUBSCRIPTION-X", ("kind", self.kind, 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 2 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class CancellationX:
    """Message of our extension, for version 3.0: takes one filter back."""

    ID: ClassVar[int] = 13
    NAME: ClassVar[str] = "CANCELLATION-X"
    FORM: ClassVar[int] = 3

    # What the filter means; 255 is no kind
    kind: int
    # Any octets, or none
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_cancellation_x__kind(self, kind)
        _set_cancellation_x__filter(self, filter)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s1_u1(CANCELLATION_X_HEAD, self.kind) + self.filter
        except error:
            raise out_of_range("CANCELLATION-X", ("kind", self.kind, 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 2 + len(self.filter)


Message = (
    Greeting
    | Ready
    | Error
    | Ping
    | Pong
    | Subscribe
    | Cancel
    | Subscription
    | Cancellation
    | SubscribeX
    | CancelX
    | SubscriptionX
    | CancellationX
)

MESSAGES: dict[int, type[Message]] = {
    1: Greeting,
    2: Ready,
    3: Error,
    4: Ping,
    5: Pong,
    6: Subscribe,
    7: Cancel,
    8: Subscription,
    9: Cancellation,
    10: SubscribeX,
    11: CancelX,
    12: SubscriptionX,
    13: CancellationX,
}

_set_greeting__major, _set_greeting__minor, _set_greeting__mechanism, _set_greeting__as_server = setters(
    Greeting
)
_new_greeting = twin(Greeting)
(_set_ready__properties,) = setters(Ready)
_new_ready = twin(Ready)
(_set_error__reason,) = setters(Error)
_new_error = twin(Error)
_set_ping__ttl, _set_ping__context = setters(Ping)
_new_ping = twin(Ping)
(_set_pong__context,) = setters(Pong)
_new_pong = twin(Pong)
(_set_subscribe__topic,) = setters(Subscribe)
_new_subscribe = twin(Subscribe)
(_set_cancel__topic,) = setters(Cancel)
_new_cancel = twin(Cancel)
(_set_subscription__topic,) = setters(Subscription)
_new_subscription = twin(Subscription)
(_set_cancellation__topic,) = setters(Cancellation)
_new_cancellation = twin(Cancellation)
_set_subscribe_x__kind, _set_subscribe_x__filter = setters(SubscribeX)
_new_subscribe_x = twin(SubscribeX)
_set_cancel_x__kind, _set_cancel_x__filter = setters(CancelX)
_new_cancel_x = twin(CancelX)
_set_subscription_x__kind, _set_subscription_x__filter = setters(SubscriptionX)
_new_subscription_x = twin(SubscriptionX)
_set_cancellation_x__kind, _set_cancellation_x__filter = setters(CancellationX)
_new_cancellation_x = twin(CancellationX)


def _decode_greeting(data: bytes) -> Any:
    if not data.startswith(GREETING_HEAD) or len(data) < 9:
        raise misread(_GREETING_BEGINNING, data, ("padding", 1, 9))
    if data[9:10] != b"\x7f":
        raise bad_constants("GREETING", data, 9, ("signature_end", b"\x7f"))
    if len(data) != 64:
        raise misfit(
            "GREETING",
            len(data),
            64,
            ("major", 10, 11),
            ("minor", 11, 12),
            ("mechanism", 12, 32),
            ("as_server", 32, 33),
            ("filler", 33, 64),
        )
    major, minor, mechanism, as_server = _unpack_u1_u1_s20_u1_x31(data, 10)
    message = _new_greeting()
    message.major = major
    message.minor = minor
    message.mechanism = mechanism
    message.as_server = as_server
    message.__class__ = Greeting
    return message


def _decode_ready(data: bytes) -> Any:
    if not data.startswith(READY_HEAD):
        raise misread(_READY_BEGINNING, data)
    properties_at = 6
    properties_items: list[tuple[bytes, bytes]] = []
    while properties_at < len(data):
        try:
            properties_key_length = data[properties_at]
        except IndexError:
            raise truncated("READY", len(data), ("properties", properties_at, properties_at + 1)) from None
        properties_key_end = properties_at + 1 + properties_key_length
        properties_key = data[properties_at + 1 : properties_key_end]
        try:
            (properties_value_length,) = _unpack_u4(data, properties_key_end)
        except error:
            raise truncated(
                "READY",
                len(data),
                ("properties", properties_at, properties_key_end),
                ("properties", properties_key_end, properties_key_end + 4),
            ) from None
        properties_value_end = properties_key_end + 4 + properties_value_length
        properties_value = data[properties_key_end + 4 : properties_value_end]
        if properties_value_end > len(data):
            raise truncated("READY", len(data), ("properties", properties_key_end, properties_value_end))
        properties_items.append((properties_key, properties_value))
        properties_at = properties_value_end
    properties = tuple(properties_items)
    message = _new_ready()
    message.properties = properties
    message.__class__ = Ready
    return message


def _decode_error(data: bytes) -> Any:
    if not data.startswith(ERROR_HEAD):
        raise misread(_ERROR_BEGINNING, data, ("reason", 6, 7))
    try:
        reason_length = data[6]
    except IndexError:
        raise misread(_ERROR_BEGINNING, data, ("reason", 6, 7)) from None
    reason_end = 7 + reason_length
    if len(data) != reason_end:
        raise ending("ERROR", "reason", 6, reason_end, len(data))
    reason = data[7:]
    message = _new_error()
    message.reason = reason
    message.__class__ = Error
    return message


def scan_error(data: bytes) -> tuple[int, int]:
    """Where the content of `reason` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(ERROR_HEAD):
        raise misread(_ERROR_BEGINNING, data, ("reason", 6, 7))
    try:
        reason_length = data[6]
    except IndexError:
        raise misread(_ERROR_BEGINNING, data, ("reason", 6, 7)) from None
    reason_end = 7 + reason_length
    if len(data) != reason_end:
        raise ending("ERROR", "reason", 6, reason_end, len(data))
    return 7, reason_end


def _decode_ping(data: bytes) -> Any:
    try:
        head, ttl = _unpack_s5_u2(data)
    except error:
        raise misread(_PING_BEGINNING, data, ("ttl", 5, 7)) from None
    if head != PING_HEAD:
        raise misread(_PING_BEGINNING, data, ("ttl", 5, 7))
    if len(data) > 23:
        raise DecodeError("too-long", "PING", "context", 7)
    context = data[7:]
    message = _new_ping()
    message.ttl = ttl
    message.context = context
    message.__class__ = Ping
    return message


def scan_ping(data: bytes) -> tuple[int, int]:
    """Where the content of `context` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(PING_HEAD) or len(data) < 7:
        raise misread(_PING_BEGINNING, data, ("ttl", 5, 7))
    if len(data) > 23:
        raise DecodeError("too-long", "PING", "context", 7)
    return 7, len(data)


def ping_head(ttl: int) -> bytes:
    """The octets of PING up to the first field whose size varies."""
    try:
        return _pack_s5_u2(PING_HEAD, ttl)
    except error:
        raise out_of_range("PING", ("ttl", ttl, 0, 65535)) from None


def unpack_ping_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `ping_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 5] != PING_HEAD:
        raise bad_constants("PING", data, offset, ("name", b"\x04PING"))
    try:
        (ttl,) = _unpack_u2(data, offset + 5)
    except error:
        raise truncated("PING", len(data), ("ttl", offset + 5, offset + 7)) from None
    return (ttl,)


def _decode_pong(data: bytes) -> Any:
    if not data.startswith(PONG_HEAD):
        raise misread(_PONG_BEGINNING, data)
    if len(data) > 21:
        raise DecodeError("too-long", "PONG", "context", 5)
    context = data[5:]
    message = _new_pong()
    message.context = context
    message.__class__ = Pong
    return message


def scan_pong(data: bytes) -> tuple[int, int]:
    """Where the content of `context` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(PONG_HEAD):
        raise misread(_PONG_BEGINNING, data)
    if len(data) > 21:
        raise DecodeError("too-long", "PONG", "context", 5)
    return 5, len(data)


def _decode_subscribe(data: bytes) -> Any:
    if not data.startswith(SUBSCRIBE_HEAD):
        raise misread(_SUBSCRIBE_BEGINNING, data)
    topic = data[10:]
    message = _new_subscribe()
    message.topic = topic
    message.__class__ = Subscribe
    return message


def scan_subscribe(data: bytes) -> tuple[int, int]:
    """Where the content of `topic` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(SUBSCRIBE_HEAD):
        raise misread(_SUBSCRIBE_BEGINNING, data)
    return 10, len(data)


def _decode_cancel(data: bytes) -> Any:
    if not data.startswith(CANCEL_HEAD):
        raise misread(_CANCEL_BEGINNING, data)
    topic = data[7:]
    message = _new_cancel()
    message.topic = topic
    message.__class__ = Cancel
    return message


def scan_cancel(data: bytes) -> tuple[int, int]:
    """Where the content of `topic` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(CANCEL_HEAD):
        raise misread(_CANCEL_BEGINNING, data)
    return 7, len(data)


def _decode_subscription(data: bytes) -> Any:
    if not data.startswith(SUBSCRIPTION_HEAD):
        raise misread(_SUBSCRIPTION_BEGINNING, data)
    topic = data[1:]
    message = _new_subscription()
    message.topic = topic
    message.__class__ = Subscription
    return message


def scan_subscription(data: bytes) -> tuple[int, int]:
    """Where the content of `topic` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(SUBSCRIPTION_HEAD):
        raise misread(_SUBSCRIPTION_BEGINNING, data)
    return 1, len(data)


def _decode_cancellation(data: bytes) -> Any:
    if not data.startswith(CANCELLATION_HEAD):
        raise misread(_CANCELLATION_BEGINNING, data)
    topic = data[1:]
    message = _new_cancellation()
    message.topic = topic
    message.__class__ = Cancellation
    return message


def scan_cancellation(data: bytes) -> tuple[int, int]:
    """Where the content of `topic` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(CANCELLATION_HEAD):
        raise misread(_CANCELLATION_BEGINNING, data)
    return 1, len(data)


def _decode_subscribe_x(data: bytes) -> Any:
    if not data.startswith(SUBSCRIBE_X_HEAD):
        raise misread(_SUBSCRIBE_X_BEGINNING, data, ("kind", 12, 13))
    try:
        kind = data[12]
    except IndexError:
        raise misread(_SUBSCRIBE_X_BEGINNING, data, ("kind", 12, 13)) from None
    filter_ = data[13:]
    message = _new_subscribe_x()
    message.kind = kind
    message.filter = filter_
    message.__class__ = SubscribeX
    return message


def scan_subscribe_x(data: bytes) -> tuple[int, int]:
    """Where the content of `filter` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(SUBSCRIBE_X_HEAD) or len(data) < 13:
        raise misread(_SUBSCRIBE_X_BEGINNING, data, ("kind", 12, 13))
    return 13, len(data)


def subscribe_x_head(kind: int) -> bytes:
    """The octets of SUBSCRIBE-X up to the first field whose size varies."""
    try:
        return _pack_s12_u1(SUBSCRIBE_X_HEAD, kind)
    except error:
        raise out_of_range("SUBSCRIBE-X", ("kind", kind, 0, 255)) from None


def unpack_subscribe_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `subscribe_x_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 12] != SUBSCRIBE_X_HEAD:
        raise bad_constants("SUBSCRIBE-X", data, offset, ("name", b"\x0bSUBSCRIBE-X"))
    try:
        kind = data[offset + 12]
    except IndexError:
        raise truncated("SUBSCRIBE-X", len(data), ("kind", offset + 12, offset + 13)) from None
    return (kind,)


def _decode_cancel_x(data: bytes) -> Any:
    if not data.startswith(CANCEL_X_HEAD):
        raise misread(_CANCEL_X_BEGINNING, data, ("kind", 9, 10))
    try:
        kind = data[9]
    except IndexError:
        raise misread(_CANCEL_X_BEGINNING, data, ("kind", 9, 10)) from None
    filter_ = data[10:]
    message = _new_cancel_x()
    message.kind = kind
    message.filter = filter_
    message.__class__ = CancelX
    return message


def scan_cancel_x(data: bytes) -> tuple[int, int]:
    """Where the content of `filter` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(CANCEL_X_HEAD) or len(data) < 10:
        raise misread(_CANCEL_X_BEGINNING, data, ("kind", 9, 10))
    return 10, len(data)


def cancel_x_head(kind: int) -> bytes:
    """The octets of CANCEL-X up to the first field whose size varies."""
    try:
        return _pack_s9_u1(CANCEL_X_HEAD, kind)
    except error:
        raise out_of_range("CANCEL-X", ("kind", kind, 0, 255)) from None


def unpack_cancel_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `cancel_x_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 9] != CANCEL_X_HEAD:
        raise bad_constants("CANCEL-X", data, offset, ("name", b"\x08CANCEL-X"))
    try:
        kind = data[offset + 9]
    except IndexError:
        raise truncated("CANCEL-X", len(data), ("kind", offset + 9, offset + 10)) from None
    return (kind,)


def _decode_subscription_x(data: bytes) -> Any:
    if not data.startswith(SUBSCRIPTION_X_HEAD):
        raise misread(_SUBSCRIPTION_X_BEGINNING, data, ("kind", 1, 2))
    try:
        kind = data[1]
    except IndexError:
        raise misread(_SUBSCRIPTION_X_BEGINNING, data, ("kind", 1, 2)) from None
    filter_ = data[2:]
    message = _new_subscription_x()
    message.kind = kind
    message.filter = filter_
    message.__class__ = SubscriptionX
    return message


def scan_subscription_x(data: bytes) -> tuple[int, int]:
    """Where the content of `filter` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(SUBSCRIPTION_X_HEAD) or len(data) < 2:
        raise misread(_SUBSCRIPTION_X_BEGINNING, data, ("kind", 1, 2))
    return 2, len(data)


def subscription_x_head(kind: int) -> bytes:
    """The octets of SUBSCRIPTION-X up to the first field whose size varies."""
    try:
        return _pack_s1_u1(SUBSCRIPTION_X_HEAD, kind)
    except error:
        raise out_of_range("SUBSCRIPTION-X", ("kind", kind, 0, 255)) from None


def unpack_subscription_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `subscription_x_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 1] != SUBSCRIPTION_X_HEAD:
        raise bad_constants("SUBSCRIPTION-X", data, offset, ("form", b"\x02"))
    try:
        kind = data[offset + 1]
    except IndexError:
        raise truncated("SUBSCRIPTION-X", len(data), ("kind", offset + 1, offset + 2)) from None
    return (kind,)


def _decode_cancellation_x(data: bytes) -> Any:
    if not data.startswith(CANCELLATION_X_HEAD):
        raise misread(_CANCELLATION_X_BEGINNING, data, ("kind", 1, 2))
    try:
        kind = data[1]
    except IndexError:
        raise misread(_CANCELLATION_X_BEGINNING, data, ("kind", 1, 2)) from None
    filter_ = data[2:]
    message = _new_cancellation_x()
    message.kind = kind
    message.filter = filter_
    message.__class__ = CancellationX
    return message


def scan_cancellation_x(data: bytes) -> tuple[int, int]:
    """Where the content of `filter` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(CANCELLATION_X_HEAD) or len(data) < 2:
        raise misread(_CANCELLATION_X_BEGINNING, data, ("kind", 1, 2))
    return 2, len(data)


def cancellation_x_head(kind: int) -> bytes:
    """The octets of CANCELLATION-X up to the first field whose size varies."""
    try:
        return _pack_s1_u1(CANCELLATION_X_HEAD, kind)
    except error:
        raise out_of_range("CANCELLATION-X", ("kind", kind, 0, 255)) from None


def unpack_cancellation_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `cancellation_x_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 1] != CANCELLATION_X_HEAD:
        raise bad_constants("CANCELLATION-X", data, offset, ("form", b"\x03"))
    try:
        kind = data[offset + 1]
    except IndexError:
        raise truncated("CANCELLATION-X", len(data), ("kind", offset + 1, offset + 2)) from None
    return (kind,)


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"\x0bSUBSCRIBE-X": _decode_subscribe_x,
    b"\tSUBSCRIBE": _decode_subscribe,
    b"\x08CANCEL-X": _decode_cancel_x,
    b"\x06CANCEL": _decode_cancel,
    b"\x05READY": _decode_ready,
    b"\x05ERROR": _decode_error,
    b"\x04PING": _decode_ping,
    b"\x04PONG": _decode_pong,
    b"\xff": _decode_greeting,
    b"\x01": _decode_subscription,
    b"\x00": _decode_cancellation,
    b"\x02": _decode_subscription_x,
    b"\x03": _decode_cancellation_x,
}


def encode(message: Message) -> bytes:
    """The message as one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """The message that `data` holds, to its last octet. Raises DecodeError, and nothing else."""
    if type(data) is not bytes:
        data = bytes(data)
    for beginning, decoder in _DECODERS.items():
        if data.startswith(beginning):
            return decoder(data)
    raise unknown(data, tuple(_DECODERS))
