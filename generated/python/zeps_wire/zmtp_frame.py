"""ZMTP frames.

A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say
what the frame is, so they are what a frame's number stands for here; flags that no frame has are
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import Beginning, ending, misread, out_of_range, setters, table, twin, unknown_number

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


_pack_s1_u1 = Struct(">1sB").pack
_pack_s1_u8 = Struct(">1sQ").pack
_unpack_s1_u8 = Struct(">1sQ").unpack_from

LAST_HEAD = b"\x00"
MORE_HEAD = b"\x01"
LONG_LAST_HEAD = b"\x02"
LONG_MORE_HEAD = b"\x03"
COMMAND_HEAD = b"\x04"
LONG_COMMAND_HEAD = b"\x06"


_LAST_BEGINNING = Beginning("LAST", b"\x00", ())
_MORE_BEGINNING = Beginning("MORE", b"\x01", ())
_LONG_LAST_BEGINNING = Beginning("LONG-LAST", b"\x02", ())
_LONG_MORE_BEGINNING = Beginning("LONG-MORE", b"\x03", ())
_COMMAND_BEGINNING = Beginning("COMMAND", b"\x04", ())
_LONG_COMMAND_BEGINNING = Beginning("LONG-COMMAND", b"\x06", ())


@dataclass(frozen=True, slots=True, init=False)
class Last:
    """The last or only frame of a message, of up to 255 octets."""

    ID: ClassVar[int] = 0
    NAME: ClassVar[str] = "LAST"

    # The octets
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_last__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s1_u1(LAST_HEAD, len(self.body)) + self.body
        except error:
            raise out_of_range("LAST", ("body", len(self.body), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class More:
    """A frame of a message that goes on, of up to 255 octets."""

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "MORE"

    # The octets
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_more__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s1_u1(MORE_HEAD, len(self.body)) + self.body
        except error:
            raise out_of_range("MORE", ("body", len(self.body), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongLast:
    """The last or only frame of a message, of any size."""

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "LONG-LAST"

    # The octets
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_last__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            body_length = len(self.body)
            if body_length > 9223372036854775807:
                raise EncodeError("too-long", "LONG-LAST", "body")
            return _pack_s1_u8(LONG_LAST_HEAD, body_length) + self.body
        except error:
            raise out_of_range("LONG-LAST", ("body", len(self.body), 0, 18446744073709551615)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 9 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongMore:
    """A frame of a message that goes on, of any size."""

    ID: ClassVar[int] = 3
    NAME: ClassVar[str] = "LONG-MORE"

    # The octets
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_more__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            body_length = len(self.body)
            if body_length > 9223372036854775807:
                raise EncodeError("too-long", "LONG-MORE", "body")
            return _pack_s1_u8(LONG_MORE_HEAD, body_length) + self.body
        except error:
            raise out_of_range("LONG-MORE", ("body", len(self.body), 0, 18446744073709551615)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 9 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class Command:
    """A command, of up to 255 octets."""

    ID: ClassVar[int] = 4
    NAME: ClassVar[str] = "COMMAND"

    # The command
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_command__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            return _pack_s1_u1(COMMAND_HEAD, len(self.body)) + self.body
        except error:
            raise out_of_range("COMMAND", ("body", len(self.body), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 2 + len(self.body)


@dataclass(frozen=True, slots=True, init=False)
class LongCommand:
    """A command, of any size."""

    ID: ClassVar[int] = 6
    NAME: ClassVar[str] = "LONG-COMMAND"

    # The command
    body: bytes

    def __init__(
        self,
        body: bytes,
    ) -> None:
        _set_long_command__body(self, body)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            body_length = len(self.body)
            if body_length > 9223372036854775807:
                raise EncodeError("too-long", "LONG-COMMAND", "body")
            return _pack_s1_u8(LONG_COMMAND_HEAD, body_length) + self.body
        except error:
            raise out_of_range("LONG-COMMAND", ("body", len(self.body), 0, 18446744073709551615)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
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
    if not data.startswith(LAST_HEAD):
        raise misread(_LAST_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_LAST_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("LAST", "body", 1, body_end, len(data))
    body = data[2:]
    message = _new_last()
    message.body = body
    message.__class__ = Last
    return message


def scan_last(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(LAST_HEAD):
        raise misread(_LAST_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_LAST_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("LAST", "body", 1, body_end, len(data))
    return 2, body_end


def _decode_more(data: bytes) -> Any:
    if not data.startswith(MORE_HEAD):
        raise misread(_MORE_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_MORE_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("MORE", "body", 1, body_end, len(data))
    body = data[2:]
    message = _new_more()
    message.body = body
    message.__class__ = More
    return message


def scan_more(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(MORE_HEAD):
        raise misread(_MORE_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_MORE_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("MORE", "body", 1, body_end, len(data))
    return 2, body_end


def _decode_long_last(data: bytes) -> Any:
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_LAST_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_LAST_HEAD:
        raise misread(_LONG_LAST_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-LAST", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-LAST", "body", 1, body_end, len(data))
    body = data[9:]
    message = _new_long_last()
    message.body = body
    message.__class__ = LongLast
    return message


def scan_long_last(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_LAST_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_LAST_HEAD:
        raise misread(_LONG_LAST_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-LAST", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-LAST", "body", 1, body_end, len(data))
    return 9, body_end


def _decode_long_more(data: bytes) -> Any:
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_MORE_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_MORE_HEAD:
        raise misread(_LONG_MORE_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-MORE", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-MORE", "body", 1, body_end, len(data))
    body = data[9:]
    message = _new_long_more()
    message.body = body
    message.__class__ = LongMore
    return message


def scan_long_more(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_MORE_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_MORE_HEAD:
        raise misread(_LONG_MORE_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-MORE", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-MORE", "body", 1, body_end, len(data))
    return 9, body_end


def _decode_command(data: bytes) -> Any:
    if not data.startswith(COMMAND_HEAD):
        raise misread(_COMMAND_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_COMMAND_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("COMMAND", "body", 1, body_end, len(data))
    body = data[2:]
    message = _new_command()
    message.body = body
    message.__class__ = Command
    return message


def scan_command(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    if not data.startswith(COMMAND_HEAD):
        raise misread(_COMMAND_BEGINNING, data, ("body", 1, 2))
    try:
        body_length = data[1]
    except IndexError:
        raise misread(_COMMAND_BEGINNING, data, ("body", 1, 2)) from None
    body_end = 2 + body_length
    if len(data) != body_end:
        raise ending("COMMAND", "body", 1, body_end, len(data))
    return 2, body_end


def _decode_long_command(data: bytes) -> Any:
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_COMMAND_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_COMMAND_HEAD:
        raise misread(_LONG_COMMAND_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-COMMAND", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-COMMAND", "body", 1, body_end, len(data))
    body = data[9:]
    message = _new_long_command()
    message.body = body
    message.__class__ = LongCommand
    return message


def scan_long_command(data: bytes) -> tuple[int, int]:
    """Where the content of `body` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, body_length = _unpack_s1_u8(data)
    except error:
        raise misread(_LONG_COMMAND_BEGINNING, data, ("body", 1, 9)) from None
    if head != LONG_COMMAND_HEAD:
        raise misread(_LONG_COMMAND_BEGINNING, data, ("body", 1, 9))
    if body_length > 9223372036854775807:
        raise DecodeError("too-long", "LONG-COMMAND", "body", 1)
    body_end = 9 + body_length
    if len(data) != body_end:
        raise ending("LONG-COMMAND", "body", 1, body_end, len(data))
    return 9, body_end


def _no_message(data: bytes) -> Any:
    raise unknown_number(data, b"")


_DECODERS: tuple[Callable[[bytes], Message], ...] = table(
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
    """The message as one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """The message that `data` holds, to its last octet. Raises DecodeError, and nothing else."""
    if type(data) is not bytes:
        data = bytes(data)
    try:
        decoder = _DECODERS[data[0]]
    except IndexError:
        raise unknown_number(data, b"") from None
    return decoder(data)
