"""What things are called in TypeScript, and of which type they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...ir import Dispatch, Event, Machine, Protocol, Type, Variable
from ...naming import Scope, camel, kebab, pascal, screaming
from ...plan.build import parameter_of, plan_of
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.machine import machine_plan
from ...plan.operations import Constant, Content, Items, Number, Operation, Reserved, Topic
from ..errors import UnsupportedByTarget
from .lines import octets, quoted

__all__ = [
    "LOCALS",
    "MACHINE_LOCALS",
    "SAFE_MAX",
    "TO_CODECS",
    "TO_MACHINES",
    "Carried",
    "EnumerationNames",
    "MachineNames",
    "MessageNames",
    "ProtocolNames",
    "initial_value",
    "is_big",
    "literal",
    "module_name",
    "type_of_variable",
]

#: The greatest integer that a JavaScript number tells from its neighbours.
SAFE_MAX = 2**53 - 1
_FLAGS_MAX = 2**31 - 1

_GLOBALS = """Array ArrayBuffer BigInt DecodeError EncodeError IDS Map Math Message Number ReadonlySet Set String
TypeError Uint8Array decode encode sizeOf"""
_FROM_OCTETS = """allocate holds i16 i32 i64 i8 length64 noSuchMessage notConstant put16 put32 put64 putVarint u16
u32 u64 u8 unknownBeginning unzigzag varint varintEnd varintSize zigzag"""
_FROM_TEXT = "latin1 measurePrintable measureUtf8 measureVchar printable putText utf8 utf8Size vchar"

#: What the runtime offers to a codec, by module.
TO_CODECS: dict[str, tuple[str, ...]] = {
    "./runtime/errors.js": ("DecodeError", "EncodeError"),
    "./runtime/octets.js": tuple(_FROM_OCTETS.split()),
    "./runtime/text.js": tuple(_FROM_TEXT.split()),
}
#: What the runtime offers to a machine, by module.
TO_MACHINES: dict[str, tuple[str, ...]] = {
    "./runtime/arithmetic.js": ("difference", "least", "natural", "sameValue"),
    "./runtime/machine.js": ("Machine", "byState", "type Row", "type Rule"),
    "./runtime/octets.js": ("sameOctets",),
}
#: Types and values that a generated module uses by these names.
GLOBALS = frozenset(_GLOBALS.split())
#: What the statements of decoders and encoders call their own, or call.
LOCALS = GLOBALS.union(["at", "data", "index", "item", "message", "size"], *TO_CODECS.values())
_OF_MACHINES = "BigInt EVENT_OF INDEX Map Math RULES TABLE host machine message sizeOf"
#: What the functions of a machine's module may not be called.
MACHINE_LOCALS = frozenset(_OF_MACHINES.split()).union(*TO_MACHINES.values())
#: What no property may be called: the discriminant, and what every object has.
MEMBERS = frozenset({"type", "constructor", "prototype", "toString", "valueOf"})
_MACHINE_MEMBERS = "constructor fail host raise receive state terminated toString valueOf"
#: What a machine's methods and variables may not be called.
MACHINE_MEMBERS = frozenset(_MACHINE_MEMBERS.split())
#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3


class Properties:
    """Names of properties, which may be words of the language; each stands only once."""

    def __init__(self, taken: Iterable[str] = MEMBERS) -> None:
        self._taken = set(taken)

    def name(self, model: str) -> str:
        """The property for what the model calls `model`; it is then taken."""
        name = camel(model) or "field"
        name = f"_{name}" if name[0].isdigit() else name
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def module_name(name: str) -> str:
    """The module of a protocol or machine, without its ending."""
    found = kebab(name) or "_"
    return f"{found}_" if found == "index" else found  # the package has an index of its own


def literal(value: int | str | bytes, big: bool = False) -> str:
    """`value` as a literal; a number as a bigint if it is `big`."""
    if isinstance(value, bytes):
        return octets(value)
    return quoted(value) if isinstance(value, str) else f"{value}{'n' if big else ''}"


@dataclass(frozen=True, slots=True)
class EnumerationNames:
    """The constant object and the type of its values, `name`, and the function that tells whether a value is one."""

    plan: EnumerationPlan
    name: str

    @property
    def guard(self) -> str:
        return f"is{self.name}"

    @property
    def is_big(self) -> bool:
        """Whether the members are bigints."""
        most = _FLAGS_MAX if self.plan.is_flags else SAFE_MAX
        return not self.plan.is_text and any(abs(int(one.value)) > most for one in self.plan.members)

    @property
    def type(self) -> str:
        """The type of what may be a value."""
        return "string" if self.plan.is_text else "bigint" if self.is_big else "number"

    @property
    def members(self) -> list[tuple[str, str, str]]:
        """Name, value and documentation of each member."""
        scope, all_ = Scope("typescript"), self.plan.enumeration.members
        return [(scope.name(screaming(one.name)), literal(one.value, self.is_big), one.doc) for one in all_]

    @property
    def test(self) -> str:
        """The condition that `value` is one."""
        if not self.plan.is_flags:
            values = [literal(one.value, self.is_big) for one in self.plan.members]
            return " || ".join(f"value === {value}" for value in values) or "false"
        mask, zero = literal(self.plan.mask, self.is_big), literal(0, self.is_big)
        whole = "" if self.is_big else "Number.isInteger(value) && "
        return f"{whole}value >= {zero} && value <= {mask} && (value & ~{mask}) === {zero}"


class MessageNames:
    """A message, its interface, and the names of its operations: properties of those that it shows, and locals."""

    def __init__(self, layout: Layout, type_: str) -> None:
        self.layout, self.plan, self.message = layout, plan_of(layout), layout.message
        self.type, self.prefix = type_, screaming(layout.message.name)
        self.head = self.beginning = ""
        self.octets: dict[Constant, str] = {}
        """The names of the constants' octets; :attr:`head` and :attr:`beginning` are such names too."""
        members, locals_ = Properties(), Scope("typescript", LOCALS)
        topic_last = sorted(self.plan.operations, key=lambda one: isinstance(one, Topic))
        named = {one: locals_.name(camel(one.name) or "field") for one in topic_last}
        shown = {one: members.name(one.name) for one in topic_last if _is_shown(one)}
        self.locals = {one: named[one] for one in self.plan.operations}
        self.members = {one: shown[one] for one in self.plan.operations if one in shown}

    @property
    def properties(self) -> dict[str, tuple[Operation, str]]:
        """What the message shows, with the property of each, by name."""
        return {one.name: (one, member) for one, member in self.members.items()}

    def local(self, name: str | None) -> str:
        """The local of the field called `name`."""
        return next(
            found for one, found in self.locals.items() if one.name == name and not isinstance(one, Topic)
        )


