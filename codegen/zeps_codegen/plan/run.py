"""Reference interpreter of plans. Values are numbers, bytes (also for text), and lists of values or of pairs."""

from __future__ import annotations

import functools
import operator
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..ir import Enumeration, Relation, Text
from .layout import leb128
from .operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Part,
    Plan,
    Reserved,
    Rest,
    Topic,
)

__all__ = ["Fault", "Members", "decode", "default_of", "encode", "members_of", "zero_of"]

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Values = Mapping[str, Any]
Members = Mapping[str, frozenset[int | bytes]]
"""The members of each enumeration, text as bytes."""


class Fault(Exception):  # noqa: N818 (the frame's or the message's, not ours)
    """The first error; `field` is None if bytes or frames are left over. A decoder also reports the offset of the field
    in bytes of the first frame, which is the end of that frame for a field in a later one.
    """

    def __init__(self, code: str, field: str | None, offset: int | None = None) -> None:
        self.code, self.field, self.offset = code, field, offset
        super().__init__(" ".join(str(part) for part in (code, field, offset) if part is not None))


def members_of(enumerations: Iterable[Enumeration]) -> Members:
    """The members of each enumeration, by its name, for :func:`decode` and :func:`encode`."""
    return {
        enum.name: frozenset(
            member.value.encode() if isinstance(member.value, str) else member.value
            for member in enum.members
        )
        for enum in enumerations
    }


def decode(plan: Plan, frames: Sequence[bytes], members: Members) -> dict[str, Any]:
    """The values of the shown fields, by name, of a message whose dispatched bytes have been checked. Raises Fault."""
    reader = _Reader(frames[0], members)
    reader.at = plan.seen
    for constant in plan.constants:
        reader.run(constant)
    reader.at = len(plan.head)
    for number, operation in enumerate(plan.operations):
        if number >= plan.tail and reader.at == len(frames[0]):
            reader.values |= {item.name: default_of(item) for item in plan.operations[number:]}
            break
        reader.run(operation)
    if reader.at < len(frames[0]) and not plan.extensible:
        raise Fault("trailing", None, reader.at)
    reader.apart(plan.apart, frames)
    return reader.values


def encode(plan: Plan, values: Values, members: Members) -> list[bytes]:
    """The frames of a message with `values` by field. Raises Fault without an offset, KeyError for a missing value."""
    numbers = [operation for operation in plan.operations if isinstance(operation, Number)]
    counts = {n.name: len(values[n.measures[0]]) if n.measures else values[n.name] for n in numbers}
    writer = _Writer(values, members, counts)
    for operation in plan.operations:
        writer.agree(operation)
    frame = plan.head + b"".join(writer.run(operation) for operation in plan.operations)
    return [frame, *writer.apart(plan.apart)]


