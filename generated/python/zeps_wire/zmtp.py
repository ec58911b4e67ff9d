"""ZMTP 3, publish-subscribe.

What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and
then what frames hold, the body of a command or of a message. A publisher takes a message for what
it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE
and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by filters of other
kinds than the beginning of a message. A filter has a kind, one octet, whose meaning publishers and
subscribers agree on elsewhere, and any octets. A publisher that does not know the kind of a filter
sends everything, which is always right: a filter only saves traffic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any, ClassVar

from . import layout as _layout
from . import operations as _op
from .errors import DecodeError
from .layout import FAULTS
from .support import (
    setters,
    trailing,
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


_pack_12s_u1 = Struct(">12sB").pack
_pack_1s8x1s_u1_u120s_u131x = Struct(">1s8x1sBB20sB31x").pack
_pack_1s_u1 = Struct(">1sB").pack
_pack_5s_u2 = Struct(">5sH").pack
_pack_6s_u1 = Struct(">6sB").pack
_pack_9s_u1 = Struct(">9sB").pack
_pack_u1 = Struct(">B").pack
_pack_u4 = Struct(">I").pack
_unpack_from_12s_u1 = Struct(">12sB").unpack_from
_unpack_from_1s8x1s_u1_u120s_u131x = Struct(">1s8x1sBB20sB31x").unpack_from
_unpack_from_1s_u1 = Struct(">1sB").unpack_from
_unpack_from_5s_u2 = Struct(">5sH").unpack_from
_unpack_from_6s_u1 = Struct(">6sB").unpack_from
_unpack_from_9s_u1 = Struct(">9sB").unpack_from
_unpack_from_u4 = Struct(">I").unpack_from

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


_GREETING_LAYOUT = _layout.Layout(
    "GREETING",
    (
        _op.Constant(name="signature", octets=b"\xff"),
        _op.Reserved(name="padding", size=8),
        _op.Constant(name="signature_end", octets=b"\x7f"),
        _op.Number(name="major", size=1),
        _op.Number(name="minor", size=1),
        _op.Fixed(name="mechanism", size=20),
        _op.Number(name="as_server", size=1),
        _op.Reserved(name="filler", size=31),
    ),
    ("major", "minor", "mechanism", "as_server"),
    False,
    False,
)
_READY_LAYOUT = _layout.Layout(
    "READY",
    (
        _op.Constant(name="name", octets=b"\x05READY"),
        _op.Items(
            name="properties",
            prefix=0,
            parts=(_op.Content(name="key", prefix=1), _op.Content(name="value", prefix=4)),
            least=5,
            limit=255,
        ),
    ),
    ("properties",),
    False,
    False,
)
_ERROR_LAYOUT = _layout.Layout(
    "ERROR",
    (_op.Constant(name="name", octets=b"\x05ERROR"), _op.Content(name="reason", prefix=1)),
    ("reason",),
    False,
    False,
)
_PING_LAYOUT = _layout.Layout(
    "PING",
    (
        _op.Constant(name="name", octets=b"\x04PING"),
        _op.Number(name="ttl", size=2),
        _op.Rest(name="context", limit=16),
    ),
    ("ttl", "context"),
    False,
    False,
)
_PONG_LAYOUT = _layout.Layout(
    "PONG",
    (_op.Constant(name="name", octets=b"\x04PONG"), _op.Rest(name="context", limit=16)),
    ("context",),
    False,
    False,
)
_SUBSCRIBE_LAYOUT = _layout.Layout(
    "SUBSCRIBE",
    (_op.Constant(name="name", octets=b"\tSUBSCRIBE"), _op.Rest(name="topic")),
    ("topic",),
    False,
    False,
)
_CANCEL_LAYOUT = _layout.Layout(
    "CANCEL",
    (_op.Constant(name="name", octets=b"\x06CANCEL"), _op.Rest(name="topic")),
    ("topic",),
    False,
    False,
)
_SUBSCRIPTION_LAYOUT = _layout.Layout(
    "SUBSCRIPTION",
    (_op.Constant(name="form", octets=b"\x01"), _op.Rest(name="topic")),
    ("topic",),
    False,
    False,
)
_CANCELLATION_LAYOUT = _layout.Layout(
    "CANCELLATION",
    (_op.Constant(name="form", octets=b"\x00"), _op.Rest(name="topic")),
    ("topic",),
    False,
    False,
)
_SUBSCRIBE_X_LAYOUT = _layout.Layout(
    "SUBSCRIBE-X",
    (
        _op.Constant(name="name", octets=b"\x0bSUBSCRIBE-X"),
        _op.Number(name="kind", size=1),
        _op.Rest(name="filter"),
    ),
    ("kind", "filter"),
    False,
    False,
)
_CANCEL_X_LAYOUT = _layout.Layout(
    "CANCEL-X",
    (
        _op.Constant(name="name", octets=b"\x08CANCEL-X"),
        _op.Number(name="kind", size=1),
        _op.Rest(name="filter"),
    ),
    ("kind", "filter"),
    False,
    False,
)
_SUBSCRIPTION_X_LAYOUT = _layout.Layout(
    "SUBSCRIPTION-X",
    (_op.Constant(name="form", octets=b"\x02"), _op.Number(name="kind", size=1), _op.Rest(name="filter")),
    ("kind", "filter"),
    False,
    False,
)
_CANCELLATION_X_LAYOUT = _layout.Layout(
    "CANCELLATION-X",
    (_op.Constant(name="form", octets=b"\x03"), _op.Number(name="kind", size=1), _op.Rest(name="filter")),
    ("kind", "filter"),
    False,
    False,
)


@dataclass(frozen=True, slots=True, init=False)
class Greeting:
    """Opens a connection, in either direction.

    Attributes:
        major: Major version
        minor: Minor version
        mechanism: Name of the security mechanism, padded with zeros
        as_server: 1 for the server of a mechanism that has one
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "GREETING"
    SIGNATURE: ClassVar[int] = 255
    SIGNATURE_END: ClassVar[int] = 127

    major: int
    minor: int
    mechanism: bytes
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
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.mechanism) != 20:
                raise ValueError
            return _pack_1s8x1s_u1_u120s_u131x(
                GREETING_HEAD, b"\x7f", self.major, self.minor, self.mechanism, self.as_server
            )
        except FAULTS:
            pass
        return _GREETING_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 64


