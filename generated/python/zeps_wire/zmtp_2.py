"""ZMTP 2.0.

What opens a connection of version 2.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import (
    Beginning,
    bad_constants,
    ending,
    misread,
    out_of_range,
    setters,
    truncated,
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


_pack_s1_s8_s1_s1_u1_s1 = Struct(">1s8s1s1sB1s").pack
_pack_s1_s8_s1_s1_u1_s1_u1 = Struct(">1s8s1s1sB1sB").pack

GREETING_HEAD = b"\xff"
GREETING_HEAD_SIZE = 13


_GREETING_BEGINNING = Beginning("GREETING", b"", (("signature", b"\xff"),))


class SocketType(IntEnum):
    """Values of socket type."""

    PAIR = 0
    # XPUB too
    PUB = 1
    # XSUB too
    SUB = 2
    REQ = 3
    REP = 4
    DEALER = 5
    ROUTER = 6
    PULL = 7
    PUSH = 8


_members_of_socket_type: dict[int, SocketType] = {member.value: member for member in SocketType}


@dataclass(frozen=True, slots=True, init=False)
class Greeting:
    """The signature, the version, the socket's type, and a frame with an identity that subscribers
    leave empty.
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "GREETING"
    SIGNATURE: ClassVar[int] = 255
    SIGNATURE_END: ClassVar[int] = 127
    REVISION: ClassVar[int] = 1
    FINAL_SHORT: ClassVar[int] = 0

    # What the sender is
    socket_type: SocketType
    # Nothing, for publishers and subscribers
    identity: bytes

    def __init__(
        self,
        socket_type: SocketType,
        identity: bytes,
    ) -> None:
        _set_greeting__socket_type(self, socket_type)
        _set_greeting__identity(self, identity)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            if self.socket_type not in _members_of_socket_type:
                raise EncodeError("bad-constant", "GREETING", "socket_type")
            return (
                _pack_s1_s8_s1_s1_u1_s1_u1(
                    GREETING_HEAD,
                    b"\x00\x00\x00\x00\x00\x00\x00\x00",
                    b"\x7f",
                    b"\x01",
                    self.socket_type,
                    b"\x00",
                    len(self.identity),
                )
                + self.identity
            )
        except error:
            raise out_of_range(
                "GREETING",
                ("socket_type", self.socket_type, 0, 255),
                ("identity", len(self.identity), 0, 255),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 14 + len(self.identity)


Message = Greeting

MESSAGES: dict[int, type[Message]] = {
    1: Greeting,
}

_set_greeting__socket_type, _set_greeting__identity = setters(Greeting)
_new_greeting = twin(Greeting)


def _decode_greeting(data: bytes) -> Any:
    if not data.startswith(GREETING_HEAD) or len(data) < 9:
        raise misread(_GREETING_BEGINNING, data, ("padding", 1, 9))
    if data[9:11] != b"\x7f\x01":
        raise bad_constants("GREETING", data, 9, ("signature_end", b"\x7f"), ("revision", b"\x01"))
    try:
        socket_type_value = data[11]
    except IndexError:
        raise truncated("GREETING", len(data), ("socket_type", 11, 12)) from None
    socket_type_member = _members_of_socket_type.get(socket_type_value)
    if socket_type_member is None:
        raise DecodeError("bad-constant", "GREETING", "socket_type", 11)
    socket_type = socket_type_member
    if data[12:13] != b"\x00":
        raise bad_constants("GREETING", data, 12, ("final_short", b"\x00"))
    try:
        identity_length = data[13]
    except IndexError:
        raise truncated("GREETING", len(data), ("identity", 13, 14)) from None
    identity_end = 14 + identity_length
    if len(data) != identity_end:
        raise ending("GREETING", "identity", 13, identity_end, len(data))
    identity = data[14:]
    message = _new_greeting()
    message.socket_type = socket_type
    message.identity = identity
    message.__class__ = Greeting
    return message


def scan_greeting(data: bytes) -> tuple[int, int]:
    """Where the content of `identity` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(GREETING_HEAD) or len(data) < 9:
        raise misread(_GREETING_BEGINNING, data, ("padding", 1, 9))
    if data[9:11] != b"\x7f\x01":
        raise bad_constants("GREETING", data, 9, ("signature_end", b"\x7f"), ("revision", b"\x01"))
    try:
        socket_type = data[11]
    except IndexError:
        raise truncated("GREETING", len(data), ("socket_type", 11, 12)) from None
    if socket_type not in _members_of_socket_type:
        raise DecodeError("bad-constant", "GREETING", "socket_type", 11)
    if data[12:13] != b"\x00":
        raise bad_constants("GREETING", data, 12, ("final_short", b"\x00"))
    try:
        identity_length = data[13]
    except IndexError:
        raise truncated("GREETING", len(data), ("identity", 13, 14)) from None
    identity_end = 14 + identity_length
    if len(data) != identity_end:
        raise ending("GREETING", "identity", 13, identity_end, len(data))
    return 14, identity_end


def greeting_head(socket_type: SocketType) -> bytes:
    """The octets of GREETING up to the first field whose size varies."""
    try:
        if socket_type not in _members_of_socket_type:
            raise EncodeError("bad-constant", "GREETING", "socket_type")
        return _pack_s1_s8_s1_s1_u1_s1(
            GREETING_HEAD, b"\x00\x00\x00\x00\x00\x00\x00\x00", b"\x7f", b"\x01", socket_type, b"\x00"
        )
    except error:
        raise out_of_range("GREETING", ("socket_type", socket_type, 0, 255)) from None


def unpack_greeting_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[SocketType]:
    """What `greeting_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 1] != GREETING_HEAD:
        raise bad_constants("GREETING", data, offset, ("signature", b"\xff"))
    if len(data) < offset + 9:
        raise truncated("GREETING", len(data), ("padding", offset + 1, offset + 9))
    if data[offset + 9 : offset + 11] != b"\x7f\x01":
        raise bad_constants("GREETING", data, offset + 9, ("signature_end", b"\x7f"), ("revision", b"\x01"))
    try:
        socket_type_value = data[offset + 11]
    except IndexError:
        raise truncated("GREETING", len(data), ("socket_type", offset + 11, offset + 12)) from None
    socket_type_member = _members_of_socket_type.get(socket_type_value)
    if socket_type_member is None:
        raise DecodeError("bad-constant", "GREETING", "socket_type", offset + 11)
    socket_type = socket_type_member
    if data[offset + 12 : offset + 13] != b"\x00":
        raise bad_constants("GREETING", data, offset + 12, ("final_short", b"\x00"))
    return (socket_type,)


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"\xff": _decode_greeting,
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
