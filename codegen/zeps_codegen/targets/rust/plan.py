"""What the emitters know of a message: its names and types in Rust, its head, and its fields in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ir import Enumeration, Field, FieldType, Protocol, Text
from ...naming import Scope, pascal, snake, usable
from ...plan.layout import Layout, Place, layouts
from ..errors import UnsupportedByTarget

__all__ = [
    "MessagePlan",
    "Names",
    "Slot",
    "class_name",
    "enumeration_name",
    "field_name",
    "normal",
    "plan_messages",
]

#: What the statements of a decoder call their own.
LOCALS = frozenset({"reader", "start", "items", "item", "inner", "raw", "frame", "self", "rest"})


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `name` is None for what no message shows: constants, what is reserved, derived numbers."""

    field: Field
    local: str
    name: str | None
    kind: str  # its type in Rust
    measures: tuple[tuple[str, str], ...] = ()  # what it counts or measures: (name, the model's name)
    octets: bytes | None = None  # a constant's

    @property
    def borrows(self) -> bool:
        return "'a" in self.kind


@dataclass(frozen=True, slots=True)
class MessagePlan:
    layout: Layout
    class_name: str
    topic: Slot | None
    slots: tuple[Slot, ...]  # after the head, in the order of the wire

    @property
    def name(self) -> str:
        return self.layout.message.name

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the struct has fields for."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.name is not None)

    @property
    def borrows(self) -> bool:
        return any(slot.borrows for slot in self.shown)

    def typed(self, lifetime: str = "'a") -> str:
        """The type, with its lifetime if it has one."""
        return f"{self.class_name}<{lifetime}>" if self.borrows else self.class_name

    def named(self, field: str | None) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots if slot.field.name == field)


class Names:
    """The types of one protocol's fields."""

    def __init__(self, enumerations: Sequence[Enumeration], module: str = "") -> None:
        self.enumerations = {one.name: one for one in enumerations}
        self._module = f"{module}::" if module else ""

    def is_worded(self, enumeration: str) -> bool:
        """Whether the members are text."""
        return any(isinstance(member.value, str) for member in self.enumerations[enumeration].members)

    def is_signed(self, enumeration: str) -> bool:
        """Whether a member is negative, so that the numbers are i64."""
        values = [member.value for member in self.enumerations[enumeration].members]
        return any(isinstance(value, int) and value < 0 for value in values)

    def kind(self, field: Field) -> str:
        """The type of a field, which borrows for `'a`."""
        if field.enumeration is not None:
            return self._module + enumeration_name(field.enumeration)
        match field.type:
            case FieldType.NUMBER:
                return f"{'i' if field.signed else 'u'}{8 * field.size}"
            case FieldType.VARINT:
                return "i64" if field.signed else "u64"
            case FieldType.STRING if field.text is not Text.OCTETS:
                return "&'a str"
            case FieldType.OCTETS if field.length is None:
                return f"&'a [u8; {field.size}]"
            case FieldType.LIST:
                assert field.items is not None
                return f"list::List<'a, {self.form(field.items)}>"
            case FieldType.HASH:
                return f"list::List<'a, {self.form(field)}>"
            case _:
                return "&'a [u8]"

    def form(self, item: Field) -> str:
        """How an item of a list lies on the wire: a type of the module `list`."""
        plain = self._plain_form(item)
        if item.enumeration is None:
            return plain
        member = self._module + enumeration_name(item.enumeration)
        if item.type is FieldType.STRING:
            return f"list::Word<{member}, {item.size}>"
        return f"list::Member<{member}, {plain}>"

    def _plain_form(self, item: Field) -> str:
        match item.type:
            case FieldType.NUMBER:
                return f"list::{'I' if item.signed else 'U'}{8 * item.size}"
            case FieldType.VARINT:
                return "list::Zigzag" if item.signed else "list::Varint"
            case FieldType.STRING if item.text is not Text.OCTETS:
                return f"list::Text<{item.size}>"
            case FieldType.STRING | FieldType.CHUNK:
                return f"list::Octets<{item.size}>"
            case FieldType.OCTETS:
                return f"list::Fixed<{item.size}>"
            case FieldType.HASH:
                part = "Octets" if item.text is Text.OCTETS else "Text"
                return f"list::Pair<list::{part}<1>, list::{part}<4>>"
            case FieldType.LIST:
                assert item.items is not None
                return f"list::Nested<{self.form(item.items)}, {item.size}>"
            case _:
                raise ValueError(f"no list holds a {item.type.value}")


def class_name(message: str) -> str:
    """The struct of the message called `message`."""
    return usable(pascal(message), "rust")


def enumeration_name(enumeration: str) -> str:
    """The type of an enumeration."""
    return usable(pascal(enumeration), "rust")


def field_name(field: str) -> str:
    """The struct's field for the field called `field`."""
    return usable(snake(field), "rust")


def normal(field: Field) -> Field:
    """A method's parameter as a message's field would be: strings and uuid are the list and octets they are."""
    if field.type is FieldType.UUID:
        return Field(field.name, FieldType.OCTETS, size=16, doc=field.doc)
    if field.type is FieldType.STRINGS:
        item = Field("item", FieldType.STRING, size=4, text=field.text)
        return Field(field.name, FieldType.LIST, size=4, items=item, doc=field.doc)
    return field


def plan_messages(protocol: Protocol) -> list[MessagePlan]:
    """The plans of the messages that the protocol's version has. UnsupportedByTarget for ZeroMQ frames."""
    names = Names(protocol.enumerations)
    return [_plan(layout, names) for layout in layouts(protocol)]


def _plan(layout: Layout, names: Names) -> MessagePlan:
    message = layout.message
    if layout.has_frames:
        field = next(one for one in message.fields if one.type in (FieldType.FRAME, FieldType.MSG))
        raise UnsupportedByTarget("rust", message.name, field.name, "a message is one ZeroMQ frame")
    taken = {place.field.name: field_name(place.field.name) for place in layout.places if place.shown}
    topic = None
    if layout.has_topic:
        name = usable("topic", "rust", taken.values())
        topic = Slot(Field("topic", FieldType.STRING, doc="What the message is about"), name, name, "&'a str")
    locals_ = Scope("rust", LOCALS | ({topic.local} if topic is not None else set()))
    slots = tuple(_slot(place, taken, locals_, names) for place in layout.places)
    return MessagePlan(layout, class_name(message.name), topic, slots)


def _slot(place: Place, taken: dict[str, str], locals_: Scope, names: Names) -> Slot:
    field = place.field
    octets = place.octets
    kind = "" if octets is not None or field.reserved else names.kind(field)
    measures = tuple((taken[other.name], other.name) for other in place.measures)
    return Slot(field, locals_.name(snake(field.name)), taken.get(field.name), kind, measures, octets)
