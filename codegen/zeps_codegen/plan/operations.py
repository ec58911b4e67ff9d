"""The operations of a codec: the steps of decoding and encoding each message, in wire order.

A decoder executes a message's operations in sequence; the first error ends the decoding, at the offset where its
operation began. An encoder checks the values against the operations, and then writes them in the same order.
`docs/models.md` has the table of errors.

==================  ===============================================  ==========================================
operation           decoding                                         encoding
==================  ===============================================  ==========================================
:class:`Constant`   compare; ``truncated`` if a prefix matches       write
:class:`Topic`      text up to the first zero byte                   text without a zero byte; write it and a zero
:class:`Reserved`   skip                                             zeros
:class:`Number`     read, ``too-long``, ``bad-constant``,            ``too-long``, ``bad-constant``,
                    ``bad-relation``                                 ``bad-relation``; write
:class:`Content`    read the length, ``too-long``, ``truncated``,    ``too-long``, ``bad-text``, ``bad-constant``;
                    ``bad-text``, ``bad-constant``                   write length and bytes
:class:`Fixed`      take                                             the size must match; write
:class:`Rest`       ``too-long``; read all                           ``too-long``; write
:class:`Items`      read the count, ``too-long``, ``truncated`` if   ``too-long``, each item; write count and items
                    items of the least size would not fit;
                    then item by item
:class:`Apart`      a ZeroMQ frame, or all remaining frames          ``too-long``; frames
==================  ===============================================  ==========================================

If the frame ends where an operation whose field has a default would begin, this field and the following ones take
their defaults, and the decoding is complete. In an extensible message the decoder ignores bytes after the last
operation; in any other message they are ``trailing``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ..ir import Field, FieldType, Relation, Text

__all__ = [
    "Apart",
    "Constant",
    "Content",
    "Fixed",
    "Items",
    "Number",
    "Operation",
    "Part",
    "Plan",
    "Reserved",
    "Rest",
    "Topic",
    "given",
    "key_of",
]


@dataclass(frozen=True, slots=True)
class Constant:
    """Bytes with a constant value."""

    name: str
    octets: bytes


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of pub/sub: UTF-8, and a zero byte that ends it."""

    name: str = "topic"


