"""ZMTP 2.0.

What opens a connection of version 2.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct
from typing import Any, ClassVar

from . import layout as _layout
from . import operations as _op
from .layout import FAULTS
from .support import (
    setters,
    trailing,
    twin,
    unknown,
)

__all__ = [
    "GREETING_HEAD",
    "GREETING_HEAD_SIZE",
    "MESSAGES",
    "Greeting",
    "Message",
    "SocketType",
    "decode",
    "encode",
    "greeting_head",
    "scan_greeting",
    "unpack_greeting_head",
]


_pack_1s8x1s1s_u11s = Struct(">1s8x1s1sB1s").pack
_pack_1s8x1s1s_u11s_u1 = Struct(">1s8x1s1sB1sB").pack
_unpack_from_1s8x1s1s_u11s = Struct(">1s8x1s1sB1s").unpack_from
_unpack_from_1s8x1s1s_u11s_u1 = Struct(">1s8x1s1sB1sB").unpack_from

GREETING_HEAD = b"\xff"
GREETING_HEAD_SIZE = 13


class SocketType(IntEnum):
    """Values of socket type.

    Attributes:
        PUB: XPUB too
        SUB: XSUB too
    """

    PAIR = 0
    PUB = 1
    SUB = 2
    REQ = 3
    REP = 4
    DEALER = 5
    ROUTER = 6
    PULL = 7
    PUSH = 8


_members_of_socket_type: dict[int, SocketType] = {member.value: member for member in SocketType}

_GREETING_LAYOUT = _layout.Layout(
    "GREETING",
    (
        _op.Constant(name="signature", octets=b"\xff"),
        _op.Reserved(name="padding", size=8),
        _op.Constant(name="signature_end", octets=b"\x7f"),
        _op.Constant(name="revision", octets=b"\x01"),
        _op.Number(name="socket_type", size=1, members=_members_of_socket_type),
        _op.Constant(name="final_short", octets=b"\x00"),
        _op.Content(name="identity", prefix=1),
    ),
    ("socket_type", "identity"),
    False,
    False,
)


@dataclass(frozen=True, slots=True, init=False)
class Greeting:
    """The signature, the version, the socket's type, and a frame with an identity that subscribers
    leave empty.

    Attributes:
        socket_type: What the sender is
        identity: Nothing, for publishers and subscribers
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "GREETING"
    SIGNATURE: ClassVar[int] = 255
    SIGNATURE_END: ClassVar[int] = 127
    REVISION: ClassVar[int] = 1
    FINAL_SHORT: ClassVar[int] = 0

    socket_type: SocketType
    identity: bytes

    def __init__(
        self,
        socket_type: SocketType,
        identity: bytes,
    ) -> None:
        _set_greeting__socket_type(self, socket_type)
        _set_greeting__identity(self, identity)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if self.socket_type not in _members_of_socket_type:
                raise ValueError
            return (
                _pack_1s8x1s1s_u11s_u1(
                    GREETING_HEAD, b"\x7f", b"\x01", self.socket_type, b"\x00", len(self.identity)
                )
                + self.identity
            )
        except FAULTS:
            pass
        return _GREETING_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 14 + len(self.identity)


Message = Greeting

MESSAGES: dict[int, type[Message]] = {
    1: Greeting,
}

_set_greeting__socket_type, _set_greeting__identity = setters(Greeting)
_new_greeting = twin(Greeting)


def _decode_greeting(data: bytes) -> Any:
    try:
        head, signature_end, revision, socket_type, final_short, identity_length = (
            _unpack_from_1s8x1s1s_u11s_u1(data)
        )
        identity = data[14:]
        if (
            signature_end != b"\x7f"
            or revision != b"\x01"
            or final_short != b"\x00"
            or len(identity) != identity_length
            or head != GREETING_HEAD
        ):
            raise ValueError
        socket_type = _members_of_socket_type[socket_type]
        message = _new_greeting()
        message.socket_type = socket_type
        message.identity = identity
        message.__class__ = Greeting
        return message
    except FAULTS:
        pass
    return Greeting(**_GREETING_LAYOUT.read(data))


def scan_greeting(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `identity`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, signature_end, revision, socket_type, final_short, identity_length = (
            _unpack_from_1s8x1s1s_u11s_u1(data)
        )
        identity_end = 14 + identity_length
        if signature_end != b"\x7f" or revision != b"\x01" or final_short != b"\x00" or head != GREETING_HEAD:
            raise ValueError
        socket_type = _members_of_socket_type[socket_type]
        if len(data) != identity_end:
            raise trailing(data, "GREETING", identity_end)
        return 14, identity_end
    except FAULTS:
        pass
    found: tuple[int, int] = _GREETING_LAYOUT.scan(data)
    return found


def greeting_head(socket_type: SocketType) -> bytes:
    """The bytes of GREETING before the first field of variable size. Raises EncodeError."""
    try:
        if socket_type not in _members_of_socket_type:
            raise ValueError
        return _pack_1s8x1s1s_u11s(GREETING_HEAD, b"\x7f", b"\x01", socket_type, b"\x00")
    except FAULTS:
        pass
    return _GREETING_LAYOUT.write_head(socket_type)


def unpack_greeting_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[SocketType]:
    """What `greeting_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, signature_end, revision, socket_type, final_short = _unpack_from_1s8x1s1s_u11s(data, offset)
        if signature_end != b"\x7f" or revision != b"\x01" or final_short != b"\x00" or head != GREETING_HEAD:
            raise ValueError
        socket_type = _members_of_socket_type[socket_type]
        return (socket_type,)
    except FAULTS:
        pass
    found: tuple[SocketType] = _GREETING_LAYOUT.read_head(data, offset, 6)
    return found


_DECODERS: dict[bytes, Callable[..., Message]] = {
    b"\xff": _decode_greeting,
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
