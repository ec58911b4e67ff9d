"""Reference encoder: encodes a message directly from the IR; the inverse of `interpret`. Shares no code with generated
packages. A value is a number, bytes (also for text), a list of values, or a list of pairs of bytes.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .interpret import Decoded, completed, holds, present, text_of, varint_bytes
from .ir import Dispatch, Enumeration, Field, FieldType, Message, Protocol, Text

__all__ = [
    "TOPIC",
    "EncodeFault",
    "WireValue",
    "encode",
    "encode_frames",
    "is_multipart",
    "shown_fields",
    "wire_values",
]

WireValue = int | bytes | Sequence["WireValue"] | Sequence[tuple[bytes, bytes]]

#: The topic of pub/sub, between id and fields. A zero byte ends it, so its length is not limited.
TOPIC = Field("topic", FieldType.STRING, size=8)


class EncodeFault(Exception):  # noqa: N818 (the message's, not ours)
    """The `message` cannot be encoded: `field` has a wrong value. `code` is one of the decoders' codes."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        self.code, self.message, self.field = code, message, field
        super().__init__(f"{code}: {message}.{field}" if field else f"{code}: {message}")


def shown_fields(protocol: Protocol, message: Message) -> tuple[Field, ...]:
    """The fields of a message object in the protocol's version, in wire order; the topic of pub/sub first. Constants,
    reserved fields, and numbers derived from other fields are left out.
    """
    fields = present(message.fields, protocol)
    measuring = {name for field in fields for name in (field.count, field.length)}
    topic = (TOPIC,) if protocol.dispatch is Dispatch.PUBSUB else ()
    return topic + tuple(field for field in fields if not field.hidden and field.name not in measuring)


def is_multipart(message: Message) -> bool:
    """Whether the message has fields that are ZeroMQ frames."""
    return any(field.is_frame for field in message.fields)


def wire_values(protocol: Protocol, decoded: Decoded) -> tuple[Message, list[WireValue]]:
    """The decoded message, and its values in the order of `shown_fields`; text is bytes, as it was in the frame."""
    values: dict[str, Any] = {}
    if decoded.topic is not None:
        values["topic"] = decoded.topic
    fields = {field.name: field for field in present(decoded.message.fields, protocol)}
    values |= {name: [] for name, field in fields.items() if field.type is FieldType.MSG}
    for item in decoded.fields[decoded.head :]:
        value = _wire_value(fields[item.name], item.value)
        values[item.name] = [*values[item.name], value] if item.name in values else value
    return decoded.message, [values[field.name] for field in shown_fields(protocol, decoded.message)]