@dataclass(frozen=True, slots=True, init=False)
class Ready:
    """Command: the sender is ready, and this is what it is.

    Attributes:
        properties: Metadata of the connection: Socket-Type, Identity and others
    """

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "READY"
    NAME_: ClassVar[str] = "READY"

    properties: tuple[tuple[bytes, bytes], ...]

    def __init__(
        self,
        properties: tuple[tuple[bytes, bytes], ...],
    ) -> None:
        _set_ready__properties(self, properties)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.properties) > 255:
                raise ValueError
            properties_pieces: list[bytes] = []
            for properties_key, properties_value in self.properties:
                properties_pieces += (
                    _pack_u1(len(properties_key)),
                    properties_key,
                    _pack_u4(len(properties_value)),
                    properties_value,
                )
            return READY_HEAD + b"".join(properties_pieces)
        except FAULTS:
            pass
        return _READY_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 6 + sum(
            [
                5 + len(properties_key) + len(properties_value)
                for properties_key, properties_value in self.properties
            ]
        )


@dataclass(frozen=True, slots=True, init=False)
class Error:
    """Command: the sender refuses the peer.

    Attributes:
        reason: Says why, to people
    """

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "ERROR"
    NAME_: ClassVar[str] = "ERROR"

    reason: bytes

    def __init__(
        self,
        reason: bytes,
    ) -> None:
        _set_error__reason(self, reason)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_6s_u1(ERROR_HEAD, len(self.reason)) + self.reason
        except FAULTS:
            pass
        return _ERROR_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 7 + len(self.reason)


@dataclass(frozen=True, slots=True, init=False)
class Ping:
    """Command: asks for a sign of life.

    Attributes:
        ttl: Tenths of a second after which silence means that the sender is gone; 0 for none
        context: Comes back in PONG
    """

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "PING"
    NAME_: ClassVar[str] = "PING"

    ttl: int
    context: bytes

    def __init__(
        self,
        ttl: int,
        context: bytes,
    ) -> None:
        _set_ping__ttl(self, ttl)
        _set_ping__context(self, context)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.context) > 16:
                raise ValueError
            return _pack_5s_u2(PING_HEAD, self.ttl) + self.context
        except FAULTS:
            pass
        return _PING_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 7 + len(self.context)


