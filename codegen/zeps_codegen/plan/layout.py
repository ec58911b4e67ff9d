"""How each message lies on the wire, before any language has named anything.

Targets lay their names over this; what is compared, in which order fields stand, and which of them a message
shows is decided here, once for all languages. What follows is what each of them makes of a place.

*Open-ended* (``place.field.open_ended``: a list or a hash of size 0 without a count) is the last place inside the
frame. It has no count on the wire. A decoder reads items until the frame ends; none is fine, and each takes at
least one octet. Things are looked at in the order of the wire: before an item is read, ``too-long`` (at the
field's own offset) if there are `max` items already; then the item, with the errors that it has in any list, so
that one which the frame cuts short is ``truncated`` (at the item's offset), and only if the items before it are
right. Nothing can be trailing. An encoder compares the number of items with `max` and writes them one after the
other. `least_octets` of such a place is 0.

*Reserved* (``place.field.reserved``) is a place of `size` octets, which may be 0; it always is FieldType.OCTETS, also
if the model calls it a number. It has no value: a message does not show it, and neither do constructors, machines
or what tells a message's values. A decoder steps over it, ``truncated`` (at its offset) if the frame ends inside;
an encoder writes zeros. It is no constant: `head` ends before it, and `octets` is None.

*A hash* is its pairs, in the order of the wire, equal keys among them, so that encoding what was decoded gives
the same octets: a list of pairs, and no mapping. Key and value have the hash's class of text.

*A message that begins with nothing* is the only one of its protocol, whose dispatch is by constants: `dispatch`
is empty, every frame is that message, and there is no ``unknown-message``. `head` may be empty as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..ir import Dispatch, Field, FieldType, Message, Protocol

__all__ = ["Layout", "Place", "constant_octets", "is_measured", "layouts", "least_octets", "leb128"]
__all__ += ["number_range"]


@dataclass(frozen=True, slots=True)
class Place:
    """A field as the protocol's version has it; `measures` are the shown siblings that it counts or measures."""

    field: Field
    measures: tuple[Field, ...] = ()
    shown: bool = True

    @property
    def octets(self) -> bytes | None:
        """A constant's octets on the wire; None for a field that varies."""
        return None if self.field.value is None else constant_octets(self.field)


@dataclass(frozen=True, slots=True)
class Layout:
    """One message. A shown field is one that a message object has: neither constant, nor reserved, nor derived."""

    message: Message
    dispatch: bytes  # the octets that the dispatcher compares
    dispatch_size: int  # octets of them that the decoder need not look at again
    head: bytes  # leading octets before the first field that varies
    head_constants: tuple[Place, ...]  # the constant fields in the head
    places: tuple[Place, ...]  # the fields after the head, in the order of the wire
    has_topic: bool = False  # pub/sub: a topic and a zero octet stand between id and fields

    @property
    def shown(self) -> tuple[Field, ...]:
        """The fields of a message object, in the order of the wire; without the topic."""
        return tuple(place.field for place in self.places if place.shown)

    @property
    def has_frames(self) -> bool:
        """Whether it takes ZeroMQ frames of its own."""
        return any(place.field.type in (FieldType.FRAME, FieldType.MSG) for place in self.places)

    @property
    def least(self) -> int:
        """The fewest octets of its frame."""
        return len(self.head) + sum(least_octets(place.field) for place in self.places)


def layouts(protocol: Protocol) -> list[Layout]:
    """The messages that the protocol's version has. Two whose first constant is the same are told apart by all
    the constants that they begin with.
    """
    chosen = protocol.current
    firsts = [_first_constant(message, protocol) for message in chosen]
    found = []
    for message, first in zip(chosen, firsts, strict=True):
        unique = protocol.dispatch is not Dispatch.CONSTANT or firsts.count(first) == 1
        found.append(_layout(message, protocol, unique))
    return found


def number_range(field: Field) -> tuple[int, int]:
    """The least and the greatest number that the field's octets hold."""
    bits = 64 if field.type is FieldType.VARINT else 8 * field.size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if field.signed else (0, (1 << bits) - 1)


def constant_octets(field: Field) -> bytes:
    """What a constant looks like on the wire. ValueError if its type cannot be constant."""
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


def least_octets(field: Field) -> int:
    """The fewest octets that a value of the field takes."""
    if field.value is not None:
        return len(constant_octets(field))
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


def is_measured(field: Field, other: Field) -> bool:
    """Whether `field` counts or measures `other`."""
    return field.name in (other.count, other.length)


def leb128(value: int) -> bytes:
    """A natural number in LEB128."""
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*octets, value])


def _present(message: Message, protocol: Protocol) -> list[Field]:
    """The fields of the protocol's version; `strings` and `uuid` are spelled as the list and octets they are, and
    whatever is reserved as octets.
    """
    fields = []
    for field in message.fields:
        if not protocol.has(field):
            continue
        if field.type is FieldType.STRINGS:
            item = Field("item", FieldType.STRING, size=4, text=field.text)
            field = replace(field, type=FieldType.LIST, size=0 if field.open_ended else 4, items=item)
        if field.type is FieldType.UUID:
            field = replace(field, type=FieldType.OCTETS, size=16)
        if field.reserved:
            field = replace(field, type=FieldType.OCTETS, signed=False)
        if field.items is not None and field.items.type is FieldType.UUID:
            field = replace(field, items=replace(field.items, type=FieldType.OCTETS, size=16))
        if field.type is FieldType.LIST and field.enumeration is not None and field.items is not None:
            item = replace(field.items, enumeration=field.enumeration, flags=field.flags)
            field = replace(field, items=item, enumeration=None, flags=False)
        fields.append(field)
    return fields


def _first_constant(message: Message, protocol: Protocol) -> bytes:
    fields = _present(message, protocol)
    return constant_octets(fields[0]) if fields and fields[0].value is not None else b""


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
        while split < len(places) and places[split].octets is not None:
            split += 1
    beginning = _beginning(message, protocol)
    head = beginning + b"".join(place.octets or b"" for place in places[:split])
    compared, seen = beginning, len(beginning)
    if protocol.dispatch is Dispatch.CONSTANT:
        compared = (places[0].octets or b"") if unique and split else head
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
