"""What things are called in Python, and messages with the names of their fields."""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass
from struct import calcsize

from ...ir import Event, EventKind, Field, FieldType, Machine, Message, Protocol, Type, Variable
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.build import parameter_of, plan_of
from ...plan.layout import Layout, layouts
from ...plan.operations import Apart, Constant, Content, Items, Number, Operation, Plan, Topic
from .offers import names_offered

__all__ = ["CODES", "Formats", "MessagePlan", "Slot", "action_name", "annotation", "attribute_name"]
__all__ += ["call_name", "class_name", "class_variable", "event_member", "item_annotation", "literal"]
__all__ += ["method_name", "octets", "parameter_annotation", "plan_messages", "sorted_names", "struct_code"]
__all__ += ["variable_annotation", "variable_name"]

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}

#: What a field's attribute may not be called: the members that every message has, and the types of attributes.
MEMBERS = frozenset({"ID", "NAME", "encode", "encode_frames", "size", "int", "str", "bytes", "tuple"})
#: What the statements of decoders and encoders call their own, or call.
LOCALS = names_offered() | {"data", "message", "frames", "frame", "offset", "head", "decoder"}
LOCALS |= {name for name in dir(builtins) if name.islower()}
#: What a message's or an enumeration's class may not be called.
CLASSES = names_offered() | {"Message"}
#: What a machine's methods and variables may not be called.
MACHINE_MEMBERS = frozenset({"EVENT_OF", "ROWS", "fail", "host", "receive", "state", "terminated"})


def class_name(name: str) -> str:
    """The class of the message or enumeration; should both have the name, the front end has said so."""
    return usable(pascal(name), "python", CLASSES)


def attribute_name(field: str) -> str:
    """The attribute of the field called `field`, as long as no other field of the message claims it."""
    return usable(snake(field), "python", MEMBERS)


def variable_name(name: str) -> str:
    """The attribute of the machine that holds a variable."""
    return usable(snake(name), "python", MACHINE_MEMBERS)


def method_name(event: Event, machine: Machine) -> str:
    """The method of the machine that raises the event."""
    variables = {variable_name(one.name) for one in machine.variables}
    return usable(snake(event.name), "python", MACHINE_MEMBERS | variables)


def action_name(name: str) -> str:
    """The host's method for an action."""
    return usable(snake(name), "python")


def call_name(event: Event) -> str:
    """The class that holds a method's parameters."""
    return f"{pascal(event.name)}Call"


def event_member(event: Event) -> str:
    """The event in the enumeration: a message's own name, ``ON_…`` for the host's and the application's."""
    name = screaming(event.name)
    return f"Event.{name if event.kind is EventKind.MESSAGE else f'ON_{name}'}"


def sorted_names(names: list[str]) -> list[str]:
    """Constants, classes, functions: as ruff sorts ``__all__``."""
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def literal(value: object, kind: Type | None = None) -> str:
    """A constant in Python's spelling, text in double quotes."""
    if isinstance(value, str) and kind is Type.OCTETS:
        return repr(value.encode())
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
    return repr(value)


def octets(value: bytes) -> str:
    """`value` as a literal, in double quotes."""
    text = repr(value)
    return f'b"{text[2:-1]}"' if text[1] == "'" and '"' not in text else text


def class_variable(value: int | str | bytes) -> str:
    """A constant of a class, with its type."""
    text = octets(value) if isinstance(value, bytes) else literal(value)
    return f"ClassVar[{type(value).__name__}] = {text}"


def variable_annotation(variable: Variable) -> str:
    """The type of a machine's variable."""
    return {Type.NUMBER: "int", Type.STRING: "str", Type.OCTETS: "bytes", Type.BOOLEAN: "bool"}[variable.type]


def annotation(operation: Operation) -> str:
    """The type of the attribute that the operation reads or writes."""
    match operation:
        case Number(enumeration=str(name)) | Content(enumeration=str(name)):
            return class_name(name)
        case Number():
            return "int"
        case Topic():
            return "str"
        case Content(text=text):
            return "bytes" if text is None else "str"
        case Items():
            return f"tuple[{item_annotation(operation)}, ...]"
        case Apart(is_rest=True):
            return "tuple[bytes, ...]"
        case _:
            return "bytes"


