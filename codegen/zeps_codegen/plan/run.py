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
        one.name: frozenset(
            member.value.encode() if isinstance(member.value, str) else member.value for member in one.members
        )
        for one in enumerations
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
            reader.values |= {one.name: default_of(one) for one in plan.operations[number:]}
            break
        reader.run(operation)
    if reader.at < len(frames[0]) and not plan.extensible:
        raise Fault("trailing", None, reader.at)
    reader.apart(plan.apart, frames)
    return reader.values


def encode(plan: Plan, values: Values, members: Members) -> list[bytes]:
    """The frames of a message with `values` by field. Raises Fault without an offset, KeyError for a missing value."""
    numbers = [one for one in plan.operations if isinstance(one, Number)]
    counts = {one.name: len(values[one.measures[0]]) if one.measures else values[one.name] for one in numbers}
    writer = _Writer(values, members, counts)
    for operation in plan.operations:
        writer.agree(operation)
    octets = plan.head + b"".join(writer.run(operation) for operation in plan.operations)
    return [octets, *writer.apart(plan.apart)]


@dataclass(slots=True)
class _Reader:
    data: bytes
    members: Members
    at: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def run(self, operation: Operation) -> None:
        match operation:
            case Constant(name, octets):
                self.constant(name, octets)
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
                    all(_holds(one, self.counts) for one in operation.relations), "bad-relation", name, start
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

    def constant(self, name: str, octets: bytes) -> None:
        found = self.data[self.at : self.at + len(octets)]
        if found != octets:
            raise Fault("truncated" if octets.startswith(found) else "bad-constant", name, self.at)
        self.at += len(octets)

    def part(self, part: Part, shown: str) -> Any:
        match part:
            case Number():
                return self.number(part, shown)
            case Content():
                return self.content(part, shown)
            case Fixed(size=size):
                return self.take(size, shown, self.at)
            case Items():
                return self.items(part, shown)

    def number(self, number: Number, shown: str) -> int:
        start = self.at
        if number.size:
            value = int.from_bytes(self.take(number.size, shown, start), "big", signed=number.signed)
        else:
            value = self.varint(shown)
            value = (value >> 1) ^ -(value & 1) if number.signed else value
        _limited(value, number.limit, shown, start)
        _member(value, number.enumeration, number.flags, self.members, shown, start)
        return value

    def varint(self, shown: str) -> int:
        start, value = self.at, 0
        for shift in range(0, 70, 7):
            (octet,) = self.take(1, shown, start)
            value |= (octet & 0x7F) << shift
            if octet < 0x80 and value < 1 << 64:
                return value
            if octet < 0x80:
                break
        raise Fault("too-long", shown, start)

    def content(self, content: Content, shown: str) -> bytes:
        start = self.at
        length = self.count(content.prefix, content.measured_by, shown, start)
        _limited(length, content.limit, shown, start)
        octets = self.take(length, shown, start)
        if content.text is None:
            return octets
        _text(octets, content.text, shown, start)
        _member(octets, content.enumeration, False, self.members, shown, start)
        return octets

    def items(self, items: Items, shown: str) -> list[Any]:
        start = self.at
        found: list[Any] = []
        if items.is_open:
            while self.at < len(self.data):
                _limited(len(found) + 1, items.limit, shown, start)
                found.append(self.item(items, shown))
            return found
        count = self.count(items.prefix, items.counted_by, shown, start)
        _limited(count, items.limit, shown, start)
        _check(count * items.least <= len(self.data) - self.at, "truncated", shown, start)
        return [self.item(items, shown) for _ in range(count)]

    def item(self, items: Items, shown: str) -> Any:
        values = tuple(self.part(part, shown) for part in items.parts)
        return values if items.is_pairs else values[0]

    def count(self, prefix: int, sibling: str | None, shown: str, start: int) -> int:
        """Reads a number from a prefix, or takes it from a sibling."""
        return (
            int.from_bytes(self.take(prefix, shown, start), "big")
            if sibling is None
            else self.counts[sibling]
        )

    def take(self, count: int, shown: str, start: int) -> bytes:
        """Takes `count` bytes; raises truncated if fewer remain, before memory is allocated."""
        _check(count <= len(self.data) - self.at, "truncated", shown, start)
        self.at += count
        return self.data[self.at - count : self.at]

    def apart(self, apart: Sequence[Apart], frames: Sequence[bytes]) -> None:
        end, reached = len(frames[0]), 1
        for one in apart:
            _check(reached < len(frames), "truncated", one.name, end)
            found = list(frames[reached:] if one.is_rest else frames[reached : reached + 1])
            for frame in found:
                _limited(len(frame), one.limit, one.name, end)
            self.values[one.name] = found if one.is_rest else found[0]
            reached += len(found)
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
            case Constant(_, octets):
                return octets
            case Topic(name):
                octets = _text(self.values[name], Text.UTF8, name)
                _check(b"\0" not in octets, "bad-text", name)
                return octets + b"\0"
            case Reserved(_, size):
                return bytes(size)
            case Number(name, measures=measures):
                octets = self.number(operation, measures[0] if measures else name, self.counts[name])
                _check(all(_holds(one, self.counts) for one in operation.relations), "bad-relation", name)
                return octets
            case Rest(name, _, limit):
                _limited(len(self.values[name]), limit, name)
                return bytes(self.values[name])
            case Content() | Fixed() | Items():
                return self.part(operation, operation.name, self.values[operation.name])
            case _:
                raise ValueError("a separate frame is not a part of the first frame")

    def part(self, part: Part, shown: str, value: Any) -> bytes:
        match part:
            case Number():
                return self.number(part, shown, value)
            case Content():
                return self.content(part, shown, value)
            case Fixed(size=size):
                _check(len(value) == size, "too-long" if len(value) > size else "truncated", shown)
                return bytes(value)
            case Items():
                return self.items(part, shown, value)

    def number(self, number: Number, shown: str, value: int) -> bytes:
        _limited(value, number.limit, shown)
        _member(value, number.enumeration, number.flags, self.members, shown)
        least = -(1 << number.bits - 1) if number.signed else 0
        _check(least <= value < least + (1 << number.bits), "too-long", shown)
        if number.size:
            return value.to_bytes(number.size, "big", signed=number.signed)
        return leb128((value << 1) ^ (value >> 63) if number.signed else value)

    def content(self, content: Content, shown: str, value: bytes) -> bytes:
        _member(value, content.enumeration, False, self.members, shown)
        if content.text is not None:
            _text(value, content.text, shown)
        _limited(len(value), content.most, shown)
        return (len(value).to_bytes(content.prefix, "big") if content.prefix else b"") + bytes(value)

    def items(self, items: Items, shown: str, value: Sequence[Any]) -> bytes:
        _limited(len(value), items.most, shown)
        count = len(value).to_bytes(items.prefix, "big") if items.prefix else b""
        return count + b"".join(self.item(items, shown, item) for item in value)

    def item(self, items: Items, shown: str, value: Any) -> bytes:
        values = value if items.is_pairs else (value,)
        return b"".join(self.part(part, shown, one) for part, one in zip(items.parts, values, strict=True))

    def apart(self, apart: Sequence[Apart]) -> list[bytes]:
        frames: list[bytes] = []
        for one in apart:
            found = list(self.values[one.name]) if one.is_rest else [self.values[one.name]]
            _check(bool(found), "truncated", one.name)
            for frame in found:
                _limited(len(frame), one.limit, one.name)
            frames += found
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


