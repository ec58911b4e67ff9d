"""What things are called in Rust: modules, types, and the structs of messages with their fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...ir import Constant, EventKind, Field, Message, Protocol, Text
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.build import plan_of
from ...plan.enumerations import EnumerationPlan
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan
from ...plan.operations import Content, Fixed, Items, Number, Operation, Part, Plan, Rest, Topic
from ..errors import UnsupportedByTarget

__all__ = [
    "MachineNames",
    "Slot",
    "Struct",
    "built",
    "field_name",
    "form",
    "item_form",
    "kind",
    "members",
    "message_type",
    "module_name",
    "named",
    "number_type",
    "structs",
    "type_name",
]

_MODULES = """alloc answers core crate error fields lib list lists machine main request runner std text wire
zeps_wire"""
#: Modules of the crate that no protocol or machine may have the name of.
MODULES = frozenset(_MODULES.split())
#: What the statements of a decoder call their own.
LOCALS = frozenset({"reader", "start", "items", "item", "inner", "raw", "frame", "self", "rest"})
#: Methods that every machine has.
METHODS = frozenset({"new", "handle", "receive", "recover", "state", "terminated"})
#: Types that stand beside those of what methods are called with.
TYPES = frozenset({"State", "Event", "Input", "Context", "Host", "Machine"})


def module_name(name: str) -> str:
    """The module of a protocol or machine."""
    return Scope("rust", MODULES).name(snake(name))


def type_name(name: str) -> str:
    """The type of a message or an enumeration."""
    return usable(pascal(name), "rust")


def field_name(field: str) -> str:
    """The struct's field for the field called `field`."""
    return usable(snake(field), "rust")


def kind(operation: Operation, path: str = "") -> str:
    """The type of a value, which borrows for `'a`; empty for what has none. `path` stands before enumerations."""
    match operation:
        case Number(enumeration=str(name)) | Content(enumeration=str(name)):
            return path + type_name(name)
        case Number():
            return number_type(operation)
        case Topic() | Content(text=Text()):
            return "&'a str"
        case Content() | Rest():
            return "&'a [u8]"
        case Fixed(size=size):
            return f"&'a [u8; {size}]"
        case Items():
            return f"list::List<'a, {item_form(operation, path)}>"
        case _:
            return ""


def number_type(number: Number) -> str:
    """The type of a number that is no member of an enumeration."""
    return f"{'i' if number.signed else 'u'}{number.bits}"


def item_form(items: Items, path: str = "") -> str:
    """How an item lies on the wire: a type of the module `list`."""
    forms = [form(part, path) for part in items.parts]
    return f"list::Pair<{', '.join(forms)}>" if items.is_pairs else forms[0]


def form(part: Part, path: str = "") -> str:
    """How a part of an item lies on the wire."""
    match part:
        case Number(size=size, signed=signed, enumeration=enumeration):
            sized = f"list::{'I' if signed else 'U'}{8 * size}"
            plain = sized if size else "list::Zigzag" if signed else "list::Varint"
            return plain if enumeration is None else f"list::Member<{path}{type_name(enumeration)}, {plain}>"
        case Content(prefix=prefix, enumeration=str(name)):
            return f"list::Word<{path}{type_name(name)}, {prefix}>"
        case Content(prefix=prefix, text=text):
            return f"list::{'Octets' if text is None else 'Text'}<{prefix}>"
        case Fixed(size=size):
            return f"list::Fixed<{size}>"
        case Items(prefix=prefix):
            return f"list::Nested<{item_form(part, path)}, {prefix}>"


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation, the local of its value, and the struct's field: None for what no message shows."""

    operation: Operation
    local: str
    name: str | None

    @property
    def kind(self) -> str:
        return kind(self.operation)