@dataclass(frozen=True, slots=True, init=False)
class Pong:
    """Command: answers PING.

    Attributes:
        context: What came with PING
    """

    ID: ClassVar[int] = 5
    NAME: ClassVar[str] = "PONG"
    NAME_: ClassVar[str] = "PONG"

    context: bytes

    def __init__(
        self,
        context: bytes,
    ) -> None:
        _set_pong__context(self, context)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.context) > 16:
                raise ValueError
            return PONG_HEAD + self.context
        except FAULTS:
            pass
        return _PONG_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 5 + len(self.context)


@dataclass(frozen=True, slots=True, init=False)
class Subscribe:
    """Command of version 3.1: asks for the messages that begin with a topic.

    Attributes:
        topic: Any octets, or none
    """

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "SUBSCRIBE"
    NAME_: ClassVar[str] = "SUBSCRIBE"

    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_subscribe__topic(self, topic)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return SUBSCRIBE_HEAD + self.topic
        except FAULTS:
            pass
        return _SUBSCRIBE_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 10 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Cancel:
    """Command of version 3.1: takes one subscription back.

    Attributes:
        topic: Any octets, or none
    """

    ID: ClassVar[int] = 7
    NAME: ClassVar[str] = "CANCEL"
    NAME_: ClassVar[str] = "CANCEL"

    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_cancel__topic(self, topic)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return CANCEL_HEAD + self.topic
        except FAULTS:
            pass
        return _CANCEL_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 7 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Subscription:
    """Message of version 3.0: asks for the messages that begin with a topic.

    Attributes:
        topic: Any octets, or none
    """

    ID: ClassVar[int] = 8
    NAME: ClassVar[str] = "SUBSCRIPTION"
    FORM: ClassVar[int] = 1

    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_subscription__topic(self, topic)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return SUBSCRIPTION_HEAD + self.topic
        except FAULTS:
            pass
        return _SUBSCRIPTION_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 1 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class Cancellation:
    """Message of version 3.0: takes one subscription back.

    Attributes:
        topic: Any octets, or none
    """

    ID: ClassVar[int] = 9
    NAME: ClassVar[str] = "CANCELLATION"
    FORM: ClassVar[int] = 0

    topic: bytes

    def __init__(
        self,
        topic: bytes,
    ) -> None:
        _set_cancellation__topic(self, topic)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return CANCELLATION_HEAD + self.topic
        except FAULTS:
            pass
        return _CANCELLATION_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 1 + len(self.topic)


@dataclass(frozen=True, slots=True, init=False)
class SubscribeX:
    """Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets
    pass.

    Attributes:
        kind: What the filter means; 255 is not a kind
        filter: Any octets, or none
    """

    ID: ClassVar[int] = 10
    NAME: ClassVar[str] = "SUBSCRIBE-X"
    NAME_: ClassVar[str] = "SUBSCRIBE-X"

    kind: int
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_subscribe_x__kind(self, kind)
        _set_subscribe_x__filter(self, filter)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_12s_u1(SUBSCRIBE_X_HEAD, self.kind) + self.filter
        except FAULTS:
            pass
        return _SUBSCRIBE_X_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 13 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class CancelX:
    """Command of our extension, for version 3.1: takes one filter back.

    Attributes:
        kind: What the filter means; 255 is not a kind
        filter: Any octets, or none
    """

    ID: ClassVar[int] = 11
    NAME: ClassVar[str] = "CANCEL-X"
    NAME_: ClassVar[str] = "CANCEL-X"

    kind: int
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_cancel_x__kind(self, kind)
        _set_cancel_x__filter(self, filter)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_9s_u1(CANCEL_X_HEAD, self.kind) + self.filter
        except FAULTS:
            pass
        return _CANCEL_X_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 10 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class SubscriptionX:
    """Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets
    pass.

    Attributes:
        kind: What the filter means; 255 is not a kind
        filter: Any octets, or none
    """

    ID: ClassVar[int] = 12
    NAME: ClassVar[str] = "SUBSCRIPTION-X"
    FORM: ClassVar[int] = 2

    kind: int
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_subscription_x__kind(self, kind)
        _set_subscription_x__filter(self, filter)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_1s_u1(SUBSCRIPTION_X_HEAD, self.kind) + self.filter
        except FAULTS:
            pass
        return _SUBSCRIPTION_X_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 2 + len(self.filter)


