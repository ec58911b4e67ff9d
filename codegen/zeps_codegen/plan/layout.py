"""The layout of each message on the wire, independent of languages.

Targets add their names to this. The constants to compare, the order of the fields, and the fields of message objects
are decided here for all languages. The following kinds of place need explanation.

*Open-ended* (``place.field.open_ended``: a list or a hash of size 0 without a count) is the last place inside the
frame. It has no count on the wire. A decoder reads items until the end of the frame; the list may be empty, and each
item has at least one byte. Checks follow wire order: before an item is read, ``too-long`` (at the field's own offset)
if `max` items have been read; then the item, with the errors of an item of any list. An item that the end of the frame
cuts is ``truncated`` (at the item's offset) if the items before it are valid. Bytes cannot be trailing. An encoder
compares the number of items with `max` and writes the items in sequence. `least_size` of this place is 0.

*Reserved* (``place.field.reserved``) is a place of `size` bytes, which may be 0; its type is always
FieldType.OCTETS, even if the model declares a number. It has no value: it is absent from message objects,
constructors, machines and printed values. A decoder skips it, and reports ``truncated`` (at its offset) if the frame
ends inside; an encoder writes zeros. It is not a constant: `head` ends before it, and has no `constant`.

*A hash* is a list of pairs in wire order, not a mapping; equal keys are kept, so that encoding a decoded hash gives the
same bytes. Key and value have the hash's class of text.

*A message without leading constants* is the only message of its protocol, which dispatches by constants: `dispatch` is
empty, every frame is this message, and ``unknown-message`` does not occur. `head` may be empty as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..ir import Dispatch, Field, FieldType, Message, Protocol

__all__ = [
    "Layout",
    "Place",
    "constant_bytes",
    "is_measured",
    "item_of",
    "layouts",
    "least_size",
    "leb128",
]
__all__ += ["number_range"]


@dataclass(frozen=True, slots=True)
class Place:
    """A field of the protocol's version; `measures` are the shown siblings that it counts or measures."""

    field: Field
    measures: tuple[Field, ...] = ()
    shown: bool = True

    @property
    def constant(self) -> bytes | None:
        """A constant's bytes on the wire; None for a variable field."""
        return None if self.field.value is None else constant_bytes(self.field)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a message. Shown fields are those of message objects: not constant, reserved or derived."""

    message: Message
    dispatch: bytes  # the bytes that the dispatcher compares
    dispatch_size: int  # the number of these bytes that the decoder does not check again
    head: bytes  # leading bytes before the first variable field
    head_constants: tuple[Place, ...]  # the constant fields in the head
    places: tuple[Place, ...]  # the fields after the head, in wire order
    has_topic: bool = False  # pub/sub: a topic and a zero byte follow the id

    @property
    def shown(self) -> tuple[Field, ...]:
        """The fields of a message object, in wire order, without the topic."""
        return tuple(place.field for place in self.places if place.shown)

    @property
    def has_frames(self) -> bool:
        """Whether the message has fields that are ZeroMQ frames."""
        return any(place.field.type in (FieldType.FRAME, FieldType.MSG) for place in self.places)

    @property
    def least(self) -> int:
        """The minimum size in bytes of the message's first frame with all its fields, without the topic of pub/sub."""
        return len(self.head) + sum(least_size(place.field) for place in self.places)


def layouts(protocol: Protocol) -> list[Layout]:
    """The layouts of the version's messages. Equal first constants mean dispatch by all leading constants."""
    chosen = protocol.current
    firsts = [_first_constant(message, protocol) for message in chosen]
    result = []
    for message, first in zip(chosen, firsts, strict=True):
        unique = protocol.dispatch is not Dispatch.CONSTANT or firsts.count(first) == 1
        result.append(_layout(message, protocol, unique))
    return result


def number_range(field: Field) -> tuple[int, int]:
    """The least and the greatest number that the field's bytes can hold."""
    bits = 64 if field.type is FieldType.VARINT else 8 * field.size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if field.signed else (0, (1 << bits) - 1)


