"""The operations of messages, which codecs execute in wire order."""

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
"""The members of an enumeration by their values, or the flags whose bits are its members."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A comparison of the number called `left` with another number or a constant."""

    left: str
    operator: str
    right: str | int


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Bytes with a constant value. Without a name they identify the message."""

    name: str
    octets: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """UTF-8 up to a zero byte."""

    name: str = "topic"


@dataclass(frozen=True, slots=True, eq=False)
class Reserved:
    """`size` bytes that decoders ignore; encoders write zeros."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number of `size` bytes, or in LEB128 if `size` is 0."""

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
    """Bytes or text (class `text`) after a length of `prefix` bytes, or with the length in the field `measured_by`."""

    name: str
    prefix: int
    measured_by: str | None = None
    limit: int | None = None
    text: str | None = None
    members: Members | None = None
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """`size` bytes."""

    name: str
    size: int
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """All remaining bytes."""

    name: str
    limit: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items (pairs if of two parts), counted in `prefix` bytes or by `counted_by`, or until the end of the frame."""

    name: str
    prefix: int
    parts: tuple[Number | Content | Fixed | Items, ...]
    least: int
    """The minimum size of an item in bytes, at least 1."""
    counted_by: str | None = None
    limit: int | None = None
    default: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """A separate frame, or all remaining frames."""

    name: str
    is_rest: bool = False
    limit: int | None = None


Part = Number | Content | Fixed | Items
Operation = Constant | Topic | Reserved | Part | Rest | Apart