@dataclass(frozen=True, slots=True, init=False)
class CancellationX:
    """Message of our extension, for version 3.0: takes one filter back.

    Attributes:
        kind: What the filter means; 255 is not a kind
        filter: Any octets, or none
    """

    ID: ClassVar[int] = 13
    NAME: ClassVar[str] = "CANCELLATION-X"
    FORM: ClassVar[int] = 3

    kind: int
    filter: bytes

    def __init__(
        self,
        kind: int,
        filter: bytes,  # noqa: A002
    ) -> None:
        _set_cancellation_x__kind(self, kind)
        _set_cancellation_x__filter(self, filter)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_1s_u1(CANCELLATION_X_HEAD, self.kind) + self.filter
        except FAULTS:
            pass
        return _CANCELLATION_X_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
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
    try:
        head, signature_end, major, minor, mechanism, as_server = _unpack_from_1s8x1s_u1_u120s_u131x(data)
        if signature_end != b"\x7f" or head != GREETING_HEAD:
            raise ValueError
        if len(data) != 64:
            raise trailing(data, "GREETING", 64)
        message = _new_greeting()
        message.major = major
        message.minor = minor
        message.mechanism = mechanism
        message.as_server = as_server
        message.__class__ = Greeting
        return message
    except FAULTS:
        pass
    return Greeting(**_GREETING_LAYOUT.read(data))


def _decode_ready(data: bytes) -> Any:
    try:
        if not data.startswith(READY_HEAD):
            raise ValueError
        properties_items: list[Any] = []
        properties_end = 6
        while properties_end < len(data) and len(properties_items) < 255:
            key_length = data[properties_end]
            key_end = properties_end + 1 + key_length
            properties_key = data[properties_end + 1 : key_end]
            (value_length,) = _unpack_from_u4(data, key_end)
            value_end = key_end + 4 + value_length
            properties_value = data[key_end + 4 : value_end]
            properties_end = value_end
            properties_items.append((properties_key, properties_value))
        properties = tuple(properties_items)
        if properties_end < len(data):
            raise DecodeError("too-long", "READY", "properties", 6)
        if len(data) != properties_end:
            raise ValueError
        message = _new_ready()
        message.properties = properties
        message.__class__ = Ready
        return message
    except FAULTS:
        pass
    return Ready(**_READY_LAYOUT.read(data))


def _decode_error(data: bytes) -> Any:
    try:
        head, reason_length = _unpack_from_6s_u1(data)
        reason = data[7:]
        if len(reason) != reason_length or head != ERROR_HEAD:
            raise ValueError
        message = _new_error()
        message.reason = reason
        message.__class__ = Error
        return message
    except FAULTS:
        pass
    return Error(**_ERROR_LAYOUT.read(data))


