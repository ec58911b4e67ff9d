"""Reference decoder: decodes a frame directly from the IR. Shares no code with generated packages. The error codes are
those of every generated decoder: truncated, trailing, bad-signature, unknown-message, bad-constant, bad-text, too-long,
bad-relation.
"""

from __future__ import annotations

import functools
import operator
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from .ir import COMPARISONS, Dispatch, Enumeration, Field, FieldType, Message, Protocol, Relation, Text

__all__ = [
    "DecodeFault",
    "Decoded",
    "DecodedField",
    "Value",
    "completed",
    "decode",
    "holds",
    "present",
    "text_of",
    "varint_bytes",
]

Value = int | str | bytes | Sequence["Value"] | Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class DecodedField:
    """A part of frame `frame`, from 0; `offset` and `size` in bytes. A missing field has size 0 and its default."""

    name: str
    value: Value
    offset: int
    size: int
    frame: int = 0
    constant: bool = False
    reserved: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    message: Message
    fields: tuple[DecodedField, ...]
    """The parts before the first field (`head` of them), then the message's fields."""
    topic: bytes | None = None
    head: int = 0


class DecodeFault(Exception):  # noqa: N818 (the frame's, not ours)
    """The frames are not a message of the protocol. `offset` is that of the faulty value in the first frame, in bytes;
    for a later frame, the end of the first frame. `message` and `field`: where the error is, or None.
    """

    def __init__(self, code: str, offset: int, message: str | None = None, field: str | None = None) -> None:
        self.code, self.offset, self.message, self.field = code, offset, message, field
        where = ".".join(part for part in (message, field) if part)
        super().__init__(f"{code}: {where} at byte {offset}" if where else f"{code} at byte {offset}")


@dataclass(slots=True)
class _Reader:
    """A position in a frame; `start` is the offset of the value being read."""

    data: bytes
    enumerations: Mapping[str, Enumeration]
    message: str | None = None
    field: str | None = None
    at: int = 0
    start: int = 0

    def begin(self, field: str | None) -> None:
        self.field, self.start = field, self.at

    def fault(self, code: str) -> DecodeFault:
        return DecodeFault(code, self.start, self.message, self.field)

    def need(self, count: int) -> None:
        """Raises truncated if fewer than `count` bytes remain; called before memory is allocated for them."""
        if count > len(self.data) - self.at:
            raise self.fault("truncated")

    def take(self, count: int) -> bytes:
        self.need(count)
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)

    def limited(self, value: int, field: Field) -> int:
        if field.max is not None and value > field.max:
            raise self.fault("too-long")
        return value


_Versioned = TypeVar("_Versioned", Message, Field)


def present(items: Iterable[_Versioned], protocol: Protocol) -> list[_Versioned]:
    """The messages or fields that the protocol's version includes."""
    return [item for item in items if protocol.has(item)]


def decode(protocol: Protocol, frames: Sequence[bytes]) -> Decoded:
    """Decodes one message. Raises DecodeFault if `frames` is empty or not a message of the protocol's version."""
    if not frames:
        raise DecodeFault("truncated", 0)
    reader = _Reader(bytes(frames[0]), {item.name: item for item in protocol.enumerations})
    head, message, topic = _dispatch(protocol, reader)
    reader.message = message.name
    fields = list(head)
    values: dict[str, Value] = {}
    inside = present(message.fields, protocol)
    tail: list[DecodedField] = []
    for number, field in enumerate(inside):
        if field.is_frame:
            continue
        reader.begin(field.name)
        start = reader.at
        if field.default is not None and start == len(reader.data):
            left_out = [item for item in inside[number:] if not item.is_frame]
            tail = [DecodedField(item.name, _default(item), start, 0) for item in left_out]
            break
        value = values[field.name] = _field(field, values, reader)
        constant = field.value is not None
        fields.append(DecodedField(field.name, value, start, reader.at - start, 0, constant, field.reserved))
        reader.start = start
        if not all(holds(relation, values) for relation in completed(message, field.name, inside)):
            raise reader.fault("bad-relation")
    fields += tail
    reader.begin(None)
    if reader.at < len(reader.data) and not message.extensible:
        raise reader.fault("trailing")
    reader.at = len(reader.data)
    fields += _frames(inside, frames, reader)
    order = {field.name: index for index, field in enumerate(inside)}
    fields[len(head) :] = sorted(fields[len(head) :], key=lambda item: order[item.name])
    return Decoded(message, tuple(fields), topic, len(head))


def _default(field: Field) -> Value:
    """The value of the field in a frame that ends before it."""
    if field.is_repeated:
        return []
    assert field.default is not None
    return field.default


def holds(relation: Relation, values: Mapping[str, Value]) -> bool:
    """Whether the relation is true for the values of a message's numbers, given by the names of their fields."""
    left = values[relation.left]
    right = relation.right if isinstance(relation.right, int) else values[relation.right]
    assert isinstance(left, int)
    assert isinstance(right, int)
    return COMPARISONS[relation.operator](left, right)


