"""What each message consists of, and what is wrong with a frame or a message that does not fit.

Generated codecs read and write all fields at once and only notice that something is wrong. What is wrong, and where,
is then found here, field by field in the order of the wire: `decode_error` for a frame, `encode_error` for a message.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from struct import error
from typing import Any, NamedTuple

from .errors import DecodeError, EncodeError
from .support import signed_varint, unknown_number, varint
from .text import TESTS

__all__ = [
    "FAULTS",
    "Apart",
    "Constant",
    "Content",
    "Fixed",
    "Items",
    "Layout",
    "Number",
    "Reserved",
    "Rest",
    "Topic",
    "decode_error",
    "encode_error",
    "head_error",
]

#: What generated codecs run into where something is wrong.
FAULTS = (error, IndexError, KeyError, OverflowError, ValueError)


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Octets that are always the same. Without a name they tell the message from others."""

    name: str | None
    octets: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """UTF-8 up to a zero octet."""

    name: str = "topic"


@dataclass(frozen=True, slots=True, eq=False)
class Reserved:
    """`size` octets with any value."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number of `size` octets, in LEB128 if `size` is 0. `members` are its values, or the bits that it may have."""

    name: str
    size: int
    signed: bool = False
    limit: int | None = None
    members: Container[object] | int | None = None
    measures: tuple[str, ...] = ()
    """The fields that it counts or measures."""


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """Octets, or `text`, after a length of `prefix` octets, or of the length that the field `measured_by` holds."""

    name: str
    prefix: int
    measured_by: str | None = None
    limit: int | None = None
    text: str | None = None
    members: Container[object] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """`size` octets."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """All octets that are left."""

    name: str
    limit: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items of `parts`, counted in `prefix` octets or by the field `counted_by`, or up to the end of the frame."""

    name: str
    prefix: int
    parts: tuple[Number | Content | Fixed | Items, ...]
    least: int
    """The fewest octets of an item, at least 1."""
    counted_by: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """A frame of its own, or all frames that follow."""

    name: str
    is_rest: bool = False
    limit: int | None = None


Part = Number | Content | Fixed | Items
Operation = Constant | Topic | Reserved | Part | Rest | Apart


class Layout(NamedTuple):
    """A message: its name, and its fields in the order of the wire."""

    message: str
    is_numbered: bool
    """Whether the first operation ends with the octet that is the message's number."""
    operations: tuple[Operation, ...]
    attributes: tuple[str, ...]
    """The attributes of the operations that have one."""


# --- decoding


def decode_error(
    layout: Layout,
    data: bytes | bytearray | memoryview,
    offset: int | None = None,
    frames: Sequence[bytes] = (),
    text: bool = True,
) -> DecodeError:
    """The error of a frame that is not what `layout` says.

    The message begins at `offset`; without one it is known to be a whole frame that may be of another message. `frames`
    are all frames of a message that may have several. Without `text` what text holds is not looked at.
    """
    first = layout.operations[0] if layout.is_numbered else None
    if offset is None and isinstance(first, Constant) and data[: len(first.octets)] != first.octets:
        return unknown_number(bytes(data[:16]), first.octets[:-1])
    reader = _Reader(layout.message, data, offset or 0, text)
    try:
        for operation in layout.operations:
            reader.run(operation)
        if reader.at == len(data):
            reader.apart([one for one in layout.operations if isinstance(one, Apart)], frames)
    except DecodeError as found:
        return found
    return DecodeError("trailing", layout.message, None, reader.at)


