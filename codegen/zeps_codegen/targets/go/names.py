"""What things are called in Go: packages, types, fields, locals."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Enumeration, EventKind, Field, FieldType, Protocol, Text
from ...naming import Scope, camel, pascal, snake
from ...plan.build import plan_of
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan
from ...plan.operations import Apart, Content, Items, Number, Operation, Plan, Topic

__all__ = [
    "LOCALS",
    "MODULE",
    "MachineNames",
    "MessageNames",
    "Packages",
    "ProtocolNames",
    "comment",
    "exported",
    "octets",
    "quoted",
]

#: The module's path: a name that nobody serves, until it has a home. Whoever uses it replaces it by a folder.
MODULE = "zeps.example/wire"
#: What a field may not be called: the methods that every message has.
MEMBERS = frozenset(
    {"MessageName", "MessageID", "Size", "AppendTo", "Encode", "DecodeFrom", "AppendFrames", "DecodeFrames"}
)
_PREDECLARED = """
any append bool byte cap clear close complex complex64 complex128 copy delete error false float32 float64
imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint
uint8 uint16 uint32 uint64 uintptr"""
_OWN = "m frame frames rest dst wire binary bytes strings err i init"
#: What a local may not be called: what Go declares, what functions call their own, and what they call.
LOCALS = frozenset((*_PREDECLARED.split(), *_OWN.split()))
#: What a machine's variables and methods may not be called.
MACHINE = frozenset({"Receive", "Fail", "State", "Terminated"})
#: What a package's types and functions may not be called.
PACKAGE = frozenset({"Message", "Decode", "DecodeFrames", "Pair"})
_OTHERS = "wire driver main init binary bytes strings errors fmt testing m message carried event"
#: What a package may not be called.
PACKAGES = frozenset((*_PREDECLARED.split(), *_OTHERS.split()))
_WIDTH = 100


class Packages:
    """The packages, and folders, of protocols and machines: words in lower case, each taken once."""

    def __init__(self) -> None:
        self._scope = Scope("go", PACKAGES)

    def name(self, name: str) -> str:
        """The package of the protocol or machine called `name`."""
        found = self._scope.name(re.sub(r"[^a-z0-9]", "", snake(name)) or "x")
        return found.replace("_", "x") if found.startswith("_") else found


def exported(name: str) -> str:
    """`name` as one that other packages see."""
    spelled = pascal(name)
    return spelled if spelled[:1].isupper() else f"X{spelled}"


def quoted(value: str) -> str:
    """`value` as a string literal."""
    return octets(value.encode())


def octets(value: bytes) -> str:
    """`value` as a string literal: readable where it is UTF-8, and exact."""
    try:
        characters = value.decode()
    except UnicodeDecodeError:
        return '"' + "".join(_octet(octet) for octet in value) + '"'
    return '"' + "".join(_character(one) for one in characters) + '"'


def _octet(octet: int) -> str:
    return _character(chr(octet)) if 0x20 <= octet < 0x7F else f"\\x{octet:02x}"


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    return "".join(f"\\x{octet:02x}" for octet in character.encode())


def comment(text: str, indent: int = 0) -> list[str]:
    """The lines of a comment, folded, without the slashes."""
    return textwrap.wrap(" ".join(text.split()), _WIDTH - indent)


@dataclass(frozen=True, slots=True)
class MessageNames:
    """A message: its type, the constant that holds its head, and names of its operations by theirs in the plan."""

    layout: Layout
    plan: Plan
    type: str
    head: str
    shown: Mapping[str, Operation]
    """What the struct holds, in the order of the wire."""
    attributes: Mapping[str, str]
    """What each of these is called."""
    locals: Mapping[str, str]
    """What a decoder calls the value of each operation."""
    constants: Mapping[str, str]
    """The constants that hold what constant fields always hold."""

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of what the struct holds, without the topic."""
        return {field.name: field for field in self.layout.shown}

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def model(self) -> dict[str, Field]:
        """All fields, also those that no struct holds."""
        return {place.field.name: place.field for place in (*self.layout.head_constants, *self.layout.places)}


@dataclass(frozen=True, slots=True)
class EnumerationNames:
    enumeration: Enumeration
    type: str
    base: str
    members: tuple[str, ...]


