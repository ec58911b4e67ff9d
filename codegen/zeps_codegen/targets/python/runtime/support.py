"""Support for generated codecs: dispatch, variable-length numbers, and fast construction of frozen messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .caches import UTF8_TEXTS
from .errors import DecodeError

__all__ = [
    "read_topic",
    "setters",
    "signed_varint",
    "signed_varint_octets",
    "signed_varint_size",
    "table",
    "trailing",
    "twin",
    "unknown",
    "unknown_name",
    "unknown_number",
    "varint",
    "varint_octets",
    "varint_size",
]

_VARINT_OCTETS_MAX = 10
_U64_MAX = 2**64 - 1

D = TypeVar("D")


def twin(cls: type) -> Any:
    """A mutable class with the slots of `cls`; setting ``__class__`` then is twice as fast as a frozen constructor."""
    return type(f"_{cls.__name__}", (), {"__slots__": cls.__slots__})  # type: ignore[attr-defined]


def setters(cls: type) -> tuple[Callable[[Any, Any], None], ...]:
    """The functions that set each slot of the frozen `cls`, in order; for its constructor only."""
    return tuple(getattr(cls, name).__set__ for name in cls.__slots__)  # type: ignore[attr-defined]


def table(decoders: Mapping[int, D], otherwise: D) -> tuple[D, ...]:
    """The decoder for each possible byte of a message's number."""
    return tuple(decoders.get(octet, otherwise) for octet in range(256))


def unknown(data: bytes, beginnings: tuple[bytes, ...]) -> DecodeError:
    """The error of a frame without these beginnings: ``truncated`` if one begins with it, else ``unknown-message``."""
    if any(beginning.startswith(data) for beginning in beginnings):
        return DecodeError("truncated")
    return DecodeError("unknown-message")


def unknown_number(data: bytes, signature: bytes) -> DecodeError:
    """The error of a frame without `signature` and a known number of one byte: ``truncated`` if it ends before the
    number, else ``bad-signature`` or ``unknown-message``.
    """
    seen = data[: len(signature)]
    if seen != signature:
        return DecodeError("truncated" if signature.startswith(seen) else "bad-signature")
    code = "truncated" if len(data) == len(signature) else "unknown-message"
    return DecodeError(code, offset=len(signature))


def unknown_name(data: bytes) -> DecodeError:
    """The error of a frame without a known name after its length: ``truncated`` if short, else ``unknown-message``."""
    return DecodeError("unknown-message" if data and len(data) > data[0] else "truncated")


def trailing(data: bytes, message: str, end: int) -> DecodeError:
    """The error of a frame with bytes after `end`, the end of its last field. Raises ValueError if it ends earlier."""
    if len(data) < end:
        raise ValueError
    return DecodeError("trailing", message, None, end)


def varint(data: bytes | bytearray | memoryview, at: int) -> tuple[int, int]:
    """The LEB128 number at `at` and its end. Raises IndexError if cut short, ValueError over 64 bits or ten bytes."""
    value = 0
    for shift in range(0, 7 * _VARINT_OCTETS_MAX, 7):
        octet = data[at]
        at += 1
        value |= (octet & 0x7F) << shift
        if octet < 0x80 and value <= _U64_MAX:
            return value, at
        if octet < 0x80:
            break
    raise ValueError("the number exceeds 64 bits or ten bytes")


def varint_octets(value: int) -> bytes:
    """Encodes `value` in LEB128. Raises OverflowError if it is negative or exceeds 64 bits."""
    if not 0 <= value <= _U64_MAX:
        raise OverflowError("the number is negative or exceeds 64 bits")
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


def varint_size(value: int) -> int:
    """The size of `value` in LEB128, in bytes."""
    return max(1, (value.bit_length() + 6) // 7)


def signed_varint(data: bytes | bytearray | memoryview, at: int) -> tuple[int, int]:
    """The zigzag LEB128 number at `at`, and the offset of its end. Raises the same errors as `varint`."""
    value, end = varint(data, at)
    return (value >> 1) ^ -(value & 1), end


def signed_varint_octets(value: int) -> bytes:
    """Encodes `value` in zigzag LEB128. Raises OverflowError if it exceeds 64 bits."""
    return varint_octets((value << 1) ^ (value >> 63))


def signed_varint_size(value: int) -> int:
    """The size of `value` in zigzag LEB128, in bytes."""
    return varint_size((value << 1) ^ (value >> 63))


def read_topic(data: bytes, at: int) -> tuple[str, int]:
    """The text at `at`, and the offset of its zero byte. Raises ValueError without one, KeyError if not UTF-8."""
    end = data.index(0, at)
    return UTF8_TEXTS[data[at:end]], end
