"""ZMTP 1.0.

A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
identity, which is mostly empty; a subscriber says nothing after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import Beginning, ending, out_of_range, setters, truncated, twin, unknown

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


_FRAME_BEGINNING = Beginning("FRAME", b"", ())


@dataclass(frozen=True, slots=True, init=False)
class Frame:
    """Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of
    length.
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "FRAME"

    # One octet of flags, zero or one, and the body
    content: bytes

    def __init__(
        self,
        content: bytes,
    ) -> None:
        _set_frame__content(self, content)

    def encode(self) -> bytes:
        """The message as one frame."""
        try:
            content_length = len(self.content)
            if content_length > 254:
                raise EncodeError("too-long", "FRAME", "content")
            return _pack_u1(content_length) + self.content
        except error:
            raise out_of_range("FRAME", ("content", len(self.content), 0, 255)) from None

    def size(self) -> int:
        """Octets of the encoded message."""
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
    except IndexError:
        raise truncated("FRAME", len(data), ("content", 0, 1)) from None
    if content_length > 254:
        raise DecodeError("too-long", "FRAME", "content", 0)
    content_end = 1 + content_length
    if len(data) != content_end:
        raise ending("FRAME", "content", 0, content_end, len(data))
    content = data[1:]
    message = _new_frame()
    message.content = content
    message.__class__ = Frame
    return message


def scan_frame(data: bytes) -> tuple[int, int]:
    """Where the content of `content` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        content_length = data[0]
    except IndexError:
        raise truncated("FRAME", len(data), ("content", 0, 1)) from None
    if content_length > 254:
        raise DecodeError("too-long", "FRAME", "content", 0)
    content_end = 1 + content_length
    if len(data) != content_end:
        raise ending("FRAME", "content", 0, content_end, len(data))
    return 1, content_end


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"": _decode_frame,
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