@dataclass(slots=True)
class _Reader:
    """A position in a frame, and the numbers that count and measure what follows."""

    message: str
    data: bytes | bytearray | memoryview
    at: int
    with_text: bool
    counts: dict[str, int] = field(default_factory=dict)

    def run(self, operation: Operation) -> None:
        start, left = self.at, len(self.data) - self.at
        match operation:
            case Constant(name, octets):
                seen = bytes(self.data[start : start + len(octets)])
                if seen != octets:
                    code = "truncated" if octets.startswith(seen) else "bad-constant"
                    raise DecodeError(code, self.message, name, start)
                self.at += len(octets)
            case Topic(name):
                size = bytes(self.data[start:]).find(b"\x00")
                if size < 0:
                    raise self.error("truncated", name, start)
                self.text("utf-8", self.take(size, name, start), name, start)
                self.at += 1
            case Reserved(name, size):
                self.take(size, name, start)
            case Rest(name, limit):
                self.limit(left, limit, name, start)
                self.take(left, name, start)
            case Apart():
                pass
            case _:
                self.part(operation, operation.name)

    def part(self, part: Part, shown: str) -> None:
        start = self.at
        match part:
            case Number(name, _, _, limit, members):
                value = self.counts[name] = self.number(part, shown)
                self.limit(value, limit, shown, start)
                if members is not None and not is_member(value, members):
                    raise self.error("bad-constant", shown, start)
            case Fixed(_, size):
                self.take(size, shown, start)
            case Content(_, prefix, sibling, limit, text, members):
                length = self.count(prefix, sibling, shown)
                self.limit(length, limit, shown, start)
                octets = self.take(length, shown, start)
                if text is not None and self.with_text:
                    self.text(text, octets, shown, start)
                    if members is not None and octets.decode() not in members:
                        raise self.error("bad-constant", shown, start)
            case Items():
                self.items(part, shown)

    def number(self, number: Number, shown: str) -> int:
        start = self.at
        if number.size:
            return int.from_bytes(self.take(number.size, shown, start), "big", signed=number.signed)
        try:
            value, self.at = (signed_varint if number.signed else varint)(self.data, start)
        except IndexError:
            raise self.error("truncated", shown, start) from None
        except ValueError:
            raise self.error("too-long", shown, start) from None
        return value

    def items(self, items: Items, shown: str) -> None:
        start, seen = self.at, 0
        if not items.prefix and items.counted_by is None:
            while self.at < len(self.data):
                seen += 1
                self.limit(seen, items.limit, shown, start)
                self.item(items, shown)
            return
        count = self.count(items.prefix, items.counted_by, shown)
        self.limit(count, items.limit, shown, start)
        if count * items.least > len(self.data) - self.at:
            raise self.error("truncated", shown, start)
        match items.parts:
            case (Number(size=size, limit=None, members=None) | Fixed(_, size),) if size:
                self.at += count * size
                return
        for _ in range(count):
            self.item(items, shown)

    def item(self, items: Items, shown: str) -> None:
        for part in items.parts:
            self.part(part, shown)

    def count(self, prefix: int, sibling: str | None, shown: str) -> int:
        if sibling is not None:
            return self.counts[sibling]
        return int.from_bytes(self.take(prefix, shown, self.at), "big")

    def take(self, count: int, shown: str, start: int) -> bytes:
        if count > len(self.data) - self.at:
            raise self.error("truncated", shown, start)
        self.at += count
        return bytes(self.data[self.at - count : self.at])

    def limit(self, value: int, limit: int | None, shown: str, start: int) -> None:
        if limit is not None and value > limit:
            raise self.error("too-long", shown, start)

    def text(self, kind: str, octets: bytes, shown: str, start: int) -> None:
        try:
            good = not self.with_text or TESTS[kind](octets.decode())
        except UnicodeDecodeError:
            good = False
        if not good:
            raise self.error("bad-text", shown, start)

    def apart(self, apart: Iterable[Apart], frames: Sequence[bytes]) -> None:
        reached = 1
        for name, is_rest, limit in ((one.name, one.is_rest, one.limit) for one in apart):
            if reached >= len(frames):
                raise self.error("truncated", name, self.at)
            for frame in frames[reached:] if is_rest else frames[reached : reached + 1]:
                self.limit(len(frame), limit, name, self.at)
                reached += 1

    def error(self, code: str, shown: str, start: int) -> DecodeError:
        return DecodeError(code, self.message, shown, start)


# --- encoding


def encode_error(layout: Layout, message: Any) -> EncodeError | TypeError:
    """The error of a message that `layout` cannot carry. TypeError if a value is not of its field's type."""
    shown = (one for one in layout.operations if _is_shown(one))
    return _error_of(
        layout, [(one, getattr(message, name)) for one, name in zip(shown, layout.attributes, strict=True)]
    )


def head_error(layout: Layout, *values: object) -> EncodeError | TypeError:
    """The same for the values of the first numbers and octets of fixed size."""
    given = (one for one in layout.operations if isinstance(one, Number | Fixed))
    return _error_of(layout, list(zip(given, values, strict=False)))