def _check(holds: bool, code: str, shown: str | None, start: int | None = None) -> None:
    """Raises Fault unless `holds`; `start` is the offset that a decoder reports."""
    if not holds:
        raise Fault(code, shown, start)


def _limited(value: int, limit: int | None, shown: str, start: int | None = None) -> None:
    _check(limit is None or value <= limit, "too-long", shown, start)


def _text(octets: bytes, text: Text, shown: str, start: int | None = None) -> bytes:
    _check(_CHECKS[text](octets), "bad-text", shown, start)
    return octets


def _member(
    value: int | bytes,
    enumeration: str | None,
    flags: bool,
    members: Members,
    shown: str,
    start: int | None = None,
) -> None:
    """Raises Fault if `value` is not a member of the enumeration (if any), or with `flags` not a union of members."""
    if enumeration is not None and flags and isinstance(value, int):
        mask = functools.reduce(operator.or_, members[enumeration], 0)
        _check(not value & ~mask, "bad-constant", shown, start)
    elif enumeration is not None:
        _check(value in members[enumeration], "bad-constant", shown, start)


def _holds(relation: Relation, numbers: Mapping[str, int]) -> bool:
    left = numbers[relation.left]
    right = relation.right if isinstance(relation.right, int) else numbers[relation.right]
    return _COMPARISONS[relation.operator](left, right)


def _is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


_CHECKS: Mapping[Text, Callable[[bytes], bool]] = {
    Text.OCTETS: lambda octets: True,
    Text.UTF8: _is_utf8,
    Text.PRINTABLE: lambda octets: (
        _is_utf8(octets) and not any(unicodedata.category(one) == "Cc" for one in octets.decode())
    ),
    Text.VCHAR: lambda octets: all(0x21 <= octet <= 0x7E for octet in octets),
}