def constant_bytes(field: Field) -> bytes:
    """The encoding of a constant field. Raises ValueError if its type cannot be constant."""
    value = field.value
    if field.type is FieldType.NUMBER and isinstance(value, int):
        return value.to_bytes(field.size, "big", signed=field.signed)
    if field.type is FieldType.VARINT and isinstance(value, int):
        return leb128((value << 1) ^ (value >> 63) if field.signed else value)
    content = value.encode() if isinstance(value, str) else value
    if isinstance(content, bytes):
        if field.type in (FieldType.STRING, FieldType.CHUNK):
            return len(content).to_bytes(field.size, "big") + content
        if field.type in (FieldType.OCTETS, FieldType.REST):
            return content
    raise ValueError(f"{field.name}: a {field.type.value} cannot be the constant {value!r}")


def least_size(field: Field) -> int:
    """The minimum size of the field in bytes, including its length or count; 0 for a ZeroMQ frame."""
    if field.value is not None:
        return len(constant_bytes(field))
    match field.type:
        case FieldType.NUMBER | FieldType.STRING | FieldType.CHUNK:
            return field.size
        case FieldType.VARINT:
            return 1
        case FieldType.STRINGS | FieldType.HASH:
            return 0 if field.open_ended else 4
        case FieldType.LIST:
            return field.size
        case FieldType.OCTETS:
            return 0 if field.length else field.size
        case _:
            return 0


def item_of(field: Field) -> Field:
    """An item of a list, with the list's enumeration; for fields without `items` a text after a length of 4 bytes."""
    if field.items is None:
        return Field("item", FieldType.STRING, size=4, text=field.text)
    if field.enumeration is None:
        return field.items
    return replace(field.items, enumeration=field.enumeration, flags=field.flags)


def is_measured(field: Field, other: Field) -> bool:
    """Whether `field` counts or measures `other`."""
    return field.name in (other.count, other.length)


def leb128(value: int) -> bytes:
    """Encodes an unsigned number in LEB128."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _present(message: Message, protocol: Protocol) -> list[Field]:
    """The version's fields: `strings` as a list, `uuid` and reserved as octets, a list's enumeration on items."""
    fields = []
    for field in message.fields:
        if not protocol.has(field):
            continue
        if field.type is FieldType.STRINGS:
            size = 0 if field.open_ended else 4
            field = replace(field, type=FieldType.LIST, size=size, items=item_of(field))
        if field.type is FieldType.UUID:
            field = replace(field, type=FieldType.OCTETS, size=16)
        if field.reserved:
            field = replace(field, type=FieldType.OCTETS, signed=False)
        if field.items is not None and field.items.type is FieldType.UUID:
            field = replace(field, items=replace(field.items, type=FieldType.OCTETS, size=16))
        if field.type is FieldType.LIST and field.enumeration is not None:
            field = replace(field, items=item_of(field), enumeration=None, flags=False)
        fields.append(field)
    return fields


def _first_constant(message: Message, protocol: Protocol) -> bytes:
    fields = _present(message, protocol)
    return constant_bytes(fields[0]) if fields and fields[0].value is not None else b""


def _layout(message: Message, protocol: Protocol, unique: bool) -> Layout:
    fields = _present(message, protocol)
    hidden = {field.name for field in fields if field.hidden}
    hidden |= {field.name for field in fields if any(is_measured(field, other) for other in fields)}
    places = [
        Place(
            field,
            tuple(other for other in fields if is_measured(field, other) and other.name not in hidden),
            field.name not in hidden,
        )
        for field in fields
    ]
    split = 0
    if protocol.dispatch is not Dispatch.PUBSUB:
        while split < len(places) and places[split].constant is not None:
            split += 1
    beginning = _beginning(message, protocol)
    head = beginning + b"".join(place.constant or b"" for place in places[:split])
    compared, seen = beginning, len(beginning)
    if protocol.dispatch is Dispatch.CONSTANT:
        compared = (places[0].constant or b"") if unique and split else head
        seen = 0
    return Layout(
        message,
        compared,
        seen,
        head,
        tuple(places[:split]),
        tuple(places[split:]),
        protocol.dispatch is Dispatch.PUBSUB,
    )


def _beginning(message: Message, protocol: Protocol) -> bytes:
    match protocol.dispatch:
        case Dispatch.SIGNATURE:
            return bytes([0xAA, 0xA0 | protocol.signature, message.id])
        case Dispatch.PUBSUB | Dispatch.OCTET:
            return bytes([message.id])
        case Dispatch.NAME:
            return bytes([len(message.name)]) + message.name.encode()
        case Dispatch.CONSTANT:
            return b""
