"""Readers and writers of a single value, also within a list, which report errors in it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, reduce
from struct import Struct, unpack_from
from typing import Any

from .caches import OCTETS, TEXTS, TextTable
from .errors import DecodeError, EncodeError
from .operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Members,
    Number,
    Operation,
    Part,
    Reserved,
    Rest,
    Topic,
)
from .support import signed_varint, signed_varint_octets, varint, varint_octets

__all__ = ["Read", "check_length", "limited", "reader", "text_octets", "writer", "zero_of"]

_CODES = {0: "", 1: "B", 2: "H", 4: "I", 8: "Q"}

Read = Callable[..., tuple[Any, int]]
"""Reads from (data, offset, number of bytes or items from a sibling); returns the value and the offset of its end."""
Write = Callable[[Any], bytes]
Fault = Callable[[str, int], DecodeError]
"""Creates the error with (code, offset)."""


def reader(one: Operation, message: str, shown: str | None, with_text: bool = True) -> Read:
    """A function that reads the field `shown`. It raises DecodeError. Without `with_text`, text is read as bytes."""

    def fault(code: str, at: int) -> DecodeError:
        return DecodeError(code, message, shown, at)

    def text_of(texts: TextTable, octets: bytes, at: int) -> str:
        try:
            return texts[octets]
        except KeyError:
            raise fault("bad-text", at) from None

    match one:
        case Constant(_, octets):

            def read_constant(data: bytes, at: int, _: int | None = None) -> tuple[None, int]:
                if not data.startswith(octets, at):
                    raise fault("truncated" if octets.startswith(data[at:]) else "bad-constant", at)
                return None, at + len(octets)

            return read_constant
        case Topic():

            def read_topic(data: bytes, at: int, _: int | None = None) -> tuple[str, int]:
                octets, zero, _rest = data[at:].partition(b"\x00")
                if not zero:
                    raise fault("truncated", at)
                return text_of(TEXTS["utf-8"], octets, at), at + len(octets) + 1

            return read_topic
        case Number():
            return _number_reader(one, fault)
        case Fixed(_, size) | Reserved(_, size):

            def read_fixed(data: bytes, at: int, _: int | None = None) -> tuple[bytes, int]:
                if at + size > len(data):
                    raise fault("truncated", at)
                return data[at : at + size], at + size

            return read_fixed
        case Content(_, prefix, _, limit, text, members):
            texts = TEXTS[text] if text is not None and with_text else None

            def read_content(data: bytes, at: int, length: int | None = None) -> tuple[Any, int]:
                begin = at + prefix
                if length is None:
                    length = int.from_bytes(data[at:begin], "big")
                end = begin + length
                if limit is not None and length > limit and begin <= len(data):
                    raise fault("too-long", at)
                if end > len(data):
                    raise fault("truncated", at)
                if texts is None:
                    return data[begin:end], end
                value = text_of(texts, data[begin:end], at)
                return (value if members is None else _member(value, members, fault, at)), end

            return read_content
        case Items():
            return _items_reader(one, message, shown, with_text, fault)
        case Rest() | Apart():
            limit = one.limit

            def read_rest(data: bytes, at: int, _: int | None = None) -> tuple[bytes, int]:
                if limit is not None and len(data) - at > limit:
                    raise fault("too-long", at)
                return data[at:], len(data)

            return read_rest


def _number_reader(part: Number, fault: Fault) -> Read:
    size, limit, members = part.size, part.limit, part.members
    read_varint, unpack_from = signed_varint if part.signed else varint, Struct(f">{_code(part)}").unpack_from

    def read(data: bytes, at: int, _: int | None = None) -> tuple[Any, int]:
        if size:
            end = at + size
            if end > len(data):
                raise fault("truncated", at)
            (value,) = unpack_from(data, at)
        else:
            try:
                value, end = read_varint(data, at)
            except (IndexError, ValueError) as found:
                raise fault("truncated" if isinstance(found, IndexError) else "too-long", at) from None
        if limit is not None and value > limit:
            raise fault("too-long", at)
        return (value if members is None else _member(value, members, fault, at)), end

    return read


def _code(number: Number) -> str:
    return _CODES[number.size].lower() if number.signed else _CODES[number.size]


def _items_reader(items: Items, message: str, shown: str | None, with_text: bool, fault: Fault) -> Read:
    prefix, least, limit = items.prefix, items.least, items.limit
    first, *second = [reader(part, message, shown, with_text) for part in items.parts]
    part = items.parts[0]
    number = part if isinstance(part, Number) and part.size and part.members is None and not second else None

    def read(data: bytes, start: int, count: int | None = None) -> tuple[tuple[Any, ...], int]:
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
        if number is not None:
            return _numbers(data, at, number, count, limit, fault)
        size = len(data)
        for _ in range(count if count is not None else size if limit is None else limit):
            if count is None and at == size:
                break
            value, at = first(data, at)
            for read_value in second:
                other, at = read_value(data, at)
                value = value, other
            found.append(value)
        if count is None and at < size:
            raise fault("too-long", start)
        return tuple(found), at

    return read


def _numbers(
    data: bytes, at: int, number: Number, count: int | None, most: int | None, fault: Fault
) -> tuple[tuple[Any, ...], int]:
    """Numbers of fixed size and the offset of their end; without `count` at most `most` up to the frame's end."""
    left = len(data) - at
    wanted = left // number.size if count is None else count
    known = wanted if most is None else min(wanted, most)
    values = unpack_from(f">{known}{_code(number)}", data, at)
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


@cache
def writer(part: Part, message: str, shown: str) -> Write:
    """A function that encodes the field `shown`. It raises EncodeError, and TypeError for a wrong type."""
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

            def write_items(value: Any) -> bytes:
                if limit is not None and len(value) > limit:
                    raise EncodeError("too-long", message, shown)
                pieces = [_count(len(value), prefix, message, shown)]
                for item in value:
                    given = item if len(writers) == 2 else (item,)
                    pieces += [write(one) for write, one in zip(writers, given, strict=True)]
                return b"".join(pieces)

            return write_items


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
    return TypeError(f"{message}.{shown}: must be {wanted}, not {type(value).__name__}")


def zero_of(one: Operation) -> object:
    """Zero, zero bytes if the size is fixed, one empty frame for all that remain, otherwise an empty value."""
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
