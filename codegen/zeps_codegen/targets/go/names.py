"""Names and types in Go: packages, messages, fields, enumerations, machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...ir import EventKind, Field, Protocol, Text
from ...naming import Scope, pascal, snake
from ...plan.build import parameter_of, plan_of
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan
from ...plan.operations import Apart, Content, Items, Number, Operation, Plan, Topic
from ..comments import wrapped

__all__ = ["PACKAGES", "MachineNames", "MessageNames", "ProtocolNames", "comment", "exported", "literal"]
__all__ += ["package_name"]

_TAKEN = """
any append bool byte cap clear close complex complex64 complex128 copy delete error false float32 float64
imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint
uint8 uint16 uint32 uint64 uintptr wire driver main init testing
m message carried event host engine take ok err fit sent errors fmt rules"""
#: Names that a package cannot have: predeclared names, and names that importing files use.
PACKAGES = frozenset(_TAKEN.split())
#: Names that a package's types and functions cannot have.
_TOP = frozenset({"Message", "Decode", "DecodeFrames"})
#: Names that a field cannot have: the methods of every message.
_METHODS = "MessageName MessageID Size AppendTo Encode DecodeFrom AppendFrames DecodeFrames"
#: Names that a machine's variables and methods cannot have.
_MACHINE = "Receive Fail Raise State Terminated Advance Deadline OnTransition"
_WIDTH = 100


def package_name(name: str, scope: Scope) -> str:
    """The package and folder of a protocol or machine: lower-case words, joined; unique in `scope`."""
    package = scope.name(re.sub(r"[^a-z0-9]", "", snake(name)) or "x")
    return package.replace("_", "x") if package.startswith("_") else package


def exported(name: str) -> str:
    """`name` as an exported identifier."""
    spelled = pascal(name)
    return spelled if spelled[:1].isupper() else f"X{spelled}"


def literal(value: int | str | bytes) -> str:
    """A constant's literal. Numbers from 2^63 on are uint64; bytes are an exact string literal."""

    def spelled(character: str) -> str:
        if character in '"\\':
            return f"\\{character}"
        raw = character.encode(errors="surrogateescape")
        return character if character.isprintable() else "".join(f"\\x{octet:02x}" for octet in raw)

    if isinstance(value, int):
        return str(value) if value < 1 << 63 else f"uint64({value})"
    text = value if isinstance(value, str) else value.decode(errors="surrogateescape")
    return '"' + "".join(map(spelled, text)) + '"'