def _frames(fields: Sequence[Field], frames: Sequence[bytes], reader: _Reader) -> list[DecodedField]:
    """Reads fields from the second frame on; a `msg` takes at least one. Raises truncated, too-long or trailing."""
    decoded: list[DecodedField] = []
    following = 1
    for field in fields:
        if not field.is_frame:
            continue
        reader.begin(field.name)
        if following >= len(frames):
            raise reader.fault("truncated")
        last = len(frames) if field.type is FieldType.MSG else following + 1
        for number in range(following, last):
            frame = bytes(frames[number])
            decoded.append(DecodedField(field.name, frame, 0, reader.limited(len(frame), field), number))
        following = last
    reader.begin(None)
    if following < len(frames):
        raise reader.fault("trailing")
    return decoded


def _dispatch(protocol: Protocol, reader: _Reader) -> tuple[list[DecodedField], Message, bytes | None]:
    """Returns the parts before the first field, the message, and the topic: None except in pub/sub."""
    if protocol.dispatch is Dispatch.CONSTANT:
        return [], _by_constant(protocol, reader), None
    head: list[DecodedField] = []
    topic: bytes | None = None
    messages = present(protocol.messages, protocol)
    if protocol.dispatch is Dispatch.SIGNATURE:
        signature = bytes((0xAA, 0xA0 | protocol.signature))
        if not signature.startswith(reader.data[:2]):
            raise reader.fault("bad-signature")
        reader.take(2)
        head.append(DecodedField("signature", signature, 0, 2, constant=True))
    if protocol.dispatch is Dispatch.NAME:
        reader.begin(None)
        name = reader.take(reader.number(1))
        matches = [item for item in messages if item.name.encode() == name]
        head.append(DecodedField("name", name, reader.start, reader.at - reader.start))
    else:
        reader.begin(None)
        number = reader.number(1)
        matches = [item for item in messages if item.id == number]
        head.append(DecodedField("id", number, reader.start, 1))
    if not matches:
        raise reader.fault("unknown-message")
    if protocol.dispatch is Dispatch.PUBSUB:
        reader.message = matches[0].name
        reader.begin("topic")
        end = reader.data.find(b"\0", reader.at)
        if end < 0:
            raise reader.fault("truncated")
        topic = reader.take(end - reader.at)
        _text(topic, Field("topic", FieldType.STRING), reader)
        reader.take(1)
        head.append(DecodedField("topic", topic, reader.start, reader.at - reader.start))
    return head, matches[0], topic


def _by_constant(protocol: Protocol, reader: _Reader) -> Message:
    """The message that the frame's constants name. Raises truncated if it could continue, or unknown-message."""
    messages = present(protocol.messages, protocol)
    firsts = [_leading(message, protocol)[:1] for message in messages]
    beginnings: list[tuple[bytes, Message]] = []
    for message, first in zip(messages, firsts, strict=True):
        alike = firsts.count(first) > 1
        beginnings.append((b"".join(_leading(message, protocol) if alike else first), message))
    for beginning, message in sorted(beginnings, key=lambda pair: -len(pair[0])):
        if reader.data.startswith(beginning):
            return message
    short = any(beginning.startswith(reader.data) for beginning, _ in beginnings)
    raise reader.fault("truncated" if short else "unknown-message")


def _leading(message: Message, protocol: Protocol) -> list[bytes]:
    """The encoded constants that the message begins with, one for each field."""
    constants = []
    for field in present(message.fields, protocol):
        if field.value is None:
            break
        constants.append(_constant_bytes(field))
    return constants


def _field(field: Field, values: Mapping[str, Value], reader: _Reader) -> Value:
    if field.value is not None:
        return _constant(field, reader)
    return reader.take(field.size) if field.reserved else _value(field, values, reader)


def varint_bytes(value: int, signed: bool) -> bytes:
    """Encodes a number of at most 64 bits as LEB128 with as few bytes as possible; with zigzag if it is `signed`."""
    value = ((value << 1) ^ (value >> 63)) if signed else value
    septets = [value >> shift & 0x7F for shift in range(0, max(1, value.bit_length()), 7)]
    return bytes([*(septet | 0x80 for septet in septets[:-1]), septets[-1]])


def _constant_bytes(field: Field) -> bytes:
    value = field.value
    if isinstance(value, int) and field.type is FieldType.VARINT:
        return varint_bytes(value, field.signed)
    if isinstance(value, int):
        return value.to_bytes(field.size, "big", signed=field.signed)
    content = value.encode() if isinstance(value, str) else value or b""
    if field.type in (FieldType.STRING, FieldType.CHUNK):
        return len(content).to_bytes(field.size, "big") + content
    return content