def item_annotation(items: Items) -> str:
    """The type of one item, or of a pair."""
    parts = ", ".join(annotation(part) for part in items.parts)
    return f"tuple[{parts}]" if items.is_pairs else parts


def parameter_annotation(field: Field) -> str:
    """The type of a method's parameter: text may be no member of its enumeration."""
    match parameter_of(field):
        case Content(text=text) if text is not None:
            return "str"
        case part:
            return annotation(part)


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation and its names. `attribute` is None for what no message shows: constants, what is reserved, derived
    numbers.
    """

    operation: Operation
    field: Field
    local: str
    attribute: str | None
    measures: tuple[str, ...] = ()  # derived: the attributes that it counts or measures

    @property
    def annotation(self) -> str:
        return annotation(self.operation)


@dataclass(frozen=True, slots=True)
class MessagePlan:
    message: Message
    wire: Plan
    constants: tuple[tuple[str, Field], ...]  # with the names of their class variables
    slots: tuple[Slot, ...]  # the fields after the head, in the order of the wire
    topic: Slot | None  # pub/sub: what stands before the fields

    @property
    def class_name(self) -> str:
        return class_name(self.message.name)

    @property
    def lower(self) -> str:
        """As part of a function's name."""
        return snake(self.message.name)

    @property
    def upper(self) -> str:
        """As part of a constant's name."""
        return screaming(self.message.name)

    @property
    def inline(self) -> tuple[Slot, ...]:
        """What stands in the first frame, after the head."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if not isinstance(slot.operation, Apart))

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the class has attributes for."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.attribute is not None)

    def named(self, field: str | None) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots if slot.field.name == field)

    def locals(self) -> Scope:
        """The names that a function's locals may still have."""
        return Scope("python", [*LOCALS, *(slot.local for slot in self.slots)])


def plan_messages(protocol: Protocol) -> list[MessagePlan]:
    """The plans of the messages that the protocol's version has."""
    return [_named(layout, plan_of(layout)) for layout in layouts(protocol)]


def _named(layout: Layout, plan: Plan) -> MessagePlan:
    places = (*layout.head_constants, *layout.places)
    written = plan.operations[1:] if layout.has_topic else plan.operations
    operations = {one.name: one for one in (*plan.constants, *written, *plan.apart)}
    attributes, locals_ = Scope("python", MEMBERS), Scope("python", LOCALS)
    names = {place.field.name: attributes.name(snake(place.field.name)) for place in places if place.shown}
    constants, slots = [], []
    for field, measures in ((place.field, place.measures) for place in places):
        operation, local = operations[field.name], locals_.name(snake(field.name))
        if isinstance(operation, Constant):
            constants.append((attributes.name(screaming(field.name)), field))
        measured = tuple(names[other.name] for other in measures)
        slots.append(Slot(operation, field, local, names.get(field.name), measured))
    topic = None
    if layout.has_topic:
        name = usable("topic", "python", names.values())
        topic = Slot(Topic(), Field("topic", FieldType.STRING), name, name)
    return MessagePlan(layout.message, plan, tuple(constants), tuple(slots[len(plan.constants) :]), topic)


# --- struct


def struct_code(number: Number) -> str:
    """The struct format of a number of fixed size."""
    return CODES[number.size].lower() if number.signed else CODES[number.size]


_VERBS = {"pack": "pack", "unpack": "unpack_all", "unpack_from": "unpack"}


class Formats:
    """The struct formats that a module uses, each compiled once, in the order of their names."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}

    def use(self, method: str, codes: str) -> str:
        """The name of the function that packs (`pack`) or unpacks `codes`: all there is, or `unpack_from` a place."""
        name = f"_{_VERBS[method]}_{'_'.join(_spell(*one) for one in re.findall(r'([0-9]*)(.)', codes))}"
        self._names[name] = (method, codes)
        return name

    def listed(self) -> list[tuple[str, str, str]]:
        """Each (name, method, format)."""
        return [(name, method, f">{codes}") for name, (method, codes) in sorted(self._names.items())]


def _spell(count: str, code: str) -> str:
    return f"{code}{count}" if code in "sx" else f"{'u' if code.isupper() else 'i'}{calcsize('>' + code)}"