def _is_shown(operation: Operation) -> bool:
    return not isinstance(operation, Constant | Reserved) and not (
        isinstance(operation, Number) and operation.measures
    )


class ProtocolNames:
    """The messages and enumerations of a protocol. UnsupportedByTarget if a message has frames of its own."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        scope = Scope("typescript", GLOBALS)
        wires = layouts(protocol)
        self.messages = [MessageNames(wire, scope.name(pascal(wire.message.name))) for wire in wires]
        for one in self.messages:
            for apart in one.plan.apart:
                raise UnsupportedByTarget(
                    "typescript", one.plan.name, apart.name, "a ZeroMQ frame of its own"
                )
        self.enumerations = {
            one.enumeration.name: EnumerationNames(one, scope.name(pascal(one.enumeration.name)))
            for one in enumeration_plans(protocol)
        }
        self.constants: list[tuple[str, str, str]] = []
        """Name, value and documentation of what the module exports."""
        self.octets: dict[str, bytes] = {}
        """The octets that decoders and encoders may compare and copy, by name."""
        self._name_constants(Scope("typescript", [*LOCALS, *(one.type for one in self.messages)]))

    def _name_constants(self, scope: Scope) -> None:
        # the protocol's numbers are of one kind: either all fit JavaScript's numbers, or all are bigints
        big = any(isinstance(one.value, int) and abs(one.value) > SAFE_MAX for one in self.protocol.constants)
        for one in self.protocol.constants:
            self.constants.append((scope.name(screaming(one.name)), literal(one.value, big), one.doc))
        for message in self.messages:
            fields = [place.field for place in (*message.layout.head_constants, *message.layout.places)]
            for field in fields:
                if isinstance(field.value, int | str):
                    name = scope.name(f"{message.prefix}_{screaming(field.name)}")
                    big = field.size == 8 or (isinstance(field.value, int) and abs(field.value) > SAFE_MAX)
                    doc = field.doc or f"{field.name} of {message.plan.name}."
                    self.constants.append((name, literal(field.value, big), doc))
            message.head = self._octets(scope, f"{message.prefix}_HEAD", message.plan.head)
            for constant in (*message.plan.constants, *message.plan.operations):
                if isinstance(constant, Constant):
                    name = f"{message.prefix}_{screaming(constant.name)}_OCTETS"
                    message.octets[constant] = self._octets(scope, name, constant.octets)
        if self.protocol.dispatch is Dispatch.CONSTANT:
            for message in self.longest:
                message.beginning = self._octets(scope, f"{message.prefix}_BEGINNING", message.plan.dispatch)

    def _octets(self, scope: Scope, wanted: str, value: bytes) -> str:
        name = scope.name(wanted)
        self.octets[name] = value
        return name

    @property
    def longest(self) -> list[MessageNames]:
        """The messages, the longest beginning first, so that none hides another."""
        return sorted(self.messages, key=lambda one: -len(one.plan.dispatch))

    def message(self, name: str) -> MessageNames:
        """The message called `name`."""
        return next(one for one in self.messages if one.plan.name == name)

    def is_big(self, number: Number) -> bool:
        """Whether a bigint holds the number."""
        if number.enumeration is not None:
            return self.enumerations[number.enumeration].is_big
        return number.bits == 64

    def type_of(self, operation: Operation) -> str:
        """The type of the operation's value."""
        match operation:
            case Number(enumeration=str() as name) | Content(enumeration=str() as name):
                return self.enumerations[name].name
            case Number():
                return "bigint" if self.is_big(operation) else "number"
            case Topic():
                return "string"
            case Content(text=text):
                return "Uint8Array" if text is None else "string"
            case Items():
                kind = self.item_type(operation)
                return (
                    f"readonly (readonly {kind})[]" if operation.is_pairs else f"readonly {_grouped(kind)}[]"
                )
            case _:
                return "Uint8Array"

    def item_type(self, items: Items) -> str:
        """The type of an item; of a pair, unless `readonly` stands before it, one that can be changed."""
        kinds = [self.type_of(part) for part in items.parts]
        return f"[{', '.join(kinds)}]" if items.is_pairs else kinds[0]

    def array_type(self, items: Items) -> str:
        """The type of the array that a decoder fills."""
        return f"{self.item_type(items) if items.is_pairs else _grouped(self.item_type(items))}[]"