def scan_error(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `reason`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, reason_length = _unpack_from_6s_u1(data)
        reason_end = 7 + reason_length
        if head != ERROR_HEAD:
            raise ValueError
        if len(data) != reason_end:
            raise trailing(data, "ERROR", reason_end)
        return 7, reason_end
    except FAULTS:
        pass
    found: tuple[int, int] = _ERROR_LAYOUT.scan(data)
    return found


def _decode_ping(data: bytes) -> Any:
    try:
        head, ttl = _unpack_from_5s_u2(data)
        context = data[7:]
        if head != PING_HEAD or len(data) - (7) > 16 or len(data) < 7:
            raise ValueError
        message = _new_ping()
        message.ttl = ttl
        message.context = context
        message.__class__ = Ping
        return message
    except FAULTS:
        pass
    return Ping(**_PING_LAYOUT.read(data))


def scan_ping(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `context`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(PING_HEAD) or len(data) - (7) > 16 or len(data) < 7:
            raise ValueError
        return 7, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _PING_LAYOUT.scan(data)
    return found


def ping_head(ttl: int) -> bytes:
    """The bytes of PING before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_5s_u2(PING_HEAD, ttl)
    except FAULTS:
        pass
    return _PING_LAYOUT.write_head(ttl)


def unpack_ping_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `ping_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, ttl = _unpack_from_5s_u2(data, offset)
        if head != PING_HEAD:
            raise ValueError
        return (ttl,)
    except FAULTS:
        pass
    found: tuple[int] = _PING_LAYOUT.read_head(data, offset, 2)
    return found


def _decode_pong(data: bytes) -> Any:
    try:
        context = data[5:]
        if not data.startswith(PONG_HEAD) or len(data) - (5) > 16 or len(data) < 5:
            raise ValueError
        message = _new_pong()
        message.context = context
        message.__class__ = Pong
        return message
    except FAULTS:
        pass
    return Pong(**_PONG_LAYOUT.read(data))


def scan_pong(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `context`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(PONG_HEAD) or len(data) - (5) > 16 or len(data) < 5:
            raise ValueError
        return 5, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _PONG_LAYOUT.scan(data)
    return found


def _decode_subscribe(data: bytes) -> Any:
    try:
        topic = data[10:]
        if not data.startswith(SUBSCRIBE_HEAD) or len(data) < 10:
            raise ValueError
        message = _new_subscribe()
        message.topic = topic
        message.__class__ = Subscribe
        return message
    except FAULTS:
        pass
    return Subscribe(**_SUBSCRIBE_LAYOUT.read(data))


def scan_subscribe(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `topic`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(SUBSCRIBE_HEAD) or len(data) < 10:
            raise ValueError
        return 10, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _SUBSCRIBE_LAYOUT.scan(data)
    return found


def _decode_cancel(data: bytes) -> Any:
    try:
        topic = data[7:]
        if not data.startswith(CANCEL_HEAD) or len(data) < 7:
            raise ValueError
        message = _new_cancel()
        message.topic = topic
        message.__class__ = Cancel
        return message
    except FAULTS:
        pass
    return Cancel(**_CANCEL_LAYOUT.read(data))


def scan_cancel(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `topic`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(CANCEL_HEAD) or len(data) < 7:
            raise ValueError
        return 7, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _CANCEL_LAYOUT.scan(data)
    return found


def _decode_subscription(data: bytes) -> Any:
    try:
        topic = data[1:]
        if not data.startswith(SUBSCRIPTION_HEAD) or len(data) < 1:
            raise ValueError
        message = _new_subscription()
        message.topic = topic
        message.__class__ = Subscription
        return message
    except FAULTS:
        pass
    return Subscription(**_SUBSCRIPTION_LAYOUT.read(data))


def scan_subscription(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `topic`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(SUBSCRIPTION_HEAD) or len(data) < 1:
            raise ValueError
        return 1, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _SUBSCRIPTION_LAYOUT.scan(data)
    return found


def _decode_cancellation(data: bytes) -> Any:
    try:
        topic = data[1:]
        if not data.startswith(CANCELLATION_HEAD) or len(data) < 1:
            raise ValueError
        message = _new_cancellation()
        message.topic = topic
        message.__class__ = Cancellation
        return message
    except FAULTS:
        pass
    return Cancellation(**_CANCELLATION_LAYOUT.read(data))


def scan_cancellation(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `topic`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(CANCELLATION_HEAD) or len(data) < 1:
            raise ValueError
        return 1, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _CANCELLATION_LAYOUT.scan(data)
    return found


def _decode_subscribe_x(data: bytes) -> Any:
    try:
        head, kind = _unpack_from_12s_u1(data)
        filter_ = data[13:]
        if head != SUBSCRIBE_X_HEAD or len(data) < 13:
            raise ValueError
        message = _new_subscribe_x()
        message.kind = kind
        message.filter = filter_
        message.__class__ = SubscribeX
        return message
    except FAULTS:
        pass
    return SubscribeX(**_SUBSCRIBE_X_LAYOUT.read(data))


def scan_subscribe_x(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `filter`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(SUBSCRIBE_X_HEAD) or len(data) < 13:
            raise ValueError
        return 13, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _SUBSCRIBE_X_LAYOUT.scan(data)
    return found


def subscribe_x_head(kind: int) -> bytes:
    """The bytes of SUBSCRIBE-X before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_12s_u1(SUBSCRIBE_X_HEAD, kind)
    except FAULTS:
        pass
    return _SUBSCRIBE_X_LAYOUT.write_head(kind)


def unpack_subscribe_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `subscribe_x_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, kind = _unpack_from_12s_u1(data, offset)
        if head != SUBSCRIBE_X_HEAD:
            raise ValueError
        return (kind,)
    except FAULTS:
        pass
    found: tuple[int] = _SUBSCRIBE_X_LAYOUT.read_head(data, offset, 2)
    return found


def _decode_cancel_x(data: bytes) -> Any:
    try:
        head, kind = _unpack_from_9s_u1(data)
        filter_ = data[10:]
        if head != CANCEL_X_HEAD or len(data) < 10:
            raise ValueError
        message = _new_cancel_x()
        message.kind = kind
        message.filter = filter_
        message.__class__ = CancelX
        return message
    except FAULTS:
        pass
    return CancelX(**_CANCEL_X_LAYOUT.read(data))


def scan_cancel_x(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `filter`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(CANCEL_X_HEAD) or len(data) < 10:
            raise ValueError
        return 10, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _CANCEL_X_LAYOUT.scan(data)
    return found


def cancel_x_head(kind: int) -> bytes:
    """The bytes of CANCEL-X before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_9s_u1(CANCEL_X_HEAD, kind)
    except FAULTS:
        pass
    return _CANCEL_X_LAYOUT.write_head(kind)


def unpack_cancel_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `cancel_x_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, kind = _unpack_from_9s_u1(data, offset)
        if head != CANCEL_X_HEAD:
            raise ValueError
        return (kind,)
    except FAULTS:
        pass
    found: tuple[int] = _CANCEL_X_LAYOUT.read_head(data, offset, 2)
    return found


def _decode_subscription_x(data: bytes) -> Any:
    try:
        head, kind = _unpack_from_1s_u1(data)
        filter_ = data[2:]
        if head != SUBSCRIPTION_X_HEAD or len(data) < 2:
            raise ValueError
        message = _new_subscription_x()
        message.kind = kind
        message.filter = filter_
        message.__class__ = SubscriptionX
        return message
    except FAULTS:
        pass
    return SubscriptionX(**_SUBSCRIPTION_X_LAYOUT.read(data))


def scan_subscription_x(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `filter`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(SUBSCRIPTION_X_HEAD) or len(data) < 2:
            raise ValueError
        return 2, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _SUBSCRIPTION_X_LAYOUT.scan(data)
    return found


def subscription_x_head(kind: int) -> bytes:
    """The bytes of SUBSCRIPTION-X before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_1s_u1(SUBSCRIPTION_X_HEAD, kind)
    except FAULTS:
        pass
    return _SUBSCRIPTION_X_LAYOUT.write_head(kind)


def unpack_subscription_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `subscription_x_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, kind = _unpack_from_1s_u1(data, offset)
        if head != SUBSCRIPTION_X_HEAD:
            raise ValueError
        return (kind,)
    except FAULTS:
        pass
    found: tuple[int] = _SUBSCRIPTION_X_LAYOUT.read_head(data, offset, 2)
    return found


def _decode_cancellation_x(data: bytes) -> Any:
    try:
        head, kind = _unpack_from_1s_u1(data)
        filter_ = data[2:]
        if head != CANCELLATION_X_HEAD or len(data) < 2:
            raise ValueError
        message = _new_cancellation_x()
        message.kind = kind
        message.filter = filter_
        message.__class__ = CancellationX
        return message
    except FAULTS:
        pass
    return CancellationX(**_CANCELLATION_X_LAYOUT.read(data))


def scan_cancellation_x(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `filter`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        if not data.startswith(CANCELLATION_X_HEAD) or len(data) < 2:
            raise ValueError
        return 2, len(data)
    except FAULTS:
        pass
    found: tuple[int, int] = _CANCELLATION_X_LAYOUT.scan(data)
    return found


def cancellation_x_head(kind: int) -> bytes:
    """The bytes of CANCELLATION-X before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_1s_u1(CANCELLATION_X_HEAD, kind)
    except FAULTS:
        pass
    return _CANCELLATION_X_LAYOUT.write_head(kind)


def unpack_cancellation_x_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int]:
    """What `cancellation_x_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, kind = _unpack_from_1s_u1(data, offset)
        if head != CANCELLATION_X_HEAD:
            raise ValueError
        return (kind,)
    except FAULTS:
        pass
    found: tuple[int] = _CANCELLATION_X_LAYOUT.read_head(data, offset, 2)
    return found


_DECODERS: dict[bytes, Callable[..., Message]] = {
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
    """Encodes the message to one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """Decodes the message in `data`, which must be used completely. Raises only DecodeError."""
    if type(data) is not bytes:
        data = bytes(data)
    for beginning, decoder in _DECODERS.items():
        if data.startswith(beginning):
            return decoder(data)
    raise unknown(data, tuple(_DECODERS))