@dataclass(frozen=True, slots=True)
class Reserved:
    """`size` reserved bytes (possibly 0), which decoders ignore."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number of `size` bytes, or in LEB128 if `size` is 0."""

    name: str
    field: Field
    size: int
    signed: bool = False
    limit: int | None = None
    """The maximum value, if the bytes can hold a greater one."""
    enumeration: str | None = None
    flags: bool = False
    """Whether the value is a union of the enumeration's members."""
    measures: tuple[str, ...] = ()
    """The fields that it counts or measures; they have equal lengths, and message objects do not have it."""
    relations: tuple[Relation, ...] = ()
    """Comparisons with a number before it, or with a constant."""

    @property
    def bits(self) -> int:
        """The number of bits."""
        return 8 * self.size or 64

    @property
    def greatest(self) -> int:
        """The greatest value that its bytes can hold."""
        return (1 << self.bits - self.signed) - 1


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes or text with a length, which precedes them in `prefix` bytes or is the value of a sibling."""

    name: str
    field: Field
    prefix: int
    """The size of the length in bytes; 0 if a sibling holds the length."""
    measured_by: str | None = None
    limit: int | None = None
    """The maximum length, if the encoding of the length can hold a greater one."""
    text: Text | None = None
    """The class of text that the bytes must have; None for arbitrary bytes."""
    enumeration: str | None = None
    """The enumeration that the text must be a member of."""

    @property
    def is_string(self) -> bool:
        """Whether the model declares a string; without `text` the string may have arbitrary bytes."""
        return self.field.type is FieldType.STRING

    @property
    def most(self) -> int | None:
        """The greatest length in bytes that `prefix` and `limit` allow; None without both."""
        if self.limit is not None or not self.prefix:
            return self.limit
        return (1 << 8 * self.prefix) - 1


@dataclass(frozen=True, slots=True)
class Fixed:
    """Exactly `size` bytes."""

    name: str
    field: Field
    size: int


@dataclass(frozen=True, slots=True)
class Rest:
    """All remaining bytes of the frame."""

    name: str
    field: Field
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """A list of items or pairs, counted in `prefix` bytes or by a sibling, or ended by the end of the frame."""

    name: str
    field: Field
    prefix: int
    """The size of the count in bytes; 0 without one."""
    parts: tuple[Part, ...]
    """The parts of one item: one part, or a key and a value."""
    least: int
    """The minimum size of an item in bytes, at least 1."""
    counted_by: str | None = None
    limit: int | None = None
    """The maximum number of items."""

    @property
    def is_open(self) -> bool:
        """Whether the items continue to the end of the frame, uncounted; it is the last operation of the frame then."""
        return not self.prefix and self.counted_by is None

    @property
    def is_pairs(self) -> bool:
        """Whether each item is a key and a value."""
        return len(self.parts) == 2

    @property
    def item(self) -> Part:
        """The only part of an item."""
        (part,) = self.parts
        return part

    @property
    def most(self) -> int | None:
        """The greatest number of items that `prefix` and `limit` allow; None without both."""
        greatest = (1 << 8 * self.prefix) - 1 if self.prefix else None
        return greatest if self.limit is None else min(self.limit, greatest or self.limit)

    @property
    def width(self) -> int | None:
        """The size of each item in bytes, if items are numbers or octets of fixed size without checks; else None."""
        if self.is_pairs:
            return None
        match self.item:
            case Number(size=size, limit=None, enumeration=None) if size:
                return size
            case Fixed(size=size):
                return size
            case _:
                return None


@dataclass(frozen=True, slots=True)
class Apart:
    """A ZeroMQ frame, or all remaining frames, at least one."""

    name: str
    field: Field
    is_rest: bool
    limit: int | None = None
    """The maximum size of each frame in bytes."""


Part = Number | Content | Fixed | Items
"""The possible items of a list."""
Operation = Constant | Topic | Reserved | Number | Content | Fixed | Rest | Items | Apart


def key_of(operation: Operation) -> str:
    """The name of the operation's field; empty for the topic of pub/sub, because a field may have its name."""
    return "" if isinstance(operation, Topic) else operation.name


def given(operation: Operation | Relation) -> Iterator[tuple[str, Any]]:
    """The attributes that have no default or differ from it, with their values, in the order of declaration."""
    for slot in fields(operation):
        if (value := getattr(operation, slot.name)) != slot.default:
            yield slot.name, value


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a message."""

    name: str
    dispatch: bytes
    """The bytes that the dispatcher compares."""
    seen: int
    """The number of these bytes that the decoder does not check again."""
    head: bytes
    """The constant bytes before the first operation."""
    constants: tuple[Constant, ...]
    """The constant fields in the head, or in the part of it that follows the dispatched bytes; they may be empty."""
    operations: tuple[Operation, ...]
    """The operations on the first frame, after the head."""
    apart: tuple[Apart, ...]
    """The frames after the first."""
    extensible: bool = False
    """Whether bytes may follow the last operation; decoders ignore them."""

    @property
    def beginning(self) -> tuple[Constant, ...]:
        """The constants before the operations; the bytes that the decoder does not check again come first, unnamed."""
        return (*[Constant("", self.head[: self.seen])] * bool(self.seen), *self.constants)

    @property
    def all(self) -> tuple[Operation, ...]:
        """The operations on all frames, after the head of the first."""
        return (*self.operations, *self.apart)

    @property
    def tail(self) -> int:
        """The index of the first operation whose field has a default, or their number: a frame may end from here on."""
        for number, operation in enumerate(self.operations):
            if (
                isinstance(operation, Number | Content | Fixed | Items)
                and operation.field.default is not None
            ):
                return number
        return len(self.operations)

    @property
    def takes_all(self) -> bool:
        """Whether bytes that remain in the first frame after the operations are not an error."""
        if self.extensible:
            return True
        last = self.operations[-1] if self.operations else None
        return isinstance(last, Rest) or (isinstance(last, Items) and last.is_open)
