"""The operations that messages consist of: what is read and written, in the order of the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

__all__ = [
    "Apart",
    "Constant",
    "Content",
    "Fixed",
    "Items",
    "Members",
    "Number",
    "Operation",
    "Part",
    "Relation",
    "Reserved",
    "Rest",
    "Topic",
]

Members = Mapping[Any, Any] | type[IntFlag]
"""The members of an enumeration by their values, or what they are bits of."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """`left`, a number's name, compared with another's or a constant."""

    left: str
    operator: str
    right: str | int


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Octets that are always the same. Without a name they tell the message from others."""

    name: str
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
    """A number of `size` octets, in LEB128 if `size` is 0."""

    name: str
    size: int
    signed: bool = False
    limit: int | None = None
    members: Members | None = None
    measures: tuple[str, ...] = ()
    """The fields that it counts or measures."""
    relations: tuple[Relation, ...] = ()
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """Octets, or `text`, after a length of `prefix` octets, or of the length that the field `measured_by` holds."""

    name: str
    prefix: int
    measured_by: str | None = None
    limit: int | None = None
    text: str | None = None
    members: Members | None = None
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """`size` octets."""

    name: str
    size: int
    default: Any = None


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
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """A frame of its own, or all frames that follow."""

    name: str
    is_rest: bool = False
    limit: int | None = None


Part = Number | Content | Fixed | Items
Operation = Constant | Topic | Reserved | Part | Rest | Apart