class ProtocolNames:
    """Every name of a protocol's package."""

    def __init__(self, protocol: Protocol, package: str) -> None:
        self.protocol = protocol
        self.package = package
        self._scope = Scope("go", PACKAGE)
        found = layouts(protocol)
        types = [self._scope.name(exported(layout.message.name)) for layout in found]
        self.enumerations = {one.name: self._enumeration(one, found) for one in protocol.enumerations}
        self.constants = [self._scope.name(exported(one.name)) for one in protocol.constants]
        self.messages = [self._message(layout, type_) for layout, type_ in zip(found, types, strict=True)]
        self.multipart = any(layout.has_frames for layout in found)

    def message(self, name: str) -> MessageNames:
        """KeyError if the protocol's version has no message of that name."""
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def _enumeration(self, one: Enumeration, found: list[Layout]) -> EnumerationNames:
        type_ = self._scope.name(exported(one.name))
        members = tuple(self._scope.name(type_ + exported(member.name)) for member in one.members)
        return EnumerationNames(one, type_, _base(one, found), members)

    def _message(self, layout: Layout, type_: str) -> MessageNames:
        plan = plan_of(layout)
        attributes, locals_ = Scope("go", MEMBERS), Scope("go", LOCALS)
        shown = {field.name: attributes.name(exported(field.name)) for field in layout.shown}
        names = {}
        if layout.has_topic:
            names["topic"] = locals_.name("topic")
            shown = {"topic": attributes.name("Topic"), **shown}
        constants = {}
        for place in (*layout.head_constants, *layout.places):
            name = place.field.name
            if place.octets is not None:
                constants[name] = self._scope.name(type_ + exported(name))
            names[name] = locals_.name(camel(name) or "x")
        return MessageNames(
            layout,
            plan,
            type_,
            self._scope.name(f"head{type_}"),
            {one.name: one for one in (*plan.operations, *plan.apart) if one.name in shown},
            shown,
            names,
            constants,
        )

    # --- types

    def type_of(self, operation: Operation) -> str:
        """The type of what an operation reads."""
        match operation:
            case Number(enumeration=str(name)) | Content(enumeration=str(name)):
                return self.enumerations[name].type
            case Number():
                return f"{'int' if operation.signed else 'uint'}{operation.bits}"
            case Topic() | Content(text=Text()):
                return "string"
            case Items(is_pairs=True):
                is_text = isinstance(operation.parts[0], Content) and operation.parts[0].text is not None
                return "[]wire.Pair" if is_text else "[]wire.OctetsPair"
            case Items():
                return f"[]{self.type_of(operation.item)}"
            case Apart(is_rest=True):
                return "[][]byte"
            case _:
                return "[]byte"


class MachineNames:
    """Every name of a machine's package, and the types of what its events carry."""

    def __init__(self, plan: MachinePlan, package: str, protocol: ProtocolNames) -> None:
        self.plan, self.package, self.protocol = plan, package, protocol
        machine = plan.machine
        scope = Scope("go", {"Host", "Machine", "New", "State", "Event", "Table"})
        self.states = {one.name: scope.name(f"State{exported(one.name)}") for one in machine.states}
        self.events = {
            one.name: scope.name(f"Event{'On' * (one.kind is not EventKind.MESSAGE)}{exported(one.name)}")
            for one in plan.events
        }
        self.calls = {
            one.name: scope.name(f"{exported(one.name)}Call") for one in plan.events if one.parameters
        }
        members = Scope("go", MACHINE)
        self.variables = {one.name: members.name(exported(one.name)) for one in machine.variables}
        # methods are the application's and have its names; the host says that something happened
        self.methods = {
            one.name: members.name(f"{'On' * (one.kind is not EventKind.METHOD)}{exported(one.name)}")
            for one in plan.called
        }
        scope = Scope("go", {"Send", "Unsendable"})
        self.actions = {one.name: scope.name(exported(one.name)) for one in plan.actions}

    def carried(self, event: str) -> str:
        """The type of what the event carries; empty if it carries nothing."""
        message = self.plan.event(event).message
        if message is not None:
            return f"*{self.protocol.package}.{self.protocol.message(message).type}"
        return f"*{self.calls[event]}" if event in self.calls else ""

    def parameter(self, action: str) -> str:
        """The type of what the host action is given; empty if there never is anything."""
        plan = next(one for one in self.plan.actions if one.name == action)
        events = [event for event in plan.carried if event is not None]
        if len(events) <= 1:
            return self.carried(events[0]) if events else ""
        is_message = all(self.plan.event(event).message is not None for event in events)
        return f"{self.protocol.package}.Message" if is_message else "any"

    def parameters(self, event: str) -> list[tuple[str, str, Field]]:
        """The fields of what a method was called with: attribute, type, parameter."""
        scope = Scope("go")
        fields = self.plan.event(event).parameters
        return [(scope.name(exported(one.name)), _wide_type(one), one) for one in fields]


def _wide_type(field: Field) -> str:
    """The type of a method's parameter, whose numbers all have 64 bits."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return "int64" if field.signed else "uint64"
        case FieldType.STRING if field.text is not Text.OCTETS:
            return "string"
        case FieldType.STRINGS:
            return "[]string"
        case FieldType.HASH:
            return "[]wire.Pair"
        case FieldType.LIST:
            assert field.items is not None
            return f"[]{_wide_type(field.items)}"
        case FieldType.MSG:
            return "[][]byte"
        case _:
            return "[]byte"


def _uses(fields: list[Field], enumeration: str) -> list[Field]:
    """The numbers among `fields`, and their items, that have the enumeration."""
    found = []
    for field in fields:
        if field.enumeration == enumeration:
            found.append(field)
        if field.items is not None:
            found += _uses([field.items], enumeration)
    return found


def _base(one: Enumeration, found: list[Layout]) -> str:
    """The narrowest type that holds every member and whatever a field of the enumeration holds."""
    values = [member.value for member in one.members]
    if any(isinstance(value, str) for value in values):
        return "string"
    numbers = [value for value in values if isinstance(value, int)]
    uses = _uses([place.field for layout in found for place in layout.places], one.name)
    signed = any(field.signed for field in uses) or min(numbers, default=0) < 0
    size = max([8 if field.type is FieldType.VARINT else field.size for field in uses], default=1)
    while not all(_fits(value, size, signed) for value in numbers) and size < 8:
        size *= 2
    return f"{'int' if signed else 'uint'}{8 * size}"


def _fits(value: int, size: int, signed: bool) -> bool:
    least, greatest = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
    return least <= value <= greatest