def _wire_value(field: Field, value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("latin-1" if field.text is Text.OCTETS else "utf-8")
    if field.type is FieldType.HASH:
        return [(_wire_value(field, key), _wire_value(field, item)) for key, item in value]
    if isinstance(value, list):
        return [_wire_value(field.items or field, item) for item in value]
    return value


def encode(protocol: Protocol, message: Message, values: Sequence[WireValue], checked: bool = True) -> bytes:
    """Encodes the first frame of the message: all fields but those that are ZeroMQ frames of their own. `values` are in
    the order of `shown_fields`; raises ValueError if their number is wrong. Raises EncodeFault if fields that one
    number measures have different lengths, or else for the first error in wire order. Unless `checked`, only values
    without an encoding are errors.
    """
    given = {f.name: v for f, v in zip(shown_fields(protocol, message), values, strict=True)}
    return _Writer(protocol, message, given, checked).frame()


def encode_frames(protocol: Protocol, message: Message, values: Sequence[WireValue]) -> list[bytes]:
    """Encodes all frames, checked, like :func:`encode`. Also raises EncodeFault for a `msg` field without frames."""
    given = {f.name: v for f, v in zip(shown_fields(protocol, message), values, strict=True)}
    return _Writer(protocol, message, given, True).frames()


class _Writer:
    def __init__(
        self, protocol: Protocol, message: Message, given: Mapping[str, WireValue], checked: bool
    ) -> None:
        self.protocol, self.message, self.given, self.checked = protocol, message, given, checked
        self.fields = present(message.fields, protocol)
        self.enumerations: Mapping[str, Enumeration] = {item.name: item for item in protocol.enumerations}

    def fault(self, code: str, field: str) -> EncodeFault:
        return EncodeFault(code, self.message.name, field)

    def frame(self) -> bytes:
        for field in self.fields:
            self.agree(field)
        return self.beginning() + b"".join(self.related(field) for field in self.fields if not field.is_frame)

    def frames(self) -> list[bytes]:
        """All frames of the message, including the first."""
        frames = [self.frame()]
        for field in (field for field in self.fields if field.is_frame):
            given: Any = self.given[field.name]
            contents = list(given) if field.type is FieldType.MSG else [given]
            if not contents:
                raise self.fault("truncated", field.name)
            frames += [bytes(self.limited(field, field.name, content)) for content in contents]
        return frames

    def related(self, field: Field) -> bytes:
        """The field's bytes. If `checked`, raises bad-relation if a relation that the field completes is false."""
        encoded = self.field(field)
        relations = completed(self.message, field.name, self.fields) if self.checked else []
        if not all(holds(relation, self.numbers()) for relation in relations):
            raise self.fault("bad-relation", field.name)
        return encoded

    def numbers(self) -> dict[str, Any]:
        """The given values, and the computed values of fields that count or measure others, by name."""
        measured = {field.name: lengths[0][1] for field in self.fields if (lengths := self.measured(field))}
        return {**self.given, **measured}

    def beginning(self) -> bytes:
        name = self.message.name.encode()
        match self.protocol.dispatch:
            case Dispatch.SIGNATURE:
                return bytes((0xAA, 0xA0 | self.protocol.signature, self.message.id))
            case Dispatch.PUBSUB:
                topic = self.text(TOPIC, "topic", self.given["topic"])
                if b"\0" in topic:
                    raise self.fault("bad-text", "topic")
                return bytes((self.message.id,)) + topic + b"\0"
            case Dispatch.OCTET:
                return bytes((self.message.id,))
            case Dispatch.NAME:
                return bytes((len(name),)) + name
            case Dispatch.CONSTANT:
                return b""

    def measured(self, field: Field) -> list[tuple[str, int]]:
        """The siblings that `field` counts or measures, with their number of items or bytes."""
        return [
            (other.name, len(self.given[other.name]))  # type: ignore[arg-type]
            for other in self.fields
            if field.name in (other.count, other.length)
        ]

    def agree(self, field: Field) -> None:
        lengths = self.measured(field)
        for name, length in lengths[1:]:
            if length != lengths[0][1]:
                raise self.fault("too-long" if length > lengths[0][1] else "truncated", name)

    def field(self, field: Field) -> bytes:
        lengths = self.measured(field)
        if lengths:
            return self.value(field, *lengths[0])
        if field.value is not None:
            return self.constant(field)
        if field.reserved:
            return bytes(field.size)
        return self.value(field, field.name, self.given[field.name])

    def constant(self, field: Field) -> bytes:
        value = field.value.encode() if isinstance(field.value, str) else field.value
        assert value is not None
        return self.value(replace(field, text=Text.OCTETS, max=None), field.name, value)

    def value(self, field: Field, name: str, value: Any) -> bytes:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                return self.number(field, name, value)
            case FieldType.STRING:
                return self.counted(field, name, self.text(field, name, value))
            case FieldType.CHUNK:
                return self.counted(field, name, value)
            case FieldType.LIST | FieldType.STRINGS:
                return self.many(field, name, value)
            case FieldType.HASH:
                return self.pairs(field, name, value)
            case FieldType.UUID:
                return self.exact(name, value, 16)
            case FieldType.OCTETS if field.length is None:
                return self.exact(name, value, field.size)
            case FieldType.OCTETS | FieldType.REST:
                return bytes(self.limited(field, name, value))
            case _:
                raise ValueError(f"{self.message.name}.{name}: a {field.type.value} is a frame of its own")

    def number(self, field: Field, name: str, value: int) -> bytes:
        self.within(field, name, value)
        self.member(field, name, value)
        size = 8 if field.type is FieldType.VARINT else field.size
        least = -(1 << 8 * size - 1) if field.signed else 0
        if not least <= value < least + (1 << 8 * size):
            raise self.fault("too-long", name)
        if field.type is FieldType.NUMBER:
            return value.to_bytes(size, "big", signed=field.signed)
        return varint_bytes(value, field.signed)

    def member(self, field: Field, name: str, value: int | bytes) -> None:
        """If `checked`, raises bad-constant unless the field's enumeration, if it has one, allows the value."""
        if field.enumeration is None or not self.checked:
            return
        members = [item.value for item in self.enumerations[field.enumeration].members]
        known = [item.encode() if isinstance(item, str) else item for item in members]
        mask = functools.reduce(operator.or_, (item for item in known if isinstance(item, int)), 0)
        flags = field.flags and isinstance(value, int)
        if value & ~mask if flags else value not in known:  # type: ignore[operator]
            raise self.fault("bad-constant", name)

    def text(self, field: Field, name: str, encoded: Any) -> bytes:
        """Returns `encoded`. If `checked`, raises EncodeFault unless the text class and enumeration allow them."""
        assert isinstance(encoded, bytes)
        if field.text is not Text.OCTETS:
            self.member(field, name, encoded)
        if self.checked and text_of(encoded, field.text) is None:
            raise self.fault("bad-text", name)
        return encoded

    def limited(self, field: Field, name: str, value: Any) -> Any:
        """Returns `value`. If `checked`, raises too-long if it has more bytes or items than the field's `max`."""
        self.within(field, name, len(value))
        return value

    def within(self, field: Field, name: str, value: int) -> None:
        if self.checked and field.max is not None and value > field.max:
            raise self.fault("too-long", name)

    def prefixed(self, size: int, name: str, count: int) -> bytes:
        if count >= 1 << 8 * size:
            raise self.fault("too-long", name)
        return count.to_bytes(size, "big")

    def count(self, field: Field, name: str, count: int) -> bytes:
        """The encoded number of items; empty if a sibling or the end of the frame gives it."""
        if field.count is not None or field.open_ended:
            return b""
        return self.prefixed(field.size if field.items is not None else 4, name, count)

    def counted(self, field: Field, name: str, content: bytes) -> bytes:
        return self.prefixed(field.size, name, len(self.limited(field, name, content))) + content

    def exact(self, name: str, content: bytes, size: int) -> bytes:
        if len(content) != size:
            raise self.fault("too-long" if len(content) > size else "truncated", name)
        return content

    def many(self, field: Field, name: str, items: Sequence[Any]) -> bytes:
        self.limited(field, name, items)
        part = field.items or Field("item", FieldType.STRING, size=4, text=field.text)
        if field.enumeration is not None and field.items is not None:
            part = replace(part, enumeration=field.enumeration, flags=field.flags)
        return self.count(field, name, len(items)) + b"".join(self.value(part, name, item) for item in items)

    def pairs(self, field: Field, name: str, pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
        entries = list(self.limited(field, name, pairs))
        encoded = self.count(field, name, len(entries))
        for key, value in entries:
            key, value = self.text(field, name, key), self.text(field, name, value)
            encoded += self.prefixed(1, name, len(key)) + key + self.prefixed(4, name, len(value)) + value
        return encoded