def _is_shown(operation: Operation) -> bool:
    """Whether a message has an attribute for it."""
    return not isinstance(operation, Constant | Reserved) and not getattr(operation, "measures", ())


def _error_of(layout: Layout, given: list[tuple[Operation, Any]]) -> EncodeError | TypeError:
    sizes = {one.name: value for one, value in given if not isinstance(one, Topic)}
    values = dict(given)
    writer = _Writer(layout.message)
    try:
        for one in layout.operations:
            if isinstance(one, Number) and one.measures and one not in values:
                writer.agree(one.measures, sizes)
        for one in layout.operations:
            if one in values:
                writer.run(one, values[one])
            elif isinstance(one, Number) and one.measures[0] in sizes:
                writer.part(one, one.measures[0], len(sizes[one.measures[0]]))
    except (EncodeError, TypeError) as found:
        return found
    return EncodeError("too-long", layout.message)


@dataclass(slots=True)
class _Writer:
    """Compares values with what a message may hold."""

    message: str

    def agree(self, names: Sequence[str], values: dict[str | None, Any]) -> None:
        """What one number counts and measures has to be as long as the first of them."""
        for name in names[1:]:
            self.length(values[name], len(values[names[0]]), name)

    def run(self, operation: Operation, value: Any) -> None:
        match operation:
            case Topic(name):
                self.text("utf-8", value, name)
                if "\x00" in value:
                    raise self.error("bad-text", name)
            case Rest(name, limit):
                self.limit(len(value), limit, name)
            case Apart(name, is_rest, limit):
                if is_rest and not value:
                    raise self.error("truncated", name)
                for frame in value if is_rest else (value,):
                    self.limit(len(frame), limit, name)
            case Number() | Content() | Fixed() | Items():
                self.part(operation, operation.name, value)

    def part(self, part: Part, shown: str, value: Any) -> None:
        match part:
            case Number(_, size, signed, limit, members):
                if not isinstance(value, int):
                    raise self.mistaken(shown, "a number", value)
                self.limit(value, limit, shown)
                if members is not None and not is_member(value, members):
                    raise self.error("bad-constant", shown)
                bits = 8 * size or 64
                least = -(1 << bits - 1) if signed else 0
                if not least <= value < least + (1 << bits):
                    raise self.error("too-long", shown)
            case Fixed(_, size):
                self.length(value, size, shown)
            case Content(_, prefix, _, limit, text, members):
                if members is not None and value not in members:
                    raise self.error("bad-constant", shown)
                if text is None and not isinstance(value, bytes | bytearray | memoryview):
                    raise self.mistaken(shown, "bytes", value)
                octets = value if text is None else self.text(text, value, shown)
                self.limit(len(octets), limit, shown)
                self.prefix(len(octets), prefix, shown)
            case Items(_, prefix, parts, _, _, limit):
                self.limit(len(value), limit, shown)
                self.prefix(len(value), prefix, shown)
                for item in value:
                    for inner, one in zip(parts, item if len(parts) == 2 else (item,), strict=True):
                        self.part(inner, shown, one)

    def text(self, kind: str, value: Any, shown: str) -> bytes:
        if not isinstance(value, str):
            raise self.mistaken(shown, "text", value)
        try:
            octets = value.encode()
        except UnicodeEncodeError:
            raise self.error("bad-text", shown) from None
        if not TESTS[kind](value):
            raise self.error("bad-text", shown)
        return octets

    def limit(self, value: int, limit: int | None, shown: str) -> None:
        if limit is not None and value > limit:
            raise self.error("too-long", shown)

    def prefix(self, length: int, prefix: int, shown: str) -> None:
        if prefix:
            self.limit(length, (1 << 8 * prefix) - 1, shown)

    def length(self, value: Any, wanted: int, shown: str) -> None:
        if len(value) != wanted:
            raise self.error("too-long" if len(value) > wanted else "truncated", shown)

    def mistaken(self, shown: str, wanted: str, value: object) -> TypeError:
        return TypeError(f"{self.message}.{shown}: {wanted} is wanted, not {type(value).__name__}")

    def error(self, code: str, shown: str) -> EncodeError:
        return EncodeError(code, self.message, shown)


def is_member(value: int, members: Container[object] | int) -> bool:
    """Whether `value` is one of `members`, or has no other bits than they."""
    return not value & ~members if isinstance(members, int) else value in members
