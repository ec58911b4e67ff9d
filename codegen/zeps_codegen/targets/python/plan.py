"""What the emitters know of a message: its names in Python, its head, and its fields in their order."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, replace

from ...ir import Dispatch, Field, FieldType, Message, Protocol, Text
from ...naming import Scope, pascal, screaming, snake, usable
from .offers import names_offered

__all__ = [
    "CLASSES",
    "CODES",
    "Formats",
    "MessagePlan",
    "Slot",
    "annotation",
    "attribute_name",
    "class_name",
    "constant_octets",
    "enumeration_name",
    "least_octets",
    "number_range",
    "plan_messages",
]

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}

#: What a field's attribute may not be called: the members that every message has, and the types of attributes.
MEMBERS = frozenset({"ID", "NAME", "encode", "encode_frames", "size", "int", "str", "bytes", "tuple"})
#: What the statements of decoders and encoders call their own, or call.
LOCALS = names_offered() | {"data", "message", "frames", "frame", "offset", "head", "decoder"}
LOCALS |= {name for name in dir(builtins) if name.islower()}
#: What a message's or an enumeration's class may not be called.
CLASSES = names_offered() | {"Message"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `attribute` is None for what no message shows: constants, derived numbers."""

    field: Field
    local: str
    attribute: str | None
    annotation: str
    constant: str | None = None  # the name of a constant's class variable
    measures: tuple[str, ...] = ()  # derived: the attributes that it counts or measures

    @property
    def octets(self) -> bytes | None:
        """A constant's octets on the wire."""
        return None if self.field.value is None else constant_octets(self.field)


@dataclass(frozen=True, slots=True)
class MessagePlan:
    message: Message
    class_name: str
    lower: str  # as part of a function's name
    upper: str  # as part of a constant's name
    dispatch: bytes  # the octets that the dispatcher compares
    dispatch_size: int  # octets of them that the decoder need not look at again
    head: bytes  # leading octets before the first field that varies
    head_constants: tuple[Slot, ...]  # the constant fields in the head
    slots: tuple[Slot, ...]  # the fields after the head, in the order of the wire
    topic: Slot | None  # pub/sub: what stands before the fields

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the class has attributes for."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.attribute is not None)

    @property
    def constants(self) -> tuple[Slot, ...]:
        return tuple(s for s in (*self.head_constants, *self.slots) if s.constant is not None)

    @property
    def has_frames(self) -> bool:
        return any(slot.field.type in (FieldType.FRAME, FieldType.MSG) for slot in self.slots)

    def named(self, field: str | None) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots if slot.field.name == field)


_VERBS = {"pack": "pack", "unpack": "unpack_all", "unpack_from": "unpack"}


class Formats:
    """The struct formats that a module uses, each compiled once, in the order of their names."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}

    def use(self, method: str, codes: str) -> str:
        """The name of the function that packs (`pack`) or unpacks `codes`: all there is, or `unpack_from` a place."""
        name = f"_{_VERBS[method]}_{_spell(codes)}"
        self._names[name] = (method, codes)
        return name

    def listed(self) -> list[tuple[str, str, str]]:
        """Each (name, method, format)."""
        return [(name, method, f">{codes}") for name, (method, codes) in sorted(self._names.items())]


def _spell(codes: str) -> str:
    parts: list[str] = []
    digits = ""
    for code in codes:
        if code.isdigit():
            digits += code
            continue
        if code in "sx":
            parts.append(f"{code}{digits}")
        else:
            size = next(size for size, letter in CODES.items() if letter == code.upper())
            parts.append(f"{'u' if code.isupper() else 'i'}{size}")
        digits = ""
    return "_".join(parts)


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
        return _varint((value << 1) ^ (value >> 63) if field.signed else value)
    content = value.encode() if isinstance(value, str) else value
    if isinstance(content, bytes):
        if field.type in (FieldType.STRING, FieldType.CHUNK):
            return len(content).to_bytes(field.size, "big") + content
        if field.type in (FieldType.OCTETS, FieldType.REST):
            return content
    raise ValueError(f"{field.name}: a {field.type.value} cannot be the constant {value!r}")


def _varint(value: int) -> bytes:
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*octets, value])


def least_octets(field: Field) -> int:
    """The fewest octets that a value of the field takes."""
    match field.type:
        case FieldType.NUMBER | FieldType.STRING | FieldType.CHUNK:
            return field.size
        case FieldType.VARINT:
            return 1
        case FieldType.STRINGS | FieldType.HASH:
            return 4
        case FieldType.LIST:
            return field.size
        case FieldType.OCTETS:
            return 0 if field.length else field.size
        case _:
            return 0


def class_name(message: str) -> str:
    """The class of the message called `message`."""
    return usable(pascal(message), "python", CLASSES)


def enumeration_name(enumeration: str) -> str:
    """The class of an enumeration; should a message have the name, the front end has said so."""
    return usable(pascal(enumeration), "python", CLASSES)


def attribute_name(field: str) -> str:
    """The attribute of the field called `field`, as long as no other field of the message claims it."""
    return usable(snake(field), "python", MEMBERS)


def annotation(field: Field) -> str:
    """The type of the field's attribute."""
    if field.enumeration is not None:
        return enumeration_name(field.enumeration)
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return "int"
        case FieldType.STRING:
            return "bytes" if field.text is Text.OCTETS else "str"
        case FieldType.STRINGS:
            return "tuple[bytes, ...]" if field.text is Text.OCTETS else "tuple[str, ...]"
        case FieldType.HASH:
            return "Mapping[bytes, bytes]" if field.text is Text.OCTETS else "Mapping[str, str]"
        case FieldType.LIST:
            assert field.items is not None
            return f"tuple[{annotation(field.items)}, ...]"
        case FieldType.MSG:
            return "tuple[bytes, ...]"
        case _:
            return "bytes"