@dataclass(slots=True)
class _Reader:
    data: bytes
    members: Members
    at: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def run(self, operation: Operation) -> None:
        match operation:
            case Constant(name, content):
                self.constant(name, content)
            case Topic(name):
                start = self.at
                end = self.data.find(b"\0", start)
                _check(end >= 0, "truncated", name, start)
                self.values[name] = _text(self.take(end - start, name, start), Text.UTF8, name, start)
                self.at += 1
            case Reserved(name, size):
                self.take(size, name, self.at)
            case Number(name):
                start = self.at
                value = self.counts[name] = self.number(operation, name)
                _check(
                    all(_holds(rel, self.counts) for rel in operation.relations), "bad-relation", name, start
                )
                if not operation.measures:
                    self.values[name] = value
            case Rest(name, _, limit):
                _limited(len(self.data) - self.at, limit, name, self.at)
                self.values[name] = self.take(len(self.data) - self.at, name, self.at)
            case Content() | Fixed() | Items():
                self.values[operation.name] = self.part(operation, operation.name)
            case Apart():
                raise ValueError("a separate frame is not a part of the first frame")

    def constant(self, name: str, expected: bytes) -> None:
        actual = self.data[self.at : self.at + len(expected)]
        if actual != expected:
            raise Fault("truncated" if expected.startswith(actual) else "bad-constant", name, self.at)
        self.at += len(expected)

    def part(self, part: Part, name: str) -> Any:
        match part:
            case Number():
                return self.number(part, name)
            case Content():
                return self.content(part, name)
            case Fixed(size=size):
                return self.take(size, name, self.at)
            case Items():
                return self.items(part, name)

    def number(self, number: Number, name: str) -> int:
        start = self.at
        if number.size:
            value = int.from_bytes(self.take(number.size, name, start), "big", signed=number.signed)
        else:
            value = self.varint(name)
            value = (value >> 1) ^ -(value & 1) if number.signed else value
        _limited(value, number.limit, name, start)
        _member(value, number.enumeration, number.flags, self.members, name, start)
        return value

    def varint(self, name: str) -> int:
        start, value = self.at, 0
        for shift in range(0, 70, 7):
            (byte,) = self.take(1, name, start)
            value |= (byte & 0x7F) << shift
            if byte < 0x80 and value < 1 << 64:
                return value
            if byte < 0x80:
                break
        raise Fault("too-long", name, start)

    def content(self, content: Content, name: str) -> bytes:
        start = self.at
        length = self.count(content.prefix, content.measured_by, name, start)
        _limited(length, content.limit, name, start)
        value = self.take(length, name, start)
        if content.text is None:
            return value
        _text(value, content.text, name, start)
        _member(value, content.enumeration, False, self.members, name, start)
        return value

    def items(self, items: Items, name: str) -> list[Any]:
        start = self.at
        values: list[Any] = []
        if items.is_open:
            while self.at < len(self.data):
                _limited(len(values) + 1, items.limit, name, start)
                values.append(self.item(items, name))
            return values
        count = self.count(items.prefix, items.counted_by, name, start)
        _limited(count, items.limit, name, start)
        _check(count * items.least <= len(self.data) - self.at, "truncated", name, start)
        return [self.item(items, name) for _ in range(count)]

    def item(self, items: Items, name: str) -> Any:
        values = tuple(self.part(part, name) for part in items.parts)
        return values if items.is_pairs else values[0]

    def count(self, prefix: int, sibling: str | None, name: str, start: int) -> int:
        """Reads a number from a prefix, or takes it from a sibling."""
        return (
            int.from_bytes(self.take(prefix, name, start), "big") if sibling is None else self.counts[sibling]
        )

    def take(self, count: int, name: str, start: int) -> bytes:
        """Takes `count` bytes; raises truncated if fewer remain, before memory is allocated."""
        _check(count <= len(self.data) - self.at, "truncated", name, start)
        self.at += count
        return self.data[self.at - count : self.at]

    def apart(self, apart: Sequence[Apart], frames: Sequence[bytes]) -> None:
        end, reached = len(frames[0]), 1
        for part in apart:
            _check(reached < len(frames), "truncated", part.name, end)
            taken = list(frames[reached:] if part.is_rest else frames[reached : reached + 1])
            for frame in taken:
                _limited(len(frame), part.limit, part.name, end)
            self.values[part.name] = taken if part.is_rest else taken[0]
            reached += len(taken)
        _check(reached == len(frames), "trailing", None, end)


