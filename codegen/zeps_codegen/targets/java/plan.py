"""What the emitters know of a message: its layout, and the names of its fields in Java."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ir import Field, FieldType, Protocol, Text
from ...naming import Scope
from ...plan.layout import Layout, Place, layouts
from .names import LOCALS, MEMBERS, Imports, ProtocolNames, component, constant, local_scope

__all__ = ["MessagePlan", "Slot", "plan_messages", "reach"]

_APART = (FieldType.FRAME, FieldType.MSG)


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `component` is None for what no message shows: constants, derived numbers."""

    place: Place
    local: str
    component: str | None
    measures: tuple[tuple[str, str, str], ...] = ()  # of what it measures: (field, component, how)
    constant: str | None = None  # the static field with a constant's value
    octets_name: str | None = None  # the static field with a constant's octets

    @property
    def field(self) -> Field:
        return self.place.field

    @property
    def octets(self) -> bytes | None:
        """A constant's octets."""
        return self.place.octets

    @property
    def given(self) -> bytes | None:
        """The octets of what no message has a say in: a constant, or zeros where it is reserved."""
        return bytes(self.field.size) if self.field.reserved else self.octets


@dataclass(frozen=True, slots=True)
class MessagePlan:
    layout: Layout
    names: ProtocolNames
    class_name: str
    head: tuple[Slot, ...]  # the constant fields in the head
    slots: tuple[Slot, ...]  # the fields after the head, in the order of the wire
    topic: Slot | None

    @property
    def name(self) -> str:
        return self.layout.message.name

    @property
    def inline(self) -> tuple[Slot, ...]:
        """The fields that lie in the first frame."""
        return tuple(slot for slot in self.slots if slot.field.type not in _APART)

    @property
    def apart(self) -> tuple[Slot, ...]:
        """The fields that are frames of their own."""
        return tuple(slot for slot in self.slots if slot.field.type in _APART)

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the record has components for."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.component is not None)

    @property
    def constants(self) -> tuple[Slot, ...]:
        return tuple(slot for slot in (*self.head, *self.slots) if slot.constant is not None)

    def named(self, name: str | None) -> Slot:
        """The slot of the field called `name`."""
        return next(slot for slot in self.slots if slot.field.name == name)

    def java_type(self, slot: Slot, imports: Imports) -> str:
        return self.names.java_type(slot.field, imports)


def reach(component: str | None) -> str:
    """How a record's method names a component, which a local may hide."""
    return f"this.{component}" if component in LOCALS else str(component)


def plan_messages(protocol: Protocol, names: ProtocolNames) -> list[MessagePlan]:
    """The plans of the messages that the protocol's version has."""
    return [_plan(layout, names) for layout in layouts(protocol)]


def _plan(layout: Layout, names: ProtocolNames) -> MessagePlan:
    slots = _slots((*layout.head_constants, *layout.places))
    split = len(layout.head_constants)
    topic = None
    if layout.has_topic:
        scope = Scope("java", MEMBERS | {slot.component for slot in slots if slot.component is not None})
        name = scope.name("topic")
        field = Field("topic", FieldType.STRING, text=Text.UTF8)
        local = Scope("java", {slot.local for slot in slots}).name("topic")
        topic = Slot(Place(field), local, name)
    return MessagePlan(
        layout,
        names,
        names.messages[layout.message.name],
        tuple(slots[:split]),
        tuple(slots[split:]),
        topic,
    )


def _slots(places: Sequence[Place]) -> list[Slot]:
    components = Scope("java", MEMBERS)
    statics = Scope("java", {"HEAD", "ID", "NAME"})
    locals_ = local_scope()
    shown = {
        place.field.name: components.name(component(place.field.name)) for place in places if place.shown
    }
    slots = []
    for place in places:
        field = place.field
        measures = tuple((other.name, shown[other.name], _measure(other, shown)) for other in place.measures)
        value = octets = None
        if field.value is not None:
            value = statics.name(constant(field.name))
            octets = statics.name(f"{constant(field.name)}_OCTETS")
        local = locals_.name(component(field.name))
        slots.append(Slot(place, local, shown.get(field.name), measures, value, octets))
    return slots


def _measure(field: Field, shown: dict[str, str]) -> str:
    return f"{reach(shown[field.name])}.{'size' if field.type is FieldType.LIST else 'length'}()"
