"""Decode a frame straight from the IR, slowly and plainly: what `zeps-codegen decode` shows.

Nothing here is shared with generated code, so that the two can be compared. Errors have the names that every
generated decoder has: truncated, trailing, bad-signature, unknown-message, bad-constant, bad-text, too-long.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from .ir import Dispatch, Field, FieldType, Message, Protocol, Text

__all__ = ["DecodeFault", "Decoded", "DecodedField", "Value", "decode"]

Value = int | str | bytes | Sequence["Value"] | Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class DecodedField:
    """A field, or another part of the frame. `offset` and `size` are in octets of frame number `frame`."""

    name: str
    value: Value
    offset: int
    size: int
    frame: int = 0
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    message: Message
    fields: tuple[DecodedField, ...]
    topic: bytes | None = None


class DecodeFault(Exception):  # noqa: N818 (the frame's, not ours)
    """A frame that is not of the protocol. `offset` is where, in octets from the start of the frame."""

    def __init__(self, code: str, offset: int, message: str | None = None, field: str | None = None) -> None:
        self.code, self.offset, self.message, self.field = code, offset, message, field
        where = ".".join(part for part in (message, field) if part)
        super().__init__(f"{code}: {where} at octet {offset}" if where else f"{code} at octet {offset}")


@dataclass(slots=True)
class _Reader:
    data: bytes
    message: str | None = None
    field: str | None = None
    at: int = 0

    def fault(self, code: str, offset: int | None = None) -> DecodeFault:
        return DecodeFault(code, self.at if offset is None else offset, self.message, self.field)

    def take(self, count: int) -> bytes:
        """The next `count` octets; truncated if there are fewer, before anything is allocated for them."""
        if count > len(self.data) - self.at:
            raise self.fault("truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)


def decode(protocol: Protocol, frames: Sequence[bytes]) -> Decoded:
    """The message in `frames` (most messages have one). DecodeFault if it is none of the protocol's."""
    if not frames:
        raise DecodeFault("truncated", 0)
    reader = _Reader(bytes(frames[0]))
    head, message, topic = _dispatch(protocol, reader)
    reader.message = message.name
    fields = list(head)
    values: dict[str, Value] = {}
    following = 1
    for field in message.fields:
        reader.field = field.name
        if field.type is FieldType.MSG:
            for number, frame in enumerate(frames[following:], start=following):
                fields.append(DecodedField(field.name, bytes(frame), 0, len(frame), number))
            following = len(frames)
            continue
        if field.type is FieldType.FRAME:
            if following >= len(frames):
                raise reader.fault("truncated")
            frame = bytes(frames[following])
            fields.append(DecodedField(field.name, frame, 0, len(frame), following))
            following += 1
            continue
        start = reader.at
        values[field.name] = _field(field, values, reader)
        constant = field.value is not None
        fields.append(DecodedField(field.name, values[field.name], start, reader.at - start, 0, constant))
    reader.field = None
    if reader.at < len(reader.data):
        raise reader.fault("trailing")
    if following < len(frames):
        raise DecodeFault("trailing", 0, message.name)
    return Decoded(message, tuple(fields), topic)


def _dispatch(protocol: Protocol, reader: _Reader) -> tuple[list[DecodedField], Message, bytes | None]:
    """What comes before the first field, and the message that it names."""
    if protocol.dispatch is Dispatch.CONSTANT:
        return [], _by_constant(protocol, reader), None
    head: list[DecodedField] = []
    topic: bytes | None = None
    if protocol.dispatch is Dispatch.SIGNATURE:
        wanted = bytes((0xAA, 0xA0 | protocol.signature))
        for index in range(2):
            if reader.take(1)[0] != wanted[index]:
                raise reader.fault("bad-signature", index)
        head.append(DecodedField("signature", wanted, 0, 2, constant=True))
    if protocol.dispatch is Dispatch.NAME:
        start = reader.at
        name = reader.take(reader.number(1))
        found = [item for item in protocol.messages if item.name.encode() == name]
        head.append(DecodedField("name", name, start, reader.at - start))
    else:
        start = reader.at
        number = reader.number(1)
        found = [item for item in protocol.messages if item.id == number]
        head.append(DecodedField("id", number, start, 1))
    if not found:
        raise reader.fault("unknown-message", start)
    if protocol.dispatch is Dispatch.PUBSUB:
        start = reader.at
        end = reader.data.find(b"\0", start)
        reader.message, reader.field = found[0].name, "topic"
        if end < 0:
            raise reader.fault("truncated", len(reader.data))
        topic = reader.take(end - start)
        reader.take(1)
        head.append(DecodedField("topic", topic, start, reader.at - start))
    return head, found[0], topic


