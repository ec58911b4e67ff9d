"""What reads and writes a value that stands alone, or in a list, and says what is wrong with it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import cache, reduce
from itertools import chain
from struct import Struct, unpack_from
from typing import Any

from .caches import OCTETS, TEXTS
from .errors import DecodeError, EncodeError
from .operations import Apart, Content, Fixed, Items, Members, Number, Operation, Part, Topic
from .support import (
    signed_varint,
    signed_varint_octets,
    signed_varint_size,
    varint,
    varint_octets,
    varint_size,
)
from .text import octets_of

__all__ = [
    "Data",
    "check_length",
    "limited",
    "reader",
    "size_of",
    "text_octets",
    "text_of",
    "writer",
    "zero_of",
]

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}

Data = bytes | bytearray | memoryview
Read = Callable[..., tuple[Any, int]]
"""(data, where the value begins, how many octets or items it has if a sibling says so) to the value and its end."""
Write = Callable[[Any], bytes]
Fault = Callable[[str, int], DecodeError]
"""(code, offset) to the error."""


@cache
def reader(part: Part, message: str, shown: str, with_text: bool = True) -> Read:
    """What reads a value of the field `shown`, and says what is wrong with it."""

    def fault(code: str, at: int) -> DecodeError:
        return DecodeError(code, message, shown, at)

    match part:
        case Number():
            return _number_reader(part, fault)
        case Fixed(_, size):

            def read_fixed(data: Data, at: int) -> tuple[bytes, int]:
                if at + size > len(data):
                    raise fault("truncated", at)
                return bytes(data[at : at + size]), at + size

            return read_fixed
        case Content(_, prefix, _, limit, text, members):
            texts = TEXTS[text] if text is not None and with_text else None

            def read_content(data: Data, start: int, length: int | None = None) -> tuple[Any, int]:
                begin = start + prefix
                if length is None:
                    if begin > len(data):
                        raise fault("truncated", start)
                    length = int.from_bytes(data[start:begin], "big")
                if limit is not None and length > limit:
                    raise fault("too-long", start)
                end = begin + length
                if end > len(data):
                    raise fault("truncated", start)
                octets = bytes(data[begin:end])
                if texts is None:
                    return octets, end
                try:
                    value = texts[octets]
                except KeyError:
                    raise fault("bad-text", start) from None
                return (value if members is None else _member(value, members, fault, start)), end

            return read_content
        case Items():
            return _items_reader(part, message, shown, with_text, fault)


def _number_reader(part: Number, fault: Fault) -> Read:
    size, signed, limit, members = part.size, part.signed, part.limit, part.members
    read_varint = signed_varint if signed else varint

    def read(data: Data, at: int) -> tuple[Any, int]:
        if size:
            end = at + size
            if end > len(data):
                raise fault("truncated", at)
            value = int.from_bytes(data[at:end], "big", signed=signed)
        else:
            try:
                value, end = read_varint(data, at)
            except (IndexError, ValueError) as found:
                raise fault("truncated" if isinstance(found, IndexError) else "too-long", at) from None
        if limit is not None and value > limit:
            raise fault("too-long", at)
        return (value if members is None else _member(value, members, fault, at)), end

    return read


def _items_reader(items: Items, message: str, shown: str, with_text: bool, fault: Fault) -> Read:
    prefix, least, limit = items.prefix, items.least, items.limit
    first, *second = [reader(part, message, shown, with_text) for part in items.parts]
    contents = _content_kinds(items.parts) if with_text else None

    def read(data: Data, start: int, count: int | None = None) -> tuple[tuple[Any, ...], int]:
        found: list[Any] = []
        at = start + prefix
        if prefix:
            if at > len(data):
                raise fault("truncated", start)
            count = int.from_bytes(data[start:at], "big")
        if count is not None:
            if limit is not None and count > limit:
                raise fault("too-long", start)
            if count * least > len(data) - at:
                raise fault("truncated", start)
        match items.parts:
            case (Number(size=size, members=None) as number,) if size:
                return _numbers(data, at, number, count, limit, fault)
        if contents is not None and type(data) is bytes:
            return _contents(data, at, contents, count, limit, fault)
        while at < len(data) if count is None else len(found) < count:
            if count is None and len(found) == limit:
                raise fault("too-long", start)
            value, at = first(data, at)
            for read_value in second:
                other, at = read_value(data, at)
                value = value, other
            found.append(value)
        return tuple(found), at

    return read


Kind = tuple[int, int, Any, Any]
"""Of content: octets of its length, its limit; if it is text, its text by its octets, and its octets by its text."""
_PACKED = {size: Struct(f">{code}").pack for size, code in _CODES.items()}


def _content_kinds(parts: tuple[Part, ...]) -> list[Kind] | None:
    """The kinds of the parts, if they are all content that is no member of an enumeration."""
    kinds: list[Kind] = []
    for part in parts:
        match part:
            case Content(_, prefix, _, limit, text, None):
                most = (1 << 8 * prefix) - 1 if limit is None else limit
                kinds.append((prefix, most, TEXTS.get(text or ""), OCTETS.get(text or "")))
            case _:
                return None
    return kinds


def _contents(
    data: bytes, at: int, kinds: list[Kind], count: int | None, most: int | None, fault: Fault
) -> tuple[tuple[Any, ...], int]:
    """Items of text or octets, in one loop."""
    found: list[Any] = []
    size, start, reached = len(data), at, 0
    while at < size if count is None else reached < count:
        if count is None and reached == most:
            raise fault("too-long", start)
        reached += 1
        for prefix, limit, texts, _ in kinds:
            begin = at + prefix
            if begin > size:
                raise fault("truncated", at)
            length = data[at] if prefix == 1 else int.from_bytes(data[at:begin], "big")
            end = begin + length
            if length > limit:
                raise fault("too-long", at)
            if end > size:
                raise fault("truncated", at)
            if texts is None:
                found.append(data[begin:end])
            else:
                try:
                    found.append(texts[data[begin:end]])
                except KeyError:
                    raise fault("bad-text", at) from None
            at = end
    return tuple(zip(found[::2], found[1::2], strict=True) if len(kinds) == 2 else found), at


def _numbers(
    data: Data, at: int, number: Number, count: int | None, most: int | None, fault: Fault
) -> tuple[tuple[Any, ...], int]:
    """Numbers of fixed size, up to the end of the frame if there is no `count`, then at most `most`."""
    code = _CODES[number.size].lower() if number.signed else _CODES[number.size]
    left = len(data) - at
    wanted = left // number.size if count is None else count
    known = wanted if most is None else min(wanted, most)
    values = unpack_from(f">{known}{code}", data, at)
    if number.limit is not None and max(values, default=0) > number.limit:
        index = next(index for index, value in enumerate(values) if value > number.limit)
        raise fault("too-long", at + index * number.size)
    if count is None and most is not None and left > most * number.size:
        raise fault("too-long", at)
    if count is None and left % number.size:
        raise fault("truncated", at + wanted * number.size)
    return values, at + wanted * number.size


def _member(value: Any, members: Members, fault: Fault, at: int) -> Any:
    if not _is_member(value, members):
        raise fault("bad-constant", at)
    return members(value) if isinstance(members, type) else members[value]


def _is_member(value: Any, members: Members) -> bool:
    if isinstance(members, type):
        return not value & ~reduce(operator.or_, map(int, members), 0)
    return value in members


def text_of(octets: bytes, kind: str, message: str, shown: str, at: int) -> str:
    try:
        return TEXTS[kind][octets]
    except KeyError:
        raise DecodeError("bad-text", message, shown, at) from None


@cache
def writer(part: Part, message: str, shown: str) -> Write:
    """What writes a value of the field `shown`, and says what is wrong with it."""
    match part:
        case Number(_, size, signed, limit, members):
            bits = 8 * size or 64
            least = -(1 << bits - 1) if signed else 0
            write_varint = signed_varint_octets if signed else varint_octets

            def write_number(value: Any) -> bytes:
                if not isinstance(value, int):
                    raise _mistaken(message, shown, "a number", value)
                if limit is not None and value > limit:
                    raise EncodeError("too-long", message, shown)
                if members is not None and not _is_member(value, members):
                    raise EncodeError("bad-constant", message, shown)
                if not least <= value < least + (1 << bits):
                    raise EncodeError("too-long", message, shown)
                return value.to_bytes(size, "big", signed=signed) if size else write_varint(value)

            return write_number
        case Fixed(_, size):

            def write_fixed(value: Any) -> bytes:
                check_length(len(value), size, message, shown)
                return bytes(value)

            return write_fixed
        case Content(_, prefix, _, limit, text, members):

            def write_content(value: Any) -> bytes:
                if members is not None and not _is_member(value, members):
                    raise EncodeError("bad-constant", message, shown)
                octets = value if text is None else text_octets(value, text, message, shown)
                octets = limited(octets, limit, message, shown)
                return _count(len(octets), prefix, message, shown) + octets

            return write_content
        case Items(_, prefix, parts, _, _, limit):
            writers = [writer(one, message, shown) for one in parts]
            kinds = _content_kinds(parts)

            def write_items(value: Any) -> bytes:
                if kinds is not None and (octets := _written(value, kinds, prefix, limit)) is not None:
                    return octets
                if limit is not None and len(value) > limit:
                    raise EncodeError("too-long", message, shown)
                pieces = [_count(len(value), prefix, message, shown)]
                for item in value:
                    given = item if len(writers) == 2 else (item,)
                    pieces += [write(one) for write, one in zip(writers, given, strict=True)]
                return b"".join(pieces)

            return write_items


def _written(value: Any, kinds: list[Kind], prefix: int, limit: int | None) -> bytes | None:
    """Items of text or octets, column by column; None if something is wrong, or rare."""
    try:
        if not value or (limit is not None and len(value) > limit):
            return None
        given = zip(*value, strict=True) if len(kinds) == 2 else (value,)
        columns: list[Iterable[bytes]] = []
        for (size, most, _, octets), column in zip(kinds, given, strict=True):
            coded = column if octets is None else [octets[text] for text in column]
            lengths = list(map(len, coded))
            if max(lengths) > most:
                return None
            columns += [map(_PACKED[size], lengths), coded]
        count = len(value).to_bytes(prefix, "big") if prefix else b""
        return count + b"".join(chain.from_iterable(zip(*columns, strict=True)))
    except (KeyError, OverflowError, TypeError, ValueError):
        return None


def check_length(length: int, wanted: int, message: str, shown: str) -> None:
    if length != wanted:
        raise EncodeError("too-long" if length > wanted else "truncated", message, shown)


def limited(value: Any, limit: int | None, message: str, shown: str) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _mistaken(message, shown, "bytes", value)
    if limit is not None and len(value) > limit:
        raise EncodeError("too-long", message, shown)
    return bytes(value)


def _count(count: int, prefix: int, message: str, shown: str) -> bytes:
    if prefix and count >> 8 * prefix:
        raise EncodeError("too-long", message, shown)
    return count.to_bytes(prefix, "big") if prefix else b""


def text_octets(value: Any, kind: str, message: str, shown: str) -> bytes:
    if not isinstance(value, str):
        raise _mistaken(message, shown, "text", value)
    try:
        return OCTETS[kind][value]
    except KeyError:
        raise EncodeError("bad-text", message, shown) from None


def _mistaken(message: str, shown: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{message}.{shown}: {wanted} is wanted, not {type(value).__name__}")


def size_of(part: Part, value: Any) -> int:
    match part:
        case Number(_, 0, signed):
            return signed_varint_size(value) if signed else varint_size(value)
        case Number(_, size) | Fixed(_, size):
            return size
        case Content(_, prefix, _, _, text):
            return prefix + (len(value) if text is None else octets_of(value))
        case Items(_, prefix, parts):
            given = ((item,) if len(parts) == 1 else item for item in value)
            return prefix + sum(
                size_of(one, each) for item in given for one, each in zip(parts, item, strict=True)
            )


def zero_of(one: Operation) -> object:
    """Zero, or what is empty."""
    match one:
        case Number():
            return 0
        case Topic():
            return ""
        case Content(text=text):
            return b"" if text is None else ""
        case Fixed(_, size):
            return bytes(size)
        case Items():
            return ()
        case Apart(is_rest=True):
            return (b"",)
        case _:
            return b""