def _constant(field: Field, reader: _Reader) -> Value:
    """Reads a constant, and returns its value. A frame that ends within it is truncated if all its bytes match."""
    assert field.value is not None
    expected = _constant_bytes(field)
    actual = reader.data[reader.at : reader.at + len(expected)]
    if actual != expected:
        raise reader.fault("truncated" if expected.startswith(actual) else "bad-constant")
    reader.take(len(expected))
    return field.value


def _value(field: Field, values: Mapping[str, Value], reader: _Reader) -> Value:
    """Reads one value at the reader's position."""
    reader.start = reader.at
    match field.type:
        case FieldType.NUMBER:
            number = reader.limited(reader.number(field.size, field.signed), field)
            return _member(number, field, reader)
        case FieldType.VARINT:
            return _member(reader.limited(_varint(field, reader), field), field, reader)
        case FieldType.STRING:
            return _member(_text(_counted(field, reader), field, reader), field, reader)
        case FieldType.CHUNK:
            return _counted(field, reader)
        case FieldType.STRINGS | FieldType.LIST:
            return _list(field, values, reader)
        case FieldType.HASH:
            turns = _turns(field, 5, values, reader)
            return [(_part(1, field, reader), _part(4, field, reader)) for _ in turns]
        case FieldType.REST:
            return reader.take(reader.limited(len(reader.data) - reader.at, field))
        case FieldType.UUID:
            return reader.take(16)
        case _:
            length = field.size if field.length is None else values[field.length]
            assert isinstance(length, int)
            return reader.take(reader.limited(length, field))


_Value = TypeVar("_Value", int, str)


def _member(value: _Value, field: Field, reader: _Reader) -> _Value:
    """Returns the value. Raises bad-constant unless the field's enumeration, if it has one, allows it."""
    if field.enumeration is None or (isinstance(value, str) and field.text is Text.OCTETS):
        return value
    known = [item.value for item in reader.enumerations[field.enumeration].members]
    mask = functools.reduce(operator.or_, (item for item in known if isinstance(item, int)), 0)
    flags = field.flags and isinstance(value, int)
    if value & ~mask if flags else value not in known:  # type: ignore[operator]
        raise reader.fault("bad-constant")
    return value


def _counted(field: Field, reader: _Reader) -> bytes:
    return reader.take(reader.limited(reader.number(field.size), field))


def _count(field: Field, least: int, values: Mapping[str, Value], reader: _Reader) -> int:
    """The number of items. Raises too-long above the maximum, and truncated if they cannot fit into the frame."""
    count = reader.number(field.size) if field.count is None else values[field.count]
    assert isinstance(count, int)
    reader.need(reader.limited(count, field) * least)
    return count


def _turns(field: Field, least: int, values: Mapping[str, Value], reader: _Reader) -> Iterator[int]:
    """Yields once per item: as many as are counted, or until the frame's end. Raises the faults of _count."""
    if not field.open_ended:
        yield from range(_count(field, least, values, reader))
        return
    begin, number = reader.at, 0
    while reader.at < len(reader.data):
        number += 1
        reader.start = begin
        yield reader.limited(number, field)


def _part(size: int, field: Field, reader: _Reader) -> str:
    """A string within a list or hash, after a length of `size` bytes."""
    reader.start = reader.at
    return _text(reader.take(reader.number(size)), field, reader)


def _list(field: Field, values: Mapping[str, Value], reader: _Reader) -> list[Value]:
    items = field.items
    if items is None:
        return [_part(4, field, reader) for _ in _turns(field, 4, values, reader)]
    if field.enumeration is not None:
        items = replace(items, enumeration=field.enumeration, flags=field.flags)
    least = {FieldType.VARINT: 1, FieldType.UUID: 16}.get(items.type, items.size)
    return [_value(items, values, reader) for _ in _turns(field, least, values, reader)]


def _varint(field: Field, reader: _Reader) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = reader.number(1)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    else:
        raise reader.fault("too-long")
    if value >= 1 << 64:
        raise reader.fault("too-long")
    return (value >> 1) ^ -(value & 1) if field.signed else value


def _text(content: bytes, field: Field, reader: _Reader) -> str:
    text = text_of(content, field.text)
    if text is None:
        raise reader.fault("bad-text")
    return text


def text_of(content: bytes, kind: Text) -> str | None:
    """Decodes text of that class; None if the bytes are not such text. Text of any bytes is decoded as Latin-1."""
    if kind is Text.OCTETS:
        return content.decode("latin-1")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if kind is Text.PRINTABLE and any(unicodedata.category(character) == "Cc" for character in text):
        return None
    if kind is Text.VCHAR and not all("\x21" <= character <= "\x7e" for character in text):
        return None
    return text


def completed(message: Message, field: str, fields: Sequence[Field]) -> list[Relation]:
    """The message's relations of which `field` is the last in wire order, except those with a field not in `fields`."""
    names = [item.name for item in fields]
    present = [relation for relation in message.relations if set(relation.fields) <= set(names)]
    return [relation for relation in present if max(relation.fields, key=names.index) == field]