def _by_constant(protocol: Protocol, reader: _Reader) -> Message:
    """The message that begins with the octets that are there; truncated if they could still become one."""
    short = False
    for message in protocol.messages:
        first = message.fields[0]
        constant = _constant_octets(first)
        if reader.data.startswith(constant):
            return message
        short = short or constant.startswith(reader.data)
    raise reader.fault("truncated" if short else "unknown-message", len(reader.data) if short else 0)


def _constant_octets(field: Field) -> bytes:
    value = field.value
    if isinstance(value, int):
        return value.to_bytes(field.size, "big", signed=field.signed)
    octets = value.encode() if isinstance(value, str) else value or b""
    if field.type in (FieldType.STRING, FieldType.CHUNK):
        return len(octets).to_bytes(field.size, "big") + octets
    return octets


def _field(field: Field, values: dict[str, Value], reader: _Reader) -> Value:
    start = reader.at
    value = _value(field, values, reader)
    if field.value is not None and value != field.value:
        raise reader.fault("bad-constant", start)
    return value


def _value(field: Field, values: dict[str, Value], reader: _Reader) -> Value:
    start = reader.at
    if field.type is FieldType.NUMBER:
        return _limited(reader.number(field.size, field.signed), field, reader, start)
    if field.type is FieldType.VARINT:
        return _limited(_varint(field, reader), field, reader, start)
    if field.type is FieldType.STRING:
        return _text(_counted(field, reader), field, reader)
    if field.type is FieldType.CHUNK:
        return _counted(field, reader)
    if field.type is FieldType.STRINGS:
        return [_long_string(field, reader) for _ in range(_count(field, reader, 4))]
    if field.type is FieldType.HASH:
        return [
            (_text(reader.take(reader.number(1)), field, reader), _long_string(field, reader))
            for _ in range(_count(field, reader, 5))
        ]
    if field.type is FieldType.LIST:
        return _list(field, values, reader)
    if field.type is FieldType.REST:
        return reader.take(_limited(len(reader.data) - reader.at, field, reader, start))
    length = values.get(field.length) if field.length is not None else field.size
    assert isinstance(length, int)
    return reader.take(_limited(length, field, reader, start))


def _limited(value: int, field: Field, reader: _Reader, offset: int) -> int:
    if field.max is not None and value > field.max:
        raise reader.fault("too-long", offset)
    return value


def _counted(field: Field, reader: _Reader) -> bytes:
    start = reader.at
    return reader.take(_limited(reader.number(field.size), field, reader, start))


def _count(field: Field, reader: _Reader, least: int) -> int:
    """A count of items of at least `least` octets each, compared with what is left."""
    start = reader.at
    count = _limited(reader.number(field.size), field, reader, start)
    if count * least > len(reader.data) - reader.at:
        raise reader.fault("truncated")
    return count


def _long_string(field: Field, reader: _Reader) -> str:
    return _text(reader.take(reader.number(4)), field, reader)


def _list(field: Field, values: dict[str, Value], reader: _Reader) -> list[Value]:
    items = field.items
    assert items is not None
    least = {FieldType.VARINT: 1, FieldType.UUID: 16}.get(items.type, items.size)
    if field.count is None:
        count = _count(field, reader, least)
    else:
        counted = values[field.count]
        assert isinstance(counted, int)
        count = _limited(counted, field, reader, reader.at)
        if count * least > len(reader.data) - reader.at:
            raise reader.fault("truncated")
    return [_value(items, values, reader) for _ in range(count)]


def _varint(field: Field, reader: _Reader) -> int:
    start, value = reader.at, 0
    for shift in range(0, 70, 7):
        octet = reader.number(1)
        value |= (octet & 0x7F) << shift
        if octet < 0x80:
            break
    else:
        raise reader.fault("too-long", start)
    if value >= 1 << 64:
        raise reader.fault("too-long", start)
    return (value >> 1) ^ -(value & 1) if field.signed else value


def _text(octets: bytes, field: Field, reader: _Reader) -> str:
    start = reader.at - len(octets)
    if field.text is Text.OCTETS:
        return octets.decode("latin-1")
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError as error:
        raise reader.fault("bad-text", start + error.start) from None
    for index, character in enumerate(text):
        printable = unicodedata.category(character) != "Cc"
        allowed = printable if field.text is Text.PRINTABLE else "\x21" <= character <= "\x7e"
        if field.text is not Text.UTF8 and not allowed:
            raise reader.fault("bad-text", start + len(text[:index].encode()))
    return text
