"""Vectors of a protocol's frames: every message with edge values, and invalid frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...compose import TOPIC, EncodeFault, encode, encode_frames, shown_fields
from ...interpret import DecodedField, decode, holds, present
from ...ir import Dispatch, Field, FieldType, Message, Protocol, Relation
from ...plan.layout import item_of, number_range
from .samples import BAD_TEXTS, CONTENT_MAX, Samples, controls

__all__ = ["FrameVector", "Messages", "UnencodableVector", "frame_vectors", "unencodable_vectors"]


@dataclass(frozen=True, slots=True)
class FrameVector:
    """The frames of one message (mostly one frame), valid or not, with a name; the expected result is not included."""

    name: str
    frames: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class UnencodableVector:
    """Values that `message` cannot encode."""

    name: str
    message: Message
    values: tuple[Any, ...]


class Messages:
    """The protocol's messages, with values."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.samples = Samples(protocol)
        self.all = present(protocol.messages, protocol)

    def fields(self, message: Message) -> tuple[Field, ...]:
        return shown_fields(self.protocol, message)

    def ordinary(self, message: Message) -> list[Any]:
        """Values of ordinary size."""
        values = [self._ordinary(message, field) for field in self.fields(message)]
        return self._related(message, self._agreed(message, values, None), None)

    def frames(self, message: Message) -> tuple[bytes, ...]:
        """The frames of the message with ordinary values."""
        return tuple(encode_frames(self.protocol, message, self.ordinary(message)))

    def edges(self, message: Message) -> Iterator[tuple[str, list[Any]]]:
        """The ordinary values, then those with one field at an edge, each with a name. All can be encoded."""
        yield "ordinary", self.ordinary(message)
        for index, field in enumerate(self.fields(message)):
            limit = self._limit(message, field)
            for name, value in self.samples.edges(field):
                if field is TOPIC and b"\0" in value:
                    continue
                if limit is None or len(value) <= limit:
                    values = self._with(message, index, value)
                    if not _is_refused(self.protocol, message, values):
                        yield f"{field.name}/{name}", values

    def beyond(self, message: Message) -> Iterator[tuple[str, list[Any]]]:
        """The ordinary values with one field out of range or a relation violated, each named; some can be encoded."""
        for index, field in enumerate(self.fields(message)):
            limit = self._limit(message, field)
            for name, value in self.samples.beyond(field):
                if limit is None or len(value) <= limit:
                    yield f"{field.name}/{name}", self._with(message, index, value)
            for number, relation in enumerate(message.relations):
                if field.name in relation.fields:
                    values = self.ordinary(message)
                    for name, value in self.samples.edges(field):
                        values[index] = value
                        if _is_refused(self.protocol, message, values):
                            yield f"{field.name}/{name} against relation {number + 1}", values
                            break
            if field is TOPIC:
                yield f"{field.name}/a zero byte", self._with(message, index, b"a\0b")
            if limit is not None and limit < CONTENT_MAX:
                many = self.samples.ordinary(field)[:1] * (limit + 1)
                if many:
                    yield f"{field.name}/{limit + 1} long", self._with(message, index, many)
            ordinary = self.ordinary(message)
            if limit is not None and self._siblings(message, field) and 0 < len(ordinary[index]) < limit:
                ordinary[index] = [*ordinary[index], *ordinary[index][:1]]
                yield f"{field.name}/one item more than its sibling", ordinary

    def _with(self, message: Message, index: int, value: Any) -> list[Any]:
        values = self.ordinary(message)
        values[index] = value
        return self._related(message, self._agreed(message, values, index), index)

    def _related(self, message: Message, values: list[Any], kept: int | None) -> list[Any]:
        """Changes numbers in `values`, except at `kept`, to make the relations true, if possible. Returns `values`."""
        places = {field.name: place for place, field in enumerate(self.fields(message))}
        relations = [item for item in message.relations if any(name in places for name in item.fields)]
        for relation in relations * len(relations):
            known = {name: values[place] for name, place in places.items() if isinstance(values[place], int)}
            known |= {
                counter.name: len(values[places[field.name]])
                for field in self.fields(message)
                if (counter := self._counter(message, field)) is not None
            }
            if not all(name in known for name in relation.fields) or holds(relation, known):
                continue
            for name in relation.fields:
                place = places.get(name)
                if place is None or place == kept:
                    continue
                field = self.fields(message)[place]
                for candidate in _candidates(relation, name, known):
                    if holds(relation, {**known, name: candidate}) and self._fits(field, candidate):
                        values[place] = candidate
                        break
        return values

    def _fits(self, field: Field, value: int) -> bool:
        least, most = number_range(field)
        return least <= value <= (most if field.max is None else min(most, field.max))

    def _counter(self, message: Message, field: Field) -> Field | None:
        name = field.count or field.length
        return next((other for other in message.fields if other.name == name), None)

    def _siblings(self, message: Message, field: Field) -> list[Field]:
        """The other lists that share their count with `field`."""
        counted = field.count is not None
        return [f for f in self.fields(message) if counted and f.count == field.count and f != field]

    def _limit(self, message: Message, field: Field) -> int | None:
        """The maximum of items or bytes by the field's number and the limits of its lists; None without a number."""
        counter = self._counter(message, field)
        if counter is None:
            return None
        most = number_range(counter)[1]
        limits = [most if counter.max is None else min(most, counter.max)]
        limits += [
            f.max for f in (field, *self._siblings(message, field)) if field.count and f.max is not None
        ]
        return min(limits)

    def _ordinary(self, message: Message, field: Field) -> Any:
        value, limit = self.samples.ordinary(field), self._limit(message, field)
        return value if limit is None else value[:limit]

    def _agreed(self, message: Message, values: list[Any], index: int | None) -> list[Any]:
        """Changes lists with a shared count to the length of the list at `index`, or of the first; returns `values`."""
        fields = self.fields(message)
        for count in {field.count for field in fields if field.count is not None}:
            group = [place for place, field in enumerate(fields) if field.count == count]
            length = len(values[index if index in group else group[0]])
            for place in group:
                item = self.samples.ordinary(item_of(fields[place]))
                values[place] = [*values[place], *[item] * length][:length]
        return values


