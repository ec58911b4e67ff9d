"""Names and types in TypeScript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...ir import Event, Machine, Protocol, Text
from ...naming import Scope, camel, kebab, pascal, screaming
from ...plan.build import parameter_of, plan_of
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.machine import machine_plan
from ...plan.operations import Apart, Constant, Content, Items, Number, Operation, Reserved, Topic
from .text import SAFE_MAX, literal, quoted

__all__ = ["MachineNames", "MessageNames", "ProtocolNames", "module_name"]

Carried = Mapping[str, tuple[Operation, str]]
"""Operations with their properties, by the names in the model."""

_FLAGS_MAX = 2**31 - 1
_TOP = "BigInt Exclude IDS Message Number SingleFrameMessage Uint8Array wire"
#: Names at the top of a protocol's module, or of JavaScript, that generated names cannot have.
_TOP_NAMES = frozenset(_TOP.split())
#: Names that a property cannot have: the discriminant, and members of every object.
_MEMBERS = ("type", "constructor", "prototype", "toString", "valueOf")
_MACHINE = (
    "advance constructor deadline fail host onTransition raise receive state terminated toString valueOf"
)
#: Names that a machine's methods and variables cannot have.
_OF_MACHINES = frozenset(_MACHINE.split())


def _properties(names: Iterable[str], taken: Iterable[str] = _MEMBERS) -> list[str]:
    """A property for each name, unique and not in `taken`; it may be a reserved word."""
    known, properties = set(taken), list[str]()
    for name in names:
        property_ = camel(name) or "field"
        property_ = f"_{property_}" if property_[0].isdigit() else property_
        while property_ in known:
            property_ += "_"
        known.add(property_)
        properties.append(property_)
    return properties


def module_name(name: str) -> str:
    """The module of a protocol or machine, without file extension."""
    module = kebab(name) or "_"
    return f"{module}_" if module == "index" else module  # the package has its own index


@dataclass(frozen=True, slots=True)
class EnumerationNames:
    """The constant object and the type of its values, `name`, and the function that tests for membership."""

    plan: EnumerationPlan
    name: str

    @property
    def guard(self) -> str:
        return f"is{self.name}"

    @property
    def is_big(self) -> bool:
        """Whether the members are bigints."""
        most = _FLAGS_MAX if self.plan.is_flags else SAFE_MAX
        return not self.plan.is_text and any(abs(int(member.value)) > most for member in self.plan.members)

    @property
    def members(self) -> list[tuple[str, str, str]]:
        """Name, value and documentation of each member."""
        scope, all_ = Scope("typescript"), self.plan.enumeration.members
        return [
            (scope.name(screaming(member.name)), literal(member.value, self.is_big), member.doc)
            for member in all_
        ]


class MessageNames:
    """A message, its interface, and the names of its operations: locals, and properties of the shown operations."""

    def __init__(self, layout: Layout, type_: str, guards: Iterable[str]) -> None:
        self.plan, self.message, self.type = plan_of(layout), layout.message, type_
        self.fields = [place.field for place in (*layout.head_constants, *layout.places)]
        kept = [operation for operation in self.plan.all if not isinstance(operation, Constant | Reserved)]
        topic_last = sorted(kept, key=lambda operation: isinstance(operation, Topic))
        scope = Scope("typescript", ["reader", "data", "frames", "wire", *guards])
        self.locals: dict[Operation, str] = {
            operation: scope.name(camel(operation.name) or "field") for operation in topic_last
        }
        held = [
            operation
            for operation in topic_last
            if not (isinstance(operation, Number) and operation.measures)
        ]
        members = dict(zip(held, _properties(operation.name for operation in held), strict=True))
        self.members: dict[Operation, str] = {
            operation: members[operation] for operation in kept if operation in members
        }

    @property
    def properties(self) -> Carried:
        """The shown operations with their properties, by the model's names of their fields."""
        return {operation.name: (operation, member) for operation, member in self.members.items()}

    def operation(self, name: str) -> Operation:
        """The operation on a field. Raises StopIteration for other names, the topic, constant and reserved fields."""
        return next(
            operation
            for operation in self.locals
            if operation.name == name and not isinstance(operation, Topic)
        )


