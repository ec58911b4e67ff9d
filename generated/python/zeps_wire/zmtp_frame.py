"""ZMTP frames.

A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say
what the frame is, so they are what a frame's number stands for here; flags that no frame has are
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any, ClassVar

from . import layout as _layout
from . import operations as _op
from .layout import FAULTS
from .support import (
    setters,
    table,
    trailing,
    twin,
    unknown_number,
)

__all__ = [
    "COMMAND_HEAD",
    "LAST_HEAD",
    "LONG_COMMAND_HEAD",
    "LONG_LAST_HEAD",
    "LONG_MORE_HEAD",
    "MESSAGES",
    "MORE_HEAD",
    "Command",
    "Last",
    "LongCommand",
    "LongLast",
    "LongMore",
    "Message",
    "More",
    "decode",
    "encode",
    "scan_command",
    "scan_last",
    "scan_long_command",
    "scan_long_last",
    "scan_long_more",
    "scan_more",
]


_pack_1s_u1 = Struct(">1sB").pack
_pack_1s_u8 = Struct(">1sQ").pack
_unpack_from_1s_u1 = Struct(">1sB").unpack_from
_unpack_from_1s_u8 = Struct(">1sQ").unpack_from

LAST_HEAD = b"\x00"
MORE_HEAD = b"\x01"
LONG_LAST_HEAD = b"\x02"
LONG_MORE_HEAD = b"\x03"
COMMAND_HEAD = b"\x04"
LONG_COMMAND_HEAD = b"\x06"


_LAST_LAYOUT = _layout.Layout(
    "LAST",
    (_op.Constant(name="", octets=b"\x00"), _op.Content(name="body", prefix=1)),
    ("body",),
    True,
    False,
)
_MORE_LAYOUT = _layout.Layout(
    "MORE",
    (_op.Constant(name="", octets=b"\x01"), _op.Content(name="body", prefix=1)),
    ("body",),
    True,
    False,
)
_LONG_LAST_LAYOUT = _layout.Layout(
    "LONG-LAST",
    (_op.Constant(name="", octets=b"\x02"), _op.Content(name="body", prefix=8, limit=9223372036854775807)),
    ("body",),
    True,
    False,
)
_LONG_MORE_LAYOUT = _layout.Layout(
    "LONG-MORE",
    (_op.Constant(name="", octets=b"\x03"), _op.Content(name="body", prefix=8, limit=9223372036854775807)),
    ("body",),
    True,
    False,
)
_COMMAND_LAYOUT = _layout.Layout(
    "COMMAND",
    (_op.Constant(name="", octets=b"\x04"), _op.Content(name="body", prefix=1)),
    ("body",),
    True,
    False,
)
_LONG_COMMAND_LAYOUT = _layout.Layout(
    "LONG-COMMAND",
    (_op.Constant(name="", octets=b"\x06"), _op.Content(name="body", prefix=8, limit=9223372036854775807)),
    ("body",),
    True,
    False,
)


@dataclass(frozen=True, slots=True, init=False)
class Last:
    """The last or only frame of a message, of up to 255 octets.

    Attributes:
        body: The octets
    """

    ID: ClassVar[int] = 0
    NAME: ClassVar[str] = "LAST"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_last__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_1s_u1(LAST_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _LAST_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class More:
    """A frame of a message that goes on, of up to 255 octets.

    Attributes:
        body: The octets
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "MORE"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_more__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_1s_u1(MORE_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _MORE_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongLast:
    """The last or only frame of a message, of any size.

    Attributes:
        body: The octets
    """

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "LONG-LAST"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_last__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.body) > 9223372036854775807:
                raise ValueError
            return _pack_1s_u8(LONG_LAST_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _LONG_LAST_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 9 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongMore:
    """A frame of a message that goes on, of any size.

    Attributes:
        body: The octets
    """

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "LONG-MORE"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_more__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.body) > 9223372036854775807:
                raise ValueError
            return _pack_1s_u8(LONG_MORE_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _LONG_MORE_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 9 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class Command:
    """A command, of up to 255 octets.

    Attributes:
        body: The command
    """

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "COMMAND"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_command__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            return _pack_1s_u1(COMMAND_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _COMMAND_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongCommand:
    """A command, of any size.

    Attributes:
        body: The command
    """

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "LONG-COMMAND"

    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_command__body(self, body)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.body) > 9223372036854775807:
                raise ValueError
            return _pack_1s_u8(LONG_COMMAND_HEAD, len(self.body)) + self.body
        except FAULTS:
            pass
        return _LONG_COMMAND_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 9 + len(self.body)


Message = Last | More | LongLast | LongMore | Command | LongCommand

MESSAGES: dict[int, type[Message]] = {
    0: Last,
    1: More,
    2: LongLast,
    3: LongMore,
    4: Command,
    6: LongCommand,
}

(_set_last__body,) = setters(Last)
_new_last = twin(Last)
(_set_more__body,) = setters(More)
_new_more = twin(More)
(_set_long_last__body,) = setters(LongLast)
_new_long_last = twin(LongLast)
(_set_long_more__body,) = setters(LongMore)
_new_long_more = twin(LongMore)
(_set_command__body,) = setters(Command)
_new_command = twin(Command)
(_set_long_command__body,) = setters(LongCommand)
_new_long_command = twin(LongCommand)


def _decode_last(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body = data[2:]
        if len(body) != body_length or head != LAST_HEAD:
            raise ValueError
        message = _new_last()
        message.body = body
        message.__class__ = Last
        return message
    except FAULTS:
        pass
    return Last(**_LAST_LAYOUT.read(data))


def scan_last(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body_end = 2 + body_length
        if head != LAST_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "LAST", body_end)
        return 2, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _LAST_LAYOUT.scan(data)
    return found


def _decode_more(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body = data[2:]
        if len(body) != body_length or head != MORE_HEAD:
            raise ValueError
        message = _new_more()
        message.body = body
        message.__class__ = More
        return message
    except FAULTS:
        pass
    return More(**_MORE_LAYOUT.read(data))


def scan_more(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body_end = 2 + body_length
        if head != MORE_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "MORE", body_end)
        return 2, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _MORE_LAYOUT.scan(data)
    return found


def _decode_long_last(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body = data[9:]
        if body_length > 9223372036854775807 or len(body) != body_length or head != LONG_LAST_HEAD:
            raise ValueError
        message = _new_long_last()
        message.body = body
        message.__class__ = LongLast
        return message
    except FAULTS:
        pass
    return LongLast(**_LONG_LAST_LAYOUT.read(data))


def scan_long_last(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body_end = 9 + body_length
        if body_length > 9223372036854775807 or head != LONG_LAST_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "LONG-LAST", body_end)
        return 9, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _LONG_LAST_LAYOUT.scan(data)
    return found


def _decode_long_more(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body = data[9:]
        if body_length > 9223372036854775807 or len(body) != body_length or head != LONG_MORE_HEAD:
            raise ValueError
        message = _new_long_more()
        message.body = body
        message.__class__ = LongMore
        return message
    except FAULTS:
        pass
    return LongMore(**_LONG_MORE_LAYOUT.read(data))


def scan_long_more(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body_end = 9 + body_length
        if body_length > 9223372036854775807 or head != LONG_MORE_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "LONG-MORE", body_end)
        return 9, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _LONG_MORE_LAYOUT.scan(data)
    return found


def _decode_command(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body = data[2:]
        if len(body) != body_length or head != COMMAND_HEAD:
            raise ValueError
        message = _new_command()
        message.body = body
        message.__class__ = Command
        return message
    except FAULTS:
        pass
    return Command(**_COMMAND_LAYOUT.read(data))


def scan_command(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u1(data)
        body_end = 2 + body_length
        if head != COMMAND_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "COMMAND", body_end)
        return 2, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _COMMAND_LAYOUT.scan(data)
    return found


def _decode_long_command(data: bytes) -> Any:
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body = data[9:]
        if body_length > 9223372036854775807 or len(body) != body_length or head != LONG_COMMAND_HEAD:
            raise ValueError
        message = _new_long_command()
        message.body = body
        message.__class__ = LongCommand
        return message
    except FAULTS:
        pass
    return LongCommand(**_LONG_COMMAND_LAYOUT.read(data))


def scan_long_command(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `body`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_from_1s_u8(data)
        body_end = 9 + body_length
        if body_length > 9223372036854775807 or head != LONG_COMMAND_HEAD:
            raise ValueError
        if len(data) != body_end:
            raise trailing(data, "LONG-COMMAND", body_end)
        return 9, body_end
    except FAULTS:
        pass
    found: tuple[int, int] = _LONG_COMMAND_LAYOUT.scan(data)
    return found


def _no_message(data: bytes) -> Any:
    raise unknown_number(data, b"")


_DECODERS: tuple[Callable[..., Message], ...] = table(
    {
        0: _decode_last,
        1: _decode_more,
        2: _decode_long_last,
        3: _decode_long_more,
        4: _decode_command,
        6: _decode_long_command,
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
        decoder = _DECODERS[data[0]]
    except IndexError:
        raise unknown_number(data, b"") from None
    return decoder(data)
