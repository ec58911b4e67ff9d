"""What generated codecs share: the paths that are rarely taken, and a way to build frozen messages fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from .errors import DecodeError, EncodeError

__all__ = [
    "Beginning",
    "bad_constants",
    "bad_text",
    "ending",
    "miscounted",
    "misfit",
    "misread",
    "out_of_range",
    "setters",
    "table",
    "too_large",
    "truncated",
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
    """A class with the slots of frozen `cls`, but mutable.

    Setting three slots and then ``__class__`` takes half the time of a frozen dataclass's constructor.
    """
    return type(f"_{cls.__name__}", (), {"__slots__": cls.__slots__})  # type: ignore[attr-defined]


def setters(cls: type) -> tuple[Callable[[Any, Any], None], ...]:
    """What sets each slot of frozen `cls`, in the order of its slots; for its constructor only."""
    return tuple(getattr(cls, name).__set__ for name in cls.__slots__)  # type: ignore[attr-defined]


def table(decoders: Mapping[int, D], otherwise: D) -> tuple[D, ...]:
    """The decoder for each octet that may number a message."""
    return tuple(decoders.get(octet, otherwise) for octet in range(256))


class Beginning(NamedTuple):
    """How a message begins: what tells it from others (the last octet is its number), then its constants."""

    message: str
    dispatch: bytes
    constants: tuple[tuple[str | None, bytes], ...]


def misread(beginning: Beginning, data: bytes, *pieces: tuple[str, int, int]) -> DecodeError:
    """The error of a frame whose beginning, constants and `pieces` ought to be all of `data`."""
    message, dispatch, constants = beginning
    if not data.startswith(dispatch):
        return unknown_number(data, dispatch[:-1])
    end = len(dispatch) + sum(len(octets) for _, octets in constants)
    if data[len(dispatch) : end] != b"".join(octets for _, octets in constants):
        return bad_constants(message, data, len(dispatch), *constants)
    if pieces:
        end = pieces[-1][2]
    return misfit(message, len(data), end, *pieces)


def truncated(message: str, size: int, *pieces: tuple[str, int, int]) -> DecodeError:
    """The error of a frame of `size` octets that ends inside one of `pieces`: (field, start, end) each."""
    field, start, _ = next((piece for piece in pieces if piece[2] > size), pieces[-1])
    return DecodeError("truncated", message, field, start)


def misfit(message: str, size: int, end: int, *pieces: tuple[str, int, int]) -> DecodeError:
    """The error of a frame of `size` octets that ought to end at `end`, with the last of `pieces`."""
    if size > end:
        return DecodeError("trailing", message, None, end)
    return truncated(message, size, *pieces)


def too_large(
    message: str, field: str, start: int, size: int, values: tuple[int, ...], greatest: int
) -> DecodeError:
    """The error of numbers of `size` octets each, from `start` on, one of which is beyond `greatest`."""
    index = next(index for index, value in enumerate(values) if value > greatest)
    return DecodeError("too-long", message, field, start + index * size)


def ending(message: str, field: str | None, start: int, end: int, size: int) -> DecodeError:
    """The error of a frame of `size` octets whose last field, from `start`, ought to end at `end`."""
    if end > size:
        return DecodeError("truncated", message, field, start)
    return DecodeError("trailing", message, None, end)


def bad_text(message: str, field: str, start: int, end: int, size: int) -> DecodeError:
    """The error of text that is not what it ought to be, unless the frame of `size` octets cut it short."""
    return DecodeError("truncated" if end > size else "bad-text", message, field, start)


def bad_constants(
    message: str, data: bytes | bytearray | memoryview, at: int, *constants: tuple[str | None, bytes]
) -> DecodeError:
    """The error of a frame that ought to hold `constants`, (field, octets) each, from `at` on."""
    field, start = None, at
    for field, octets in constants:
        start, seen = at, bytes(data[at : at + len(octets)])
        if seen != octets:
            code = "truncated" if octets.startswith(seen) else "bad-constant"
            return DecodeError(code, message, field, start)
        at += len(octets)
    return DecodeError("bad-constant", message, field, start)


def unknown(data: bytes, beginnings: tuple[bytes, ...]) -> DecodeError:
    """The error of a frame that begins with none of `beginnings`."""
    if any(beginning.startswith(data) for beginning in beginnings):
        return DecodeError("truncated")
    return DecodeError("unknown-message")


def unknown_number(data: bytes, signature: bytes) -> DecodeError:
    """The error of a frame that does not begin with `signature` and one octet that numbers a message."""
    seen = data[: len(signature)]
    if seen != signature:
        return DecodeError("truncated" if signature.startswith(seen) else "bad-signature")
    code = "truncated" if len(data) == len(signature) else "unknown-message"
    return DecodeError(code, offset=len(signature))


def unknown_name(data: bytes) -> DecodeError:
    """The error of a frame that does not begin with one octet of length and a message's name."""
    return DecodeError("unknown-message" if data and len(data) > data[0] else "truncated")


def out_of_range(message: str, *numbers: tuple[str, object, int, int]) -> EncodeError | TypeError:
    """The error of numbers that could not be packed: (field, value, least, greatest) each."""
    for field, value, least, greatest in numbers:
        if not isinstance(value, int):
            return TypeError(f"{message}.{field}: a number is wanted, not {type(value).__name__}")
        if not least <= value <= greatest:
            return EncodeError("too-long", message, field)
    return EncodeError("too-long", message)


def miscounted(message: str, field: str, seen: int, wanted: int) -> EncodeError:
    """The error of a field with `seen` items or octets where a sibling says `wanted`."""
    return EncodeError("too-long" if seen > wanted else "truncated", message, field)


def varint(data: bytes, at: int, message: str, field: str) -> tuple[int, int]:
    """The LEB128 number at `at`, and where it ends."""
    value = shift = 0
    start = at
    for octet in data[at : at + _VARINT_OCTETS_MAX]:
        at += 1
        value |= (octet & 0x7F) << shift
        if octet < 0x80:
            if value > _U64_MAX:
                raise DecodeError("too-long", message, field, start)
            return value, at
        shift += 7
    raise DecodeError("too-long" if at - start == _VARINT_OCTETS_MAX else "truncated", message, field, start)


def varint_octets(value: int, message: str, field: str) -> bytes:
    """`value` in LEB128."""
    if not 0 <= value <= _U64_MAX:
        raise EncodeError("too-long", message, field)
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


def varint_size(value: int) -> int:
    """Octets of `value` in LEB128."""
    return max(1, (value.bit_length() + 6) // 7)