def _candidates(relation: Relation, name: str, known: Mapping[str, int]) -> Iterator[int]:
    """Numbers near the other operand of a relation: the same, greater by one, and less by one but not negative."""
    others = [known[operand] for operand in relation.fields if operand != name]
    others += [relation.right] if isinstance(relation.right, int) else []
    for other in others:
        yield from (other, other + 1, max(other - 1, 0))


def frame_vectors(protocol: Protocol) -> list[FrameVector]:
    """Valid and invalid frames, those of :meth:`Messages.edges` first; of equal frames only the first is kept."""
    kept: dict[tuple[bytes, ...], FrameVector] = {}
    for vector in _frames(Messages(protocol)):
        kept.setdefault(vector.frames, vector)
    return list(kept.values())


def unencodable_vectors(protocol: Protocol) -> list[UnencodableVector]:
    """Messages that every encoder must reject."""
    messages = Messages(protocol)
    return [
        UnencodableVector(f"{message.name}/{name}", message, tuple(values))
        for message in messages.all
        for name, values in messages.beyond(message)
        if _is_refused(protocol, message, values)
    ]


def _is_refused(protocol: Protocol, message: Message, values: list[Any]) -> bool:
    try:
        encode_frames(protocol, message, values)
    except EncodeFault:
        return True
    return False


def _frames(messages: Messages) -> Iterator[FrameVector]:
    protocol = messages.protocol
    for message in messages.all:
        for name, values in messages.edges(message):
            yield FrameVector(f"{message.name}/{name}", tuple(encode_frames(protocol, message, values)))
    for message in messages.all:
        frame, *apart = messages.frames(message)
        for name, broken in _broken(messages, message):
            yield FrameVector(f"{message.name}/{name}", (broken, *apart))
        if apart:
            yield FrameVector(f"{message.name}/one frame less", (frame, *apart[:-1]))
            yield FrameVector(f"{message.name}/one frame", (frame,))
            yield FrameVector(f"{message.name}/frames that are empty", (frame, *(b"" for _ in apart)))
            yield FrameVector(f"{message.name}/one frame more", (frame, *apart, b""))
    for name, frame in _foreign(protocol):
        yield FrameVector(name, (frame,))


def _broken(messages: Messages, message: Message) -> Iterator[tuple[str, bytes]]:
    """The first frame of `message` with various errors, each with a name; some may be valid nevertheless."""
    frame, *apart = messages.frames(message)
    for size in range(len(frame)):
        yield f"cut after {size}", frame[:size]
    yield "one byte more", frame + b"\0"
    yield "a frame more", frame + frame
    parts = decode(messages.protocol, [frame, *apart]).fields
    for part in parts:
        if not part.frame:
            yield from _changed(messages.protocol, message, part, frame)
    for name, values in messages.beyond(message):
        encoded = _forced(messages.protocol, message, values)
        if encoded is not None:
            yield name, encoded
    yield from _bad_texts(messages, message)
    yield from _bad_ends(messages, message, frame)


def _forced(protocol: Protocol, message: Message, values: list[Any]) -> bytes | None:
    """The first frame from an encoder without checks; None if the values have no encoding."""
    try:
        return encode(protocol, message, values, checked=False)
    except EncodeFault:
        return None


def _changed(
    protocol: Protocol, message: Message, part: DecodedField, frame: bytes
) -> Iterator[tuple[str, bytes]]:
    """The frame with one of its parts changed in place, each with a name."""
    field = next((item for item in message.fields if item.name == part.name), None)
    end = part.offset + part.size
    head, old, tail = frame[: part.offset], frame[part.offset : end], frame[end:]
    if part.constant or field is None:
        for at in range(len(old)):
            changed = old[:at] + bytes([old[at] ^ 0x20]) + old[at + 1 :]
            yield f"{part.name}/byte {at} changed", head + changed + tail
        return
    if field.reserved:
        yield f"{part.name}/not zero", head + b"\xff" * len(old) + tail
        return
    size = _prefix(message, field)
    for name, number in _raised(field, int.from_bytes(old[:size], "big"), size):
        yield f"{part.name}/length {name}", head + number.to_bytes(size, "big") + old[size:] + tail
    if field.type is FieldType.VARINT:
        for name, encoded in _varints():
            yield f"{part.name}/{name}", head + encoded + tail