class MachineNames:
    """A machine's module, its class with variables and methods, and its host's interface with actions."""

    def __init__(self, machine: Machine, protocol: ProtocolNames) -> None:
        self.machine, self.protocol, self.plan = machine, protocol, machine_plan(machine, protocol.protocol)
        role = pascal(machine.role.value)
        self.class_name, self.host_name = f"{role}Machine", f"{role}Host"
        self.module = Scope("typescript", MACHINE_LOCALS).name(camel(machine.protocol))
        """What the protocol's module is imported as."""
        members, actions = Properties(MACHINE_MEMBERS), Properties({"send", "constructor"})
        self.variables = {one.name: members.name(one.name) for one in machine.variables}
        self.methods = {one.name: members.name(one.name) for one in self.plan.called}
        self.actions = {one.name: actions.name(one.name) for one in self.plan.actions}
        self.parameters = {one.name: _parameters(one) for one in self.plan.called}
        """What each method is called with, by the name in the model."""

    def carried(self, event: str) -> Carried:
        """What the event's message shows, or its method's parameters."""
        message = self.plan.event(event).message
        return (
            self.parameters.get(event, {}) if message is None else self.protocol.message(message).properties
        )

    def payload(self, event: str | None) -> str:
        """The type of what the event carries."""
        if event is None or not self.plan.carries(event):
            return "null"
        message = self.plan.event(event).message
        if message is None:
            return f"{pascal(event)}Call"
        return f"{self.module}.{self.protocol.message(message).type}"

    def payloads(self, events: Iterable[str | None], exact: bool = False) -> str:
        """The type of what any of the events carries; unless `exact`, many messages are written as any."""
        kinds = list(dict.fromkeys(self.payload(event) for event in events))
        messages = [kind for kind in kinds if "." in kind]
        others = [kind for kind in kinds if "." not in kind and kind != "null"]
        if len(messages) > _PAYLOADS_MAX and not exact:
            messages = [f"{self.module}.Message"]
        return " | ".join(messages + others + (["null"] if "null" in kinds else []))

    def parameter_type(self, parameter: Operation) -> str:
        """The type of a method's parameter."""
        kind = self.protocol.type_of(parameter)
        is_member = isinstance(parameter, Number | Content) and parameter.enumeration is not None
        return f"{self.module}.{kind}" if is_member else kind

    def signature(self, event: Event) -> tuple[str, str]:
        """The parameters of the event's method, and what it makes of them."""
        if event.message is not None:
            return f"message: {self.payload(event.name)}", "message"
        scope, parameters = Scope("typescript"), self.parameters[event.name].values()
        named = [(name, scope.name(name), self.parameter_type(one)) for one, name in parameters]
        members = [name if name == local else f"{name}: {local}" for name, local, _ in named]
        payload = f"{{ {', '.join(members)} }} satisfies {self.payload(event.name)}" if members else "null"
        return ", ".join(f"{local}: {kind}" for _, local, kind in named), payload


Carried = Mapping[str, tuple[Operation, str]]
"""Operations with their properties, by the names in the model."""


def _parameters(event: Event) -> Carried:
    names = Properties(())
    return {field.name: (parameter_of(field), names.name(field.name)) for field in event.parameters}


def is_big(variable: Variable) -> bool:
    """Whether the variable is a bigint."""
    return variable.type is Type.NUMBER and variable.size == 8


def type_of_variable(variable: Variable) -> str:
    """The type of the variable's property."""
    if variable.type is Type.NUMBER:
        return "bigint" if is_big(variable) else "number"
    return "Uint8Array" if variable.type is Type.OCTETS else variable.type.value


def initial_value(variable: Variable) -> str:
    """What the variable is to begin with."""
    match variable.type:
        case Type.NUMBER:
            return literal(int(variable.value), is_big(variable))
        case Type.BOOLEAN:
            return "true" if variable.value else "false"
        case Type.OCTETS:
            return octets(str(variable.value or "").encode())
        case Type.STRING:
            return quoted(str(variable.value or ""))


def _grouped(kind: str) -> str:
    return f"({kind})" if " " in kind else kind