@dataclass(frozen=True, slots=True)
class Struct:
    """The struct of a message."""

    layout: Layout
    plan: Plan
    name: str
    slots: tuple[Slot, ...]

    @property
    def message(self) -> Message:
        return self.layout.message

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the struct has fields for."""
        return tuple(slot for slot in self.slots if slot.name is not None)

    @property
    def borrows(self) -> bool:
        return any("'a" in slot.kind for slot in self.shown)

    @property
    def typed(self) -> str:
        """The type, with its lifetime if it has one."""
        return f"{self.name}<'a>" if self.borrows else self.name

    @property
    def elided(self) -> str:
        return self.typed.replace("'a", "'_")

    def slot(self, field: str) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots[self.layout.has_topic :] if slot.operation.name == field)


def structs(protocol: Protocol) -> list[Struct]:
    """Those of the messages that the protocol's version has. UnsupportedByTarget for ZeroMQ frames."""
    return [_struct(layout) for layout in layouts(protocol)]


def _struct(layout: Layout) -> Struct:
    plan = plan_of(layout)
    for one in plan.apart:
        raise UnsupportedByTarget("rust", plan.name, one.name, "a message is one ZeroMQ frame")
    names = {field.name: field_name(field.name) for field in layout.shown}
    topic = usable("topic", "rust", names.values())
    locals_ = Scope("rust", LOCALS | ({topic} if layout.has_topic else set()))
    slots = tuple(
        Slot(one, topic, topic)
        if isinstance(one, Topic)
        else Slot(one, locals_.name(snake(one.name)), names.get(one.name))
        for one in plan.operations
    )
    return Struct(layout, plan, type_name(plan.name), slots)


def message_type(structs: Iterable[Struct], lifetime: str = "'_") -> str:
    """The type of any message of the protocol."""
    return f"Message<{lifetime}>" if any(one.borrows for one in structs) else "Message"


def built(struct: str, parts: Iterable[str]) -> str:
    """The expression for a struct with these fields."""
    fields = ", ".join(parts)
    return f"{struct} {{ {fields} }}" if fields else struct


def named(constants: Iterable[Constant | Field], *taken: str) -> list[tuple[str, Constant | Field]]:
    """Each constant with what it is called."""
    scope = Scope("rust", taken)
    return [(scope.name(screaming(one.name)), one) for one in constants]


def members(plan: EnumerationPlan) -> dict[str, str]:
    """What an enumeration's members are called; bits and aliases are constants."""
    scope = Scope("rust")
    spell = screaming if plan.is_flags else pascal
    names = {one.name: scope.name(spell(one.name)) for one in plan.enumeration.members}
    if plan.is_flags:
        return names
    return names | {alias.name: screaming(alias.name) for alias, _ in plan.aliases}


class MachineNames:
    """What a machine's module calls its own."""

    def __init__(self, plan: MachinePlan) -> None:
        machine = plan.machine
        fields = Scope("rust", {"state", "terminated", "failed"})
        hosts = Scope("rust", {"send", "unsendable", "self", "context", "message"})
        states, variants, methods, calls = (Scope("rust", taken) for taken in ((), (), METHODS, TYPES))
        self.variables = {one.name: (fields.name(snake(one.name)), one) for one in machine.variables}
        self.actions = {one.name: hosts.name(snake(one.name)) for one in plan.actions}
        self.states = {one.name: states.name(pascal(one.name)) for one in machine.states}
        self.within = {one.name: methods.name(f"in_{snake(one.name)}") for one in machine.states}
        """The method for each state."""
        self.variants: dict[str, str] = {}
        self.methods = {one.name: methods.name(snake(one.name)) for one in plan.called}
        self.calls: dict[str, str] = {}
        """The struct of a method's parameters, if it has any."""
        for event in plan.events:
            on = "" if event.kind is EventKind.MESSAGE else "On"
            self.variants[event.name] = variants.name(on + pascal(event.name))
            if event.message is None and event.parameters:
                self.calls[event.name] = calls.name(f"{pascal(event.name)}Call")