def comment(text: str, indent: int = 0) -> str:
    """`text` as wrapped comment lines, each with a newline; empty without text. `indent` only narrows the lines."""
    lines = wrapped(text, width=_WIDTH - indent, break_hyphens=True, break_words=True)
    return "".join(f"// {line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class MessageNames:
    """The names of a message: its struct (`type`), and the operations on the struct's fields (`shown`) and their names
    in Go (`attributes`), both by the model's names in wire order (the topic is ``topic``).
    """

    layout: Layout
    plan: Plan
    type: str
    shown: dict[str, Operation]
    attributes: dict[str, str]
    constants: list[tuple[str, Field]]
    """The constants for the values of constant fields."""
    constructor: str  # only for a message whose last fields have defaults


@dataclass(frozen=True, slots=True)
class EnumerationNames:
    plan: EnumerationPlan
    type: str
    base: str
    members: dict[str, str]


class ProtocolNames:
    """All names of a protocol's package, and the types of its fields."""

    def __init__(self, protocol: Protocol, package: str) -> None:
        self.protocol, self.package = protocol, package
        self._scope = Scope("go", _TOP)
        name_of = self._scope.name
        named_layouts = [(layout, name_of(exported(layout.message.name))) for layout in layouts(protocol)]
        operations = [operation for layout, _ in named_layouts for operation in plan_of(layout).operations]
        plans = enumeration_plans(protocol)
        self.enumerations = {plan.enumeration.name: self._enumeration(plan, operations) for plan in plans}
        self.constants = [self._scope.name(exported(constant.name)) for constant in protocol.constants]
        self.messages = [self._message(layout, type_) for layout, type_ in named_layouts]
        self.multipart = any(layout.has_frames for layout, _ in named_layouts)

    def message(self, name: str) -> MessageNames:
        """The names of a message. Raises StopIteration if the protocol's version does not have it."""
        return next(message for message in self.messages if message.plan.name == name)

    def _enumeration(self, plan: EnumerationPlan, operations: Iterable[Operation]) -> EnumerationNames:
        type_ = self._scope.name(exported(plan.enumeration.name))
        members = _named(self._scope, type_, plan.enumeration.members)
        uses = [number for number in _numbers(operations) if number.enumeration == plan.enumeration.name]
        return EnumerationNames(plan, type_, _base(plan, uses), members)

    def _message(self, layout: Layout, type_: str) -> MessageNames:
        plan, scope = plan_of(layout), Scope("go", _METHODS.split())
        names = _named(scope, "", layout.shown)
        if layout.has_topic:
            names = {"topic": scope.name("Topic"), **names}
        places = (*layout.head_constants, *layout.places)
        fields = [place.field for place in places if place.constant is not None]
        constants = [(self._scope.name(type_ + exported(field.name)), field) for field in fields]
        operations = {operation.name: operation for operation in plan.all if operation.name in names}
        constructor = self._scope.name(f"New{type_}")
        return MessageNames(layout, plan, type_, operations, names, constants, constructor)

    def type_of(self, operation: Operation, qualified: bool = False) -> str:
        """The type of an operation's value; `qualified` with the package for other packages."""
        match operation:
            case Number(enumeration=str(name)) | Content(enumeration=str(name)):
                return f"{self.package}." * qualified + self.enumerations[name].type
            case Items(is_pairs=False):
                return f"[]{self.type_of(operation.item, qualified)}"
            case _:
                return _plain_type(operation)


def _named(scope: Scope, prefix: str, things: Iterable[Any]) -> dict[str, str]:
    """The Go names of things, by their names in the model: exported, after `prefix`, and unique in `scope`."""
    return {thing.name: scope.name(f"{prefix}{exported(thing.name)}") for thing in things}


class MachineNames:
    """All names of a machine's package, and the types of its events' data."""

    def __init__(self, plan: MachinePlan, package: str, protocol: ProtocolNames) -> None:
        self.plan, self.package, self.protocol = plan, package, protocol
        machine = plan.machine
        scope = Scope("go", {"Host", "Machine", "New", "State", "Event", "Table", "InternalEvent"})
        self.states = _named(scope, "State", machine.states)
        self.events: dict[str, str] = {}
        for event in plan.events:
            self.events |= _named(scope, "Event" + "On" * (event.kind is not EventKind.MESSAGE), [event])
        calls = [event for event in plan.events if event.parameters]
        self.calls = {event.name: scope.name(f"{exported(event.name)}Call") for event in calls}
        self.internal = _named(scope, "Internal", plan.internal)
        scope = Scope("go", _MACHINE.split())
        self.variables = _named(scope, "", machine.variables)
        # methods of the machine keep the application's names; those of the host are in a callback style
        self.methods: dict[str, str] = {}
        for event in plan.called:
            self.methods |= _named(scope, "On" * (event.kind is not EventKind.METHOD), [event])
        self.fills = {
            message: _named(scope, f"Fill{exported(message)}", operations)
            for message, operations in plan.fillable.items()
        }
        self.actions = _named(Scope("go", {"Send", "Unsendable"}), "", plan.actions)

    def attributes(self, event: str) -> dict[str, str]:
        """The names in Go of the fields that the event carries, by their names in the model."""
        declared = self.plan.event(event)
        if declared.message is not None:
            return self.protocol.message(declared.message).attributes
        return _named(Scope("go"), "", declared.parameters)

    def carried(self, event: str) -> str:
        """The type of the event's data; empty if it carries no data."""
        message = self.plan.event(event).message
        if message is not None:
            return f"*{self.protocol.package}.{self.protocol.message(message).type}"
        return f"*{self.calls[event]}" if event in self.calls else ""

    def parameter(self, action: str) -> str:
        """The type of the host action's argument: that of its events' data, the interface of messages if they are of
        several types, or ``any`` with parameters; nil for events without data. Empty if no event has data.
        """
        plan = next(candidate for candidate in self.plan.actions if candidate.name == action)
        events = [event for event in plan.carried if event is not None]
        if len(events) <= 1:
            return self.carried(events[0]) if events else ""
        is_message = all(self.plan.event(event).message is not None for event in events)
        return f"{self.protocol.package}.Message" if is_message else "any"

    def type_of(self, event: str, field: str) -> str:
        """The type of a field that the event carries, with its package; numbers of a method have 64 bits."""
        declared = self.plan.event(event)
        if declared.message is not None:
            return self.protocol.type_of(self.protocol.message(declared.message).shown[field], qualified=True)
        return _plain_type(parameter_of(self.plan.fields(event)[field]), 64)


def _plain_type(operation: Operation, bits: int | None = None) -> str:
    """The type of an operation's value without its enumeration; its numbers have `bits`, if set."""
    match operation:
        case Number(signed=signed):
            return f"{'int' if signed else 'uint'}{bits or operation.bits}"
        case Topic() | Content(text=Text()):
            return "string"
        case Items(parts=(Content(text=text), _)):
            return "[]wire.OctetsPair" if text is None else "[]wire.Pair"
        case Items():
            return f"[]{_plain_type(operation.item, bits)}"
        case Apart(is_rest=True):
            return "[][]byte"
        case _:
            return "[]byte"


def _numbers(operations: Iterable[Operation]) -> Iterator[Number]:
    """The numbers among the operations and their parts."""
    for operation in operations:
        if isinstance(operation, Number):
            yield operation
        elif isinstance(operation, Items):
            yield from _numbers(operation.parts)


def _base(plan: EnumerationPlan, uses: list[Number]) -> str:
    """The underlying type: ``string``, or the narrowest integer for all members and all values of its fields."""
    if plan.is_text:
        return "string"
    signed = plan.is_signed or any(number.signed for number in uses)
    bits = max((number.bits for number in uses), default=8)
    values = [member.value for member in plan.enumeration.members if isinstance(member.value, int)]
    while bits < 64 and any((value if value >= 0 else ~value) >> bits - signed for value in values):
        bits *= 2
    return f"{'int' if signed else 'uint'}{bits}"
