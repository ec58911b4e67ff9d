"""What is called how in one message: its class, components, locals and constants, beside what its plan says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Field, FieldType, Protocol
from ...naming import Scope
from ...plan.build import plan_of
from ...plan.layout import Layout, layouts
from ...plan.operations import Apart, Content, Fixed, Items, Operation, Plan, Rest, Topic
from .names import LOCALS, MEMBERS, Imports, ProtocolNames, component, constant, local_scope

__all__ = ["Message", "Slot", "messages_of", "reach"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `component` is empty for what no message shows: constants, derived numbers."""

    field: Field
    operation: Operation
    local: str
    component: str


@dataclass(frozen=True, slots=True)
class Message:
    layout: Layout
    plan: Plan
    names: ProtocolNames
    class_name: str
    slots: Mapping[str, Slot]
    """By the fields' names; without the topic."""
    topic: Slot | None
    constants: Mapping[str, tuple[str, str]]
    """By the fields' names, the static fields with a constant's value and with its octets."""

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the record has components for."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots.values() if slot.component)

    @property
    def is_viewable(self) -> bool:
        """Whether a view of the message is worth having: something varies in size, and nothing is a list."""
        operations = (*self.plan.operations, *self.plan.apart)
        if any(isinstance(one, Topic | Items | Apart) or _is_enumerated_text(one) for one in operations):
            return False
        return any(isinstance(one, Content | Fixed | Rest) for one in operations)

    def slot(self, operation: Operation) -> Slot:
        if isinstance(operation, Topic):
            assert self.topic is not None
            return self.topic
        return self.slots[operation.name]

    def type_of(self, slot: Slot, imports: Imports) -> str:
        return self.names.java_type(slot.operation, imports)


def reach(name: str) -> str:
    """How a record's method names a component, which a local may hide."""
    return f"this.{name}" if name in LOCALS else name


def messages_of(protocol: Protocol, names: ProtocolNames) -> list[Message]:
    """The messages that the protocol's version has."""
    return [_message(layout, names) for layout in layouts(protocol)]


def _is_enumerated_text(operation: Operation) -> bool:
    return isinstance(operation, Content) and operation.enumeration is not None


def _message(layout: Layout, names: ProtocolNames) -> Message:
    plan = plan_of(layout)
    operations = {one.name: one for one in (*plan.constants, *plan.operations, *plan.apart) if one != Topic()}
    places = (*layout.head_constants, *layout.places)
    components, statics, locals_ = (
        Scope("java", MEMBERS),
        Scope("java", {"HEAD", "ID", "NAME"}),
        local_scope(),
    )
    slots, constants = {}, {}
    for place in places:
        name = place.field.name
        if place.octets is not None:
            constants[name] = statics.name(constant(name)), statics.name(f"{constant(name)}_OCTETS")
        shown = components.name(component(name)) if place.shown else ""
        slots[name] = Slot(place.field, operations[name], locals_.name(component(name)), shown)
    topic = None
    if layout.has_topic:
        local, shown = locals_.name("topic"), components.name("topic")
        topic = Slot(Field("topic", FieldType.STRING), Topic(), local, shown)
    return Message(layout, plan, names, names.messages[plan.name], slots, topic, constants)
