"""What the emitters know of a message: its names in Python, its head, and its fields in their order."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass

from ...ir import Field, FieldType, Message, Protocol, Text
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.layout import Layout, Place, constant_octets, layouts
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
    "enumeration_name",
    "item_annotation",
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
    """A field and its names. `attribute` is None for what no message shows: constants, what is reserved, derived
    numbers.
    """

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
        case FieldType.HASH | FieldType.LIST:
            return f"tuple[{item_annotation(field)}, ...]"
        case FieldType.MSG:
            return "tuple[bytes, ...]"
        case _:
            return "bytes"


def item_annotation(field: Field) -> str:
    """The type of one item of a list, or of a hash."""
    if field.items is not None:
        return annotation(field.items)
    part = "bytes" if field.text is Text.OCTETS else "str"
    return f"tuple[{part}, {part}]"


def plan_messages(protocol: Protocol) -> list[MessagePlan]:
    """The plans of the messages that the protocol's version has."""
    return [_plan(layout) for layout in layouts(protocol)]


def _plan(layout: Layout) -> MessagePlan:
    slots = _slots((*layout.head_constants, *layout.places))
    split = len(layout.head_constants)
    topic = None
    if layout.has_topic:
        taken = {slot.attribute for slot in slots if slot.attribute is not None}
        name = usable("topic", "python", taken)
        topic = Slot(Field("topic", FieldType.STRING), name, name, "str")
    message = layout.message
    return MessagePlan(
        message,
        class_name(message.name),
        snake(message.name),
        screaming(message.name),
        layout.dispatch,
        layout.dispatch_size,
        layout.head,
        tuple(slots[:split]),
        tuple(slots[split:]),
        topic,
    )


def _slots(places: Sequence[Place]) -> list[Slot]:
    attributes = Scope("python", MEMBERS)
    locals_ = Scope("python", LOCALS)
    names = {place.field.name: attributes.name(snake(place.field.name)) for place in places if place.shown}
    slots = []
    for place in places:
        field = place.field
        measures = tuple(names[other.name] for other in place.measures)
        constant = attributes.name(screaming(field.name)) if field.value is not None else None
        local = locals_.name(snake(field.name))
        slots.append(Slot(field, local, names.get(field.name), annotation(field), constant, measures))
    return slots