class ProtocolNames:
    """The messages, enumerations and constants of a protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol, wires, scope = protocol, layouts(protocol), Scope("typescript", _TOP_NAMES)
        types = [scope.name(pascal(wire.message.name)) for wire in wires]
        plans = enumeration_plans(protocol)
        enumerations = [EnumerationNames(plan, scope.name(pascal(plan.enumeration.name))) for plan in plans]
        self.enumerations = {enumeration.plan.enumeration.name: enumeration for enumeration in enumerations}
        guards = [enumeration.guard for enumeration in enumerations]
        named = [MessageNames(wire, type_, guards) for wire, type_ in zip(wires, types, strict=True)]
        self.messages = {message.plan.name: message for message in named}
        self.longest = sorted(named, key=lambda message: -len(message.plan.dispatch))
        """The messages, those with longer beginnings first, so that a shorter prefix does not match first."""
        self.several = [message for message in named if message.plan.apart]
        """The messages that have frames after the first."""
        self.constants = self._constants(Scope("typescript", [*_TOP_NAMES, *types]))
        """Name, value and documentation of the exported constants."""

    def _constants(self, scope: Scope) -> list[tuple[str, str, str]]:
        # all constants have one type: JavaScript numbers if all fit, else bigints
        constants = self.protocol.constants
        big = any(
            isinstance(constant.value, int) and abs(constant.value) > SAFE_MAX for constant in constants
        )
        exported = [
            (scope.name(screaming(constant.name)), literal(constant.value, big), constant.doc)
            for constant in constants
        ]
        for message in self.messages.values():
            for field in message.fields:
                if isinstance(field.value, int | str):
                    name = scope.name(f"{screaming(message.plan.name)}_{screaming(field.name)}")
                    big = field.size == 8 or (isinstance(field.value, int) and abs(field.value) > SAFE_MAX)
                    doc = field.doc or f"{field.name} of {message.plan.name}."
                    exported.append((name, literal(field.value, big), doc))
        return exported

    def is_big(self, number: Number) -> bool:
        """Whether the number is a bigint."""
        enumeration = self.enumerations.get(number.enumeration or "")
        return number.bits == 64 if enumeration is None else enumeration.is_big

    def type_of(self, operation: Operation, path: str = "") -> str:
        """The type of the operation's value; `path` is the prefix of enumerations."""
        match operation:
            case Number(enumeration=str() as name) | Content(enumeration=str() as name):
                return path + self.enumerations[name].name
            case Number():
                return "bigint" if self.is_big(operation) else "number"
            case Topic() | Content(text=Text()):
                return "string"
            case Items(parts=parts):
                kinds = [self.type_of(part, path) for part in parts]
                kind = f"readonly [{', '.join(kinds)}]" if operation.is_pairs else kinds[0]
                return f"readonly {f'({kind})' if ' ' in kind else kind}[]"
            case Apart(is_rest=True):
                return "readonly Uint8Array[]"
            case _:
                return "Uint8Array"

    def constant(self, operation: Operation, value: int | str | bytes | None = None) -> str:
        """A literal of the type that :meth:`type_of` gives: `value`, or zero or empty without one."""
        match operation:
            case Number():
                return literal(value or 0, self.is_big(operation))
            case Content(text=Text()):
                return quoted(value.decode() if isinstance(value, bytes) else "")
            case Items():
                return "[]"
            case Apart(is_rest=True):
                return "[new Uint8Array()]"
            case _:
                return literal(value) if value else f"new Uint8Array({getattr(operation, 'size', 0)})"

    def kind(self, operation: Operation) -> str:
        """The encoding of the value in requests to the driver: the letters of the runtime's `values.ts`."""
        match operation:
            case Number(signed=signed):
                letter = "i" if signed else "u"
                return letter.upper() if self.is_big(operation) else letter
            case Items(parts=parts):
                return ("h" if operation.is_pairs else "l") + self.kind(parts[0])
            case Topic() | Content(text=Text()):
                return "s"
            case Apart(is_rest=True):
                return "lb"
            case _:
                return "o" if isinstance(operation, Content) and operation.is_string else "b"


class MachineNames:
    """A machine's module, its class with variables and methods, and its host's interface with actions."""

    def __init__(self, machine: Machine, protocol: ProtocolNames) -> None:
        self.machine, self.protocol, self.plan = machine, protocol, machine_plan(machine, protocol.protocol)
        role = pascal(machine.role.value)
        self.class_name, self.host_name = f"{role}Machine", f"{role}Host"
        self.module = Scope("typescript", ["engine", "machine", "message", "draft"]).name(
            camel(machine.protocol)
        )
        """The name under which the protocol's module is imported."""
        variables, called = (
            [variable.name for variable in machine.variables],
            [event.name for event in self.plan.called],
        )
        fills, actions = list(self.plan.fillable), [action.name for action in self.plan.actions]
        member_names = [*variables, *called, *(f"fill {message}" for message in fills)]
        members = iter(_properties(member_names, _OF_MACHINES))
        self.variables = dict(zip(variables, members, strict=False))
        self.methods = dict(zip(called, members, strict=False))
        self.fills = dict(zip(fills, members, strict=True))
        """The method that fills each message."""
        callbacks = _properties(actions, ("send", "unsendable", "constructor"))
        self.actions = dict(zip(actions, callbacks, strict=True))

    def carried(self, event: Event) -> Carried:
        """The fields of the event's message, or its method's parameters, with properties, by the model's names."""
        if event.message is not None:
            return self.protocol.messages[event.message].properties
        names = _properties((parameter.name for parameter in event.parameters), ())
        return {
            parameter.name: (parameter_of(parameter), name)
            for parameter, name in zip(event.parameters, names, strict=True)
        }

    def payload(self, event: Event) -> str:
        """The type of the event's data."""
        if event.message is not None:
            return f"{self.module}.{self.protocol.messages[event.message].type}"
        return f"{pascal(event.name)}Call" if event.parameters else "null"

    def arguments(self, event: Event) -> list[tuple[str, str]]:
        """Each parameter of the event's method as declaration and as member of the event's data, with a value if that
        is checked. Only for events without a message.
        """
        scope, arguments = Scope("typescript", ["engine"]), list[tuple[str, str]]()
        for operation, name in self.carried(event).values():
            local = given = scope.name(name)
            if isinstance(operation, Number):
                given = f"engine.integer({local}, {quoted(name)}, {str(operation.signed).lower()})"
            kind = self.protocol.type_of(operation, f"{self.module}.")
            arguments.append((f"{local}: {kind}", name if name == given else f"{name}: {given}"))
        return arguments
