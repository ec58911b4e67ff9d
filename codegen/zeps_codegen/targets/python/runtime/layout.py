"""Layouts of messages, and the slow codec, which reads and writes a message field by field in wire order.

If a generated codec fails, the slow codec either reports the error and its offset, or handles a rare case.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from struct import error
from typing import Any

from .errors import DecodeError, EncodeError
from .operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Relation,
    Reserved,
    Rest,
    Topic,
)
from .support import unknown_number
from .values import Read, check_length, limited, reader, text_octets, writer, zero_of

__all__ = ["FAULTS", "Layout"]

#: The exceptions in generated codecs for errors and rare cases.
FAULTS = (EncodeError, error, IndexError, KeyError, OverflowError, TypeError, ValueError)

_HOLDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_Step = tuple[Operation, Read, str | None, Any, int, tuple[Relation, ...]]
"""An operation and its reader; its counting or measuring field, its default, the size of its count, its relations."""


class Layout:
    """A message: its name, and its fields in wire order; separate frames come last."""

    def __init__(
        self,
        message: str,
        operations: tuple[Operation, ...],
        attributes: tuple[str, ...],
        is_numbered: bool = False,
        is_extensible: bool = False,
    ) -> None:
        """`attributes` are the names of the fields that have an attribute, in order. If `is_numbered`, the first
        operation ends with the byte of the message's number; if `is_extensible`, bytes may follow the last field.
        """
        self.message = message
        self.operations = tuple(one for one in operations if not isinstance(one, Apart))
        self.apart = tuple(one for one in operations if isinstance(one, Apart))
        self.shown = dict(zip(filter(_is_shown, operations), attributes, strict=True))
        self.is_numbered, self.is_extensible = is_numbered, is_extensible
        self._steps = {
            with_text: [self._step(one, with_text) for one in self.operations] for with_text in (True, False)
        }

    def _step(self, one: Operation, with_text: bool) -> _Step:
        sibling = getattr(one, "measured_by", None) or getattr(one, "counted_by", None)
        read = reader(one, self.message, one.name or None, with_text)
        default, prefix, relations = (getattr(one, name, None) for name in ("default", "prefix", "relations"))
        return one, read, sibling, default, prefix or 0, relations or ()

    @property
    def zeros(self) -> dict[str, object]:
        """The values, by attribute, of fields that the host has not filled, for machines whose model allows that."""
        return {name: zero_of(one) for one, name in self.shown.items()}

    # --- decoding

    def read(self, data: bytes, frames: Sequence[bytes] = ()) -> dict[str, Any]:
        """Decodes a message to its values by attribute. Raises DecodeError. `frames` are all frames, of which `data` is
        the first, if messages of the protocol may have several.
        """
        values = {self.shown[one]: value for one, value, _, _ in self._whole(data, True) if one in self.shown}
        reached = 1
        for one in self.apart:
            name, found = one.name, frames[reached:] if one.is_rest else frames[reached : reached + 1]
            if not found:
                raise DecodeError("truncated", self.message, name, len(data))
            if one.limit is not None and max(map(len, found)) > one.limit:
                raise DecodeError("too-long", self.message, name, len(data))
            values[self.shown[one]] = tuple(map(bytes, found)) if one.is_rest else bytes(found[0])
            reached += len(found)
        if reached < len(frames):
            raise DecodeError("trailing", self.message, None, len(data))
        return values

    def scan(self, data: bytes) -> Any:
        """The offsets of the beginning (after a length or count) and the end of each content of variable size, in one
        tuple. Raises DecodeError, but does not check text.
        """
        found = self._whole(data, False)
        return tuple(
            place for one, _, *extent in found if isinstance(one, Content | Items | Rest) for place in extent
        )

    def read_head(self, data: bytes | bytearray | memoryview, offset: int, count: int) -> Any:
        """The numbers and bytes of fixed size in the first `count` operations, at `offset`. Raises DecodeError."""
        walk = self._walk(bytes(data), offset, self._steps[True][:count])
        return tuple([value for one, value, _, _ in walk if isinstance(one, Number | Fixed)])

    def _whole(self, data: bytes, with_text: bool) -> list[tuple[Operation, Any, int, int]]:
        first = self.operations[0] if self.operations else None
        if self.is_numbered and isinstance(first, Constant) and not data.startswith(first.octets):
            raise unknown_number(data, first.octets[:-1])
        found = self._walk(data, 0, self._steps[with_text])
        end = found[-1][-1] if found else 0
        if end < len(data) and not self.is_extensible:
            raise DecodeError("trailing", self.message, None, end)
        return found

    def _walk(self, data: bytes, at: int, steps: list[_Step]) -> list[tuple[Operation, Any, int, int]]:
        """Each operation, its value, and the bounds of its content."""
        found: list[tuple[Operation, Any, int, int]] = []
        numbers: dict[str | None, Any] = {}
        may_end = False
        for one, read, sibling, default, prefix, relations in steps:
            start, value = at, default
            may_end = may_end or default is not None
            if not may_end or at < len(data):
                value, at = read(data, at, numbers.get(sibling))
            numbers[one.name] = value
            if relations and start < at and not _all_hold(relations, numbers):
                raise DecodeError("bad-relation", self.message, one.name, start)
            found.append((one, value, start + prefix, at))
        return found

    # --- encoding

    def write(self, message: object) -> list[bytes]:
        """Encodes a message to its frames. Raises EncodeError, and TypeError if a value has the wrong type."""
        return self._write({one: getattr(message, name) for one, name in self.shown.items()})

    def write_head(self, *values: object) -> bytes:
        """Encodes the first frame up to the first field of varying size; `values` are those of its numbers and fields
        of fixed size, in wire order. Raises the same errors as `write`.
        """
        given = (one for one in self.operations if isinstance(one, Number | Fixed))
        (octets,) = self._write(dict(zip(given, values, strict=False)), True)
        return octets

    def _write(self, values: dict[Operation, Any], is_head: bool = False) -> list[bytes]:
        named = {one.name: value for one, value in values.items() if not isinstance(one, Topic)}
        shown = {one: one.name for one in values}
        for one in self.operations:
            if isinstance(one, Number) and one.measures and one not in values and not is_head:
                first, *others = one.measures
                values[one], shown[one] = len(named[first]), first
                for other in others:
                    check_length(len(named[other]), len(named[first]), self.message, other)
        numbers = {one.name: value for one, value in values.items() if isinstance(one, Number)}
        octets = b""
        for one in self.operations:
            match one:
                case Constant(_, always):
                    octets += always
                case Reserved(_, size):
                    octets += bytes(size)
                case _ if one not in values:
                    return [octets]
                case Topic(name):
                    octets += text_octets(values[one], "utf-8", self.message, name)
                    if 0 in octets[-len(values[one].encode()) :]:
                        raise EncodeError("bad-text", self.message, name)
                    octets += b"\x00"
                case Rest(name, limit):
                    octets += limited(values[one], limit, self.message, name)
                case Number() | Content() | Fixed() | Items():
                    octets += writer(one, self.message, str(shown[one]))(values[one])
                    if isinstance(one, Number) and not _all_hold(one.relations, numbers):
                        raise EncodeError("bad-relation", self.message, one.name)
        frames = [octets]
        for apart in self.apart:
            found = list(values[apart]) if apart.is_rest else [values[apart]]
            if not found:
                raise EncodeError("truncated", self.message, apart.name)
            frames += [limited(frame, apart.limit, self.message, apart.name) for frame in found]
        return frames


def _is_shown(one: Operation) -> bool:
    return not (isinstance(one, Constant | Reserved) or (isinstance(one, Number) and one.measures))


def _all_hold(relations: tuple[Relation, ...], numbers: Mapping[Any, Any]) -> bool:
    return all(
        _HOLDS[one.operator](
            numbers[one.left], one.right if isinstance(one.right, int) else numbers[one.right]
        )
        for one in relations
    )