@dataclass(slots=True)
class _Writer:
    values: Values
    members: Members
    counts: Mapping[str, int]
    """The value of each number, including numbers that are not shown."""

    def agree(self, operation: Operation) -> None:
        """Raises Fault unless all fields that a number counts or measures have the length of the first."""
        if isinstance(operation, Number):
            first, *others = operation.measures or ("",)
            for other in others:
                difference = len(self.values[other]) - len(self.values[first])
                if difference:
                    raise Fault("too-long" if difference > 0 else "truncated", other)

    def run(self, operation: Operation) -> bytes:
        match operation:
            case Constant(_, encoded):
                return encoded
            case Topic(name):
                encoded = _text(self.values[name], Text.UTF8, name)
                _check(b"\0" not in encoded, "bad-text", name)
                return encoded + b"\0"
            case Reserved(_, size):
                return bytes(size)
            case Number(name, measures=measures):
                encoded = self.number(operation, measures[0] if measures else name, self.counts[name])
                _check(all(_holds(rel, self.counts) for rel in operation.relations), "bad-relation", name)
                return encoded
            case Rest(name, _, limit):
                _limited(len(self.values[name]), limit, name)
                return bytes(self.values[name])
            case Content() | Fixed() | Items():
                return self.part(operation, operation.name, self.values[operation.name])
            case _:
                raise ValueError("a separate frame is not a part of the first frame")

    def part(self, part: Part, name: str, value: Any) -> bytes:
        match part:
            case Number():
                return self.number(part, name, value)
            case Content():
                return self.content(part, name, value)
            case Fixed(size=size):
                _check(len(value) == size, "too-long" if len(value) > size else "truncated", name)
                return bytes(value)
            case Items():
                return self.items(part, name, value)

    def number(self, number: Number, name: str, value: int) -> bytes:
        _limited(value, number.limit, name)
        _member(value, number.enumeration, number.flags, self.members, name)
        least = -(1 << number.bits - 1) if number.signed else 0
        _check(least <= value < least + (1 << number.bits), "too-long", name)
        if number.size:
            return value.to_bytes(number.size, "big", signed=number.signed)
        return leb128((value << 1) ^ (value >> 63) if number.signed else value)

    def content(self, content: Content, name: str, value: bytes) -> bytes:
        _member(value, content.enumeration, False, self.members, name)
        if content.text is not None:
            _text(value, content.text, name)
        _limited(len(value), content.most, name)
        return (len(value).to_bytes(content.prefix, "big") if content.prefix else b"") + bytes(value)

    def items(self, items: Items, name: str, value: Sequence[Any]) -> bytes:
        _limited(len(value), items.most, name)
        count = len(value).to_bytes(items.prefix, "big") if items.prefix else b""
        return count + b"".join(self.item(items, name, item) for item in value)

    def item(self, items: Items, name: str, value: Any) -> bytes:
        values = value if items.is_pairs else (value,)
        return b"".join(self.part(part, name, item) for part, item in zip(items.parts, values, strict=True))

    def apart(self, apart: Sequence[Apart]) -> list[bytes]:
        frames: list[bytes] = []
        for part in apart:
            sent = list(self.values[part.name]) if part.is_rest else [self.values[part.name]]
            _check(bool(sent), "truncated", part.name)
            for frame in sent:
                _limited(len(frame), part.limit, part.name)
            frames += sent
        return frames


def default_of(operation: Operation) -> Any:
    """The value of the operation's field in a frame that ends before it; None without a default, empty for lists."""
    if isinstance(operation, Items):
        return []
    default = operation.field.default if isinstance(operation, Number | Content | Fixed) else None
    return default.encode() if isinstance(default, str) else default


def zero_of(operation: Operation) -> Any:
    """The value of an unset field: 0, zero bytes if the size is fixed, one empty frame for `msg`, otherwise empty."""
    match operation:
        case Number():
            return 0
        case Fixed(size=size):
            return bytes(size)
        case Items():
            return []
        case Apart(is_rest=True):
            return [b""]
        case _:
            return b""


def _check(holds: bool, code: str, name: str | None, start: int | None = None) -> None:
    """Raises Fault unless `holds`; `start` is the offset that a decoder reports."""
    if not holds:
        raise Fault(code, name, start)


def _limited(value: int, limit: int | None, name: str, start: int | None = None) -> None:
    _check(limit is None or value <= limit, "too-long", name, start)


def _text(data: bytes, text: Text, name: str, start: int | None = None) -> bytes:
    _check(_CHECKS[text](data), "bad-text", name, start)
    return data


def _member(
    value: int | bytes,
    enumeration: str | None,
    flags: bool,
    members: Members,
    name: str,
    start: int | None = None,
) -> None:
    """Raises Fault if `value` is not a member of the enumeration (if any), or with `flags` not a union of members."""
    if enumeration is not None and flags and isinstance(value, int):
        mask = functools.reduce(operator.or_, members[enumeration], 0)
        _check(not value & ~mask, "bad-constant", name, start)
    elif enumeration is not None:
        _check(value in members[enumeration], "bad-constant", name, start)


def _holds(relation: Relation, numbers: Mapping[str, int]) -> bool:
    left = numbers[relation.left]
    right = relation.right if isinstance(relation.right, int) else numbers[relation.right]
    return _COMPARISONS[relation.operator](left, right)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


_CHECKS: Mapping[Text, Callable[[bytes], bool]] = {
    Text.OCTETS: lambda data: True,
    Text.UTF8: _is_utf8,
    Text.PRINTABLE: lambda data: (
        _is_utf8(data) and not any(unicodedata.category(char) == "Cc" for char in data.decode())
    ),
    Text.VCHAR: lambda data: all(0x21 <= byte <= 0x7E for byte in data),
}