def plan_messages(protocol: Protocol) -> list[MessagePlan]:
    """The plans of the messages that the protocol's version has."""
    chosen = [m for m in protocol.messages if _is_in(m.since, m.until, protocol.version)]
    firsts = [_first_constant(message, protocol) for message in chosen]
    plans = []
    for message, first in zip(chosen, firsts, strict=True):
        unique = protocol.dispatch is not Dispatch.CONSTANT or firsts.count(first) == 1
        plans.append(_plan(message, protocol, unique))
    return plans


def _is_in(since: int, until: int | None, version: int) -> bool:
    return since <= version and (until is None or version <= until)


def _present(message: Message, protocol: Protocol) -> list[Field]:
    """The fields of the protocol's version; `strings` and `uuid` are spelled as the list and octets they are."""
    fields = []
    for field in message.fields:
        if not _is_in(field.since, field.until, protocol.version):
            continue
        if field.type is FieldType.STRINGS:
            item = Field("item", FieldType.STRING, size=4, text=field.text)
            field = replace(field, type=FieldType.LIST, size=4, items=item)
        if field.type is FieldType.UUID:
            field = replace(field, type=FieldType.OCTETS, size=16)
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


def _plan(message: Message, protocol: Protocol, unique: bool) -> MessagePlan:
    slots = _slots(message, protocol)
    split = 0
    topic = None
    if protocol.dispatch is Dispatch.PUBSUB:
        taken = {slot.attribute for slot in slots if slot.attribute is not None}
        name = usable("topic", "python", taken)
        topic = Slot(Field("topic", FieldType.STRING), name, name, "str")
    else:
        while split < len(slots) and slots[split].octets is not None:
            split += 1
    beginning = _beginning(message, protocol)
    head = beginning + b"".join(slot.octets or b"" for slot in slots[:split])
    compared = beginning
    seen = len(beginning)
    if protocol.dispatch is Dispatch.CONSTANT:
        compared = (slots[0].octets or b"") if unique and split else head
        seen = 0
    return MessagePlan(
        message,
        class_name(message.name),
        snake(message.name),
        screaming(message.name),
        compared,
        seen,
        head,
        tuple(slots[:split]),
        tuple(slots[split:]),
        topic,
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


def _slots(message: Message, protocol: Protocol) -> list[Slot]:
    fields = _present(message, protocol)
    attributes = Scope("python", MEMBERS)
    locals_ = Scope("python", LOCALS)
    names: dict[str, str] = {}
    for field in fields:
        if field.value is None and not field.derived and not _measured(field, fields):
            names[field.name] = attributes.name(snake(field.name))
    slots = []
    for field in fields:
        measures = tuple(names[other.name] for other in _measured(field, fields) if other.name in names)
        constant = attributes.name(screaming(field.name)) if field.value is not None else None
        local = locals_.name(snake(field.name))
        slots.append(Slot(field, local, names.get(field.name), annotation(field), constant, measures))
    return slots


def _measured(field: Field, fields: list[Field]) -> list[Field]:
    return [other for other in fields if field.name in (other.count, other.length)]
