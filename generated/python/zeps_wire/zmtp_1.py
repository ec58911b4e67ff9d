"""ZMTP 1.0.

A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
identity, which is mostly empty; a subscriber says nothing after it.
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
    trailing,
    twin,
    unknown,
)

__all__ = [
    "FRAME_HEAD",
    "MESSAGES",
    "Frame",
    "Message",
    "decode",
    "encode",
    "scan_frame",
]


_pack_u1 = Struct(">B").pack

FRAME_HEAD = b""


_FRAME_LAYOUT = _layout.Layout(
    "FRAME", (_op.Content(name="content", prefix=1, limit=254),), ("content",), False, False
)


@dataclass(frozen=True, slots=True, init=False)
class Frame:
    """Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of
    length.

    Attributes:
        content: One octet of flags, zero or one, and the body
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "FRAME"

    content: bytes

    def __init__(
        self,
        content: bytes,
    ) -> None:
        _set_frame__content(self, content)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if len(self.content) > 254:
                raise ValueError
            return _pack_u1(len(self.content)) + self.content
        except FAULTS:
            pass
        return _FRAME_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 1 + len(self.content)


Message = Frame

MESSAGES: dict[int, type[Message]] = {
    1: Frame,
}

(_set_frame__content,) = setters(Frame)
_new_frame = twin(Frame)


def _decode_frame(data: bytes) -> Any:
    try:
        content_length = data[0]
        content = data[1:]
        if content_length > 254 or len(content) != content_length:
            raise ValueError
        message = _new_frame()
        message.content = content
        message.__class__ = Frame
        return message
    except FAULTS:
        pass
    return Frame(**_FRAME_LAYOUT.read(data))


def scan_frame(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `content`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        content_length = data[0]
        content_end = 1 + content_length
        if content_length > 254:
            raise ValueError
        if len(data) != content_end:
            raise trailing(data, "FRAME", content_end)
        return 1, content_end
    except FAULTS:
        pass
    found: tuple[int, int] = _FRAME_LAYOUT.scan(data)
    return found


_DECODERS: dict[bytes, Callable[..., Message]] = {
    b"": _decode_frame,
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