def _prefix(message: Message, field: Field) -> int:
    """The size in bytes of the length or count that the field begins with, or is; 0 without one."""
    measures = any(field.name in (other.count, other.length) for other in message.fields)
    if field.type in (FieldType.STRING, FieldType.CHUNK) or (field.type is FieldType.NUMBER and measures):
        return field.size
    if field.open_ended:
        return 0
    if field.type is FieldType.LIST and field.count is None:
        return field.size
    return 4 if field.type in (FieldType.STRINGS, FieldType.HASH) else 0


def _raised(field: Field, length: int, size: int) -> Iterator[tuple[str, int]]:
    if size == 0:
        return
    greatest = (1 << 8 * size) - 1
    yield "0", 0
    if length:
        yield "less by one", length - 1
    yield "raised by one", min(length + 1, greatest)
    yield "the greatest", greatest
    yield "the greatest signed", greatest >> 1
    if field.max is not None and field.max < greatest:
        yield "at the limit", field.max
        yield "beyond the limit", field.max + 1


def _varints() -> Iterator[tuple[str, bytes]]:
    yield "more bytes than necessary", b"\x85\x00"
    yield "ten bytes that fit", b"\xff" * 9 + b"\x01"
    yield "beyond 64 bits", b"\xff" * 9 + b"\x02"
    yield "eleven bytes", b"\x80" * 10 + b"\x01"
    yield "ten bytes without an end", b"\xff" * 10


def _bad_texts(messages: Messages, message: Message) -> Iterator[tuple[str, bytes]]:
    """Frames whose last field has invalid text and is cut short: the error is ``truncated``, not ``bad-text``."""
    fields = messages.fields(message)
    if not fields or fields[-1].type is not FieldType.STRING:
        return
    field = fields[-1]
    for name, text in (*BAD_TEXTS[:1], *controls(field.text)[:1]):
        values = [*messages.ordinary(message)[:-1], text + b"x"]
        encoded = _forced(messages.protocol, message, values)
        if encoded is not None:
            yield f"{field.name}/{name}, and cut short", encoded[:-1]


def _bad_ends(messages: Messages, message: Message, frame: bytes) -> Iterator[tuple[str, bytes]]:
    """Frames with errors in open-ended items; the first error in wire order counts."""
    fields = messages.fields(message)
    if not fields or not fields[-1].open_ended:
        return
    field, before = fields[-1], messages.ordinary(message)[:-1]
    yield f"{field.name}/the first byte of an item", frame + b"\xff"
    for name, value in messages.samples.beyond(field):
        encoded = _forced(messages.protocol, message, [*before, value])
        if encoded is not None:
            yield f"{field.name}/{name}, and one byte more", encoded + b"\xff"
    if field.max is not None and field.max <= CONTENT_MAX:
        many = [*before, messages.samples.ordinary(field)[:1] * field.max]
        whole = encode(messages.protocol, message, many)
        yield f"{field.name}/{field.max} items and one byte", whole + b"\xff"


def _foreign(protocol: Protocol) -> Iterator[tuple[str, bytes]]:
    """Frames with unknown ids, names or signatures, an empty frame, and frames of one byte, each with a name."""
    yield "nothing", b""
    for byte in (0x00, 0x01, 0xAA, 0xFF):
        yield f"one byte {byte:02x}", bytes([byte])
    ids = {message.id for message in protocol.messages}
    unknown = sorted({0, 255, max(ids) + 1} - ids)
    match protocol.dispatch:
        case Dispatch.SIGNATURE:
            ours = bytes((0xAA, 0xA0 | protocol.signature))
            yield from _unknown(ours, unknown)
            for other in (b"\xab" + ours[1:], ours[:1] + bytes([ours[1] ^ 1]), ours[::-1], bytes(2)):
                yield f"signature/{other.hex()}", other + bytes([min(ids)]) + bytes(8)
                yield f"signature/{other.hex()} alone", other
        case Dispatch.OCTET | Dispatch.PUBSUB:
            yield from _unknown(b"", unknown)
        case Dispatch.NAME:
            known = protocol.messages[0].name.encode()
            for name in (b"", b"NO", known + b"X", known.lower()):
                yield f"unknown/name {name.decode()!r}", bytes([len(name)]) + name
                yield f"unknown/name {name.decode()!r} and more", bytes([len(name)]) + name + bytes(9)
        case Dispatch.CONSTANT:
            yield "unknown/zeros", bytes(40)


def _unknown(beginning: bytes, numbers: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    for number in numbers:
        yield f"unknown/id {number}", beginning + bytes([number])
        yield f"unknown/id {number} and more", beginning + bytes([number]) + bytes(20)
