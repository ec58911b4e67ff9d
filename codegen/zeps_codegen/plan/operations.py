"""The operations of a codec: what is done with each message, in the order of the wire.

A decoder runs a message's operations one after the other over the frame; the first that finds something wrong ends it
with its error, at the offset where the operation began. An encoder checks what the operations say of the values, and
then writes them in the same order. `docs/architecture.md` has the table of errors.

==================  ===============================================  ==========================================
operation           decoding                                         encoding
==================  ===============================================  ==========================================
:class:`Constant`   compare; ``truncated`` if what is there is right  write
:class:`Topic`      text up to the first zero octet                   text without a zero octet; write, and a zero
:class:`Reserved`   step over                                        zeros
:class:`Number`     read, ``too-long``, ``bad-constant``,            ``too-long``, ``bad-constant``,
                    ``bad-relation``                                 ``bad-relation``; write
:class:`Content`    read the length, ``too-long``, ``truncated``,    ``too-long``, ``bad-text``, ``bad-constant``;
                    ``bad-text``, ``bad-constant``                   write length and octets
:class:`Fixed`      take                                             the number of octets must be right; write
:class:`Rest`       ``too-long``; take all                           ``too-long``; write
:class:`Items`      read the count, ``too-long``, ``truncated`` if   ``too-long``, each item; write count and items
                    so many items of the least size cannot follow;
                    then item by item
:class:`Apart`      a ZeroMQ frame of its own, or all that follow    ``too-long``; frames
==================  ===============================================  ==========================================

Where an operation whose field has a default would begin at the end of the frame, this field and those after it have
their defaults, and the decoder has read all. In an extensible message it leaves unread what follows the last operation;
in any other that is ``trailing``.
"""

from __future__ import annotations

from dataclasses import dataclass

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
]


@dataclass(frozen=True, slots=True)
class Constant:
    """Octets that are always the same."""

    name: str
    octets: bytes


@dataclass(frozen=True, slots=True)
class Topic:
    """Pub/sub: UTF-8 up to a zero octet, which nobody shows."""

    name: str = "topic"


@dataclass(frozen=True, slots=True)
class Reserved:
    """`size` octets, which may be 0, that nobody looks at."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number of `size` octets, or in LEB128 if `size` is 0."""

    name: str
    field: Field
    size: int
    signed: bool = False
    limit: int | None = None
    """The greatest value that is allowed, if the octets hold a greater one."""
    enumeration: str | None = None
    flags: bool = False
    """Whether it is a union of the enumeration's members."""
    measures: tuple[str, ...] = ()
    """The shown fields that it counts or measures, which have to agree on it; then no message shows it itself."""
    relations: tuple[Relation, ...] = ()
    """What has to hold between it and a number before it, or a constant."""

    @property
    def bits(self) -> int:
        """How many bits it may have."""
        return 8 * self.size or 64

    @property
    def greatest(self) -> int:
        """The greatest value that its octets hold."""
        return (1 << self.bits - self.signed) - 1


@dataclass(frozen=True, slots=True)
class Content:
    """Octets or text whose length stands before them in `prefix` octets, or is the value of a sibling."""

    name: str
    field: Field
    prefix: int
    """Octets of the length; 0 if a sibling has it."""
    measured_by: str | None = None
    limit: int | None = None
    """The greatest length that is allowed, if a greater one can be announced."""
    text: Text | None = None
    """What the octets have to be; None for any octets."""
    enumeration: str | None = None
    """Of which the text has to be a member."""

    @property
    def is_string(self) -> bool:
        """Whether the model calls it a string; without `text` that may be any octets."""
        return self.field.type is FieldType.STRING

    @property
    def most(self) -> int | None:
        """The greatest length that can be written; None if there is none."""
        if self.limit is not None or not self.prefix:
            return self.limit
        return (1 << 8 * self.prefix) - 1


@dataclass(frozen=True, slots=True)
class Fixed:
    """`size` octets."""

    name: str
    field: Field
    size: int


@dataclass(frozen=True, slots=True)
class Rest:
    """All octets that are left in the frame."""

    name: str
    field: Field
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """Items of one part, or pairs; counted in `prefix` octets before them, by a sibling, or by the frame's end."""

    name: str
    field: Field
    prefix: int
    """Octets of the count; 0 if there are none."""
    parts: tuple[Part, ...]
    """What one item consists of: one part, or a key and a value."""
    least: int
    """The fewest octets of an item, at least 1."""
    counted_by: str | None = None
    limit: int | None = None
    """The greatest number that is allowed."""

    @property
    def is_open(self) -> bool:
        """Whether they go on to the end of the frame, uncounted. Then they are the last operation on it."""
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
        """The greatest number that can be written; None if there is none."""
        greatest = (1 << 8 * self.prefix) - 1 if self.prefix else None
        return greatest if self.limit is None else min(self.limit, greatest or self.limit)

    @property
    def width(self) -> int | None:
        """Octets of each item, if they are numbers or octets of one size that need no look; None for others."""
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
    """A ZeroMQ frame of its own, or all that follow, at least one."""

    name: str
    field: Field
    is_rest: bool
    limit: int | None = None
    """The greatest number of octets of one of them."""


Part = Number | Content | Fixed | Items
"""What a list may hold."""
Operation = Constant | Topic | Reserved | Number | Content | Fixed | Rest | Items | Apart


@dataclass(frozen=True, slots=True)
class Plan:
    """One message."""

    name: str
    dispatch: bytes
    """What the dispatcher compares."""
    seen: int
    """Octets of it that the decoder need not look at again."""
    head: bytes
    """The octets before the first operation, which never differ."""
    constants: tuple[Constant, ...]
    """The fields in the head, or in what follows the octets that dispatch; empty octets among them."""
    operations: tuple[Operation, ...]
    """On the first frame, after the head."""
    apart: tuple[Apart, ...]
    """The frames after the first."""
    extensible: bool = False
    """Whether octets may follow the last operation, which nobody looks at."""

    @property
    def tail(self) -> int:
        """The number of the first operation whose field has a default: before it and those after it the frame may end.

        The number of operations if there is none.
        """
        for number, operation in enumerate(self.operations):
            if (
                isinstance(operation, Number | Content | Fixed | Items)
                and operation.field.default is not None
            ):
                return number
        return len(self.operations)

    @property
    def takes_all(self) -> bool:
        """Whether what is left of the first frame is no error, once the operations are through."""
        if self.extensible:
            return True
        last = self.operations[-1] if self.operations else None
        return isinstance(last, Rest) or (isinstance(last, Items) and last.is_open)
