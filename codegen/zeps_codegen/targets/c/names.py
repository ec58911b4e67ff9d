"""Names in C, unique in the whole bundle because C has one name space, and literals."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import Bundle, EventKind, Protocol
from ...naming import Scope, screaming, snake
from ...package import Package
from ...plan.build import plan_of
from ...plan.enumerations import enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan, machine_plan
from ...plan.operations import Constant, Number, Operation, Reserved, Topic

__all__ = ["LANGUAGE", "MachineNames", "MessageNames", "Names", "ProtocolNames", "number", "quoted"]

LANGUAGE = "c"
#: Prefixes that a model's names cannot have, and names that its files cannot have.
_TAKEN = ("wire", "machine", "schema", "internal", "text", "encode", "decode", "driver", "main", "registry")
_OF_PROTOCOLS = "message kind protocol schemas decode encode size decode_frames encode_frames kind_name"
_OF_MACHINES = (
    "host state event internal_event table init free receive where state_name event_name",
    "fail raise advance deadline",
)


class MessageNames:
    """The names of a message: the struct, its member of the union, the enumerator, its members in wire order."""

    def __init__(self, layout: Layout, protocol: Protocol, prefix: str, scope: Scope, union: Scope) -> None:
        self.message, self.plan, self.least = layout.message, plan_of(layout), layout.least
        self.enumerations = {plan.enumeration.name: plan for plan in enumeration_plans(protocol)}
        lower = f"{prefix}_{snake(self.message.name)}"
        suffix = "_frames" if self.plan.apart else ""
        self.type, self.kind = scope.name(lower), scope.name(lower.upper())
        self.decode, self.encode = (scope.name(f"{lower}_{verb}{suffix}") for verb in ("decode", "encode"))
        self.size, self.member = scope.name(f"{lower}_size"), union.name(snake(self.message.name))
        own = Scope(LANGUAGE)
        fields = {
            operation: own.name(snake(operation.name)) for operation in self.plan.all if _is_shown(operation)
        }
        topics = {
            operation: own.name(operation.name) for operation in self.plan.all if isinstance(operation, Topic)
        }
        self.members: dict[Operation, str] = topics | fields
        self.fields = {operation.name: (member, operation) for operation, member in fields.items()}
        """The members of the fields, by the model's names, and the operations on them."""
        fixed = [field for field in self.message.fields if field.value is not None and protocol.has(field)]
        self.constants = [(scope.name(f"{lower.upper()}_{screaming(field.name)}"), field) for field in fixed]


class ProtocolNames:
    """The names of a protocol. `functions` includes types and tables, by the ends of their names; `none` is the kind
    for no message. `enumerations` has each enumeration's type and names of members. The type is None, and the members
    are macros, if a value is a text, or a number of 2^31 or more, positive or negative.
    """

    def __init__(self, protocol: Protocol, file: str, prefix: str, scope: Scope) -> None:
        self.protocol, self.file, upper = protocol, file, prefix.upper()
        self.functions = {verb: scope.name(f"{prefix}_{verb}") for verb in _OF_PROTOCOLS.split()}
        self.none, union, included = scope.name(f"{upper}_NONE"), Scope(LANGUAGE, ["none"]), layouts(protocol)
        self.messages = {
            layout.message.name: MessageNames(layout, protocol, prefix, scope, union) for layout in included
        }
        self.has_frames = any(layout.has_frames for layout in included)
        self.constants = [
            (scope.name(f"{upper}_{screaming(constant.name)}"), constant) for constant in protocol.constants
        ]
        self.enumerations = []
        for enumeration in protocol.enumerations:
            stem = f"{upper}_{screaming(enumeration.name)}"
            members = [
                (scope.name(f"{stem}_{screaming(member.name)}"), member) for member in enumeration.members
            ]
            values = [member.value for member in enumeration.members]
            is_small = all(isinstance(value, int) and abs(value) < 1 << 31 for value in values)
            kind = scope.name(f"{prefix}_{snake(enumeration.name)}") if is_small and values else None
            self.enumerations.append((enumeration, kind, members))


class MachineNames:
    """The names of a machine: enumerators (`states`, `events`), functions, types and tables by the ends of their names,
    `calls` that raise events, `structs` of their arguments, and functions that fill fields (`fills`).
    """

    def __init__(self, plan: MachinePlan, file: str, prefix: str, scope: Scope) -> None:
        self.file, self.type, upper = file, scope.name(prefix), prefix.upper()
        self.functions = {verb: scope.name(f"{prefix}_{verb}") for verb in " ".join(_OF_MACHINES).split()}
        states, kinds = plan.machine.states, {EventKind.MESSAGE: "GOT"}
        self.states = {state.name: scope.name(f"{upper}_IN_{screaming(state.name)}") for state in states}
        self.events = {
            event.name: scope.name(f"{upper}_{kinds.get(event.kind, 'ON')}_{screaming(event.name)}")
            for event in plan.machine.events
        }
        with_parameters = [event for event in plan.events if event.parameters]
        self.structs = {
            event.name: scope.name(f"{prefix}_{snake(event.name)}_call") for event in with_parameters
        }
        self.calls = {event.name: scope.name(f"{prefix}_on_{snake(event.name)}") for event in plan.called}
        self.fills = {
            (message, operation): scope.name(f"{prefix}_fill_{snake(message)}_{snake(operation.name)}")
            for message, fields in plan.fillable.items()
            for operation in fields
        }
        members = Scope(LANGUAGE, ("base", "host", "context", "deadlines"))
        actions = Scope(LANGUAGE, ("send", "unsendable", "transition"))
        self.variables = {
            variable.name: (members.name(snake(variable.name)), variable)
            for variable in plan.machine.variables
        }
        self.drafts = {message: members.name(f"draft_of_{snake(message)}") for message in plan.fillable}
        self.actions = {action.name: actions.name(snake(action.name)) for action in plan.actions}
        self.parameters: dict[str, dict[str, tuple[str, Operation]]] = {}
        """The members of the structs, by event and parameter, and the operations on them."""
        for event in plan.events:
            own, operations = Scope(LANGUAGE, ("machine", "call")), plan.operations(event.name).items()
            members_of = {
                name: (own.name(snake(name)), operation) for name, operation in operations if event.parameters
            }
            self.parameters[event.name] = members_of


class Names:
    """The global names of a bundle's package, assigned in the models' order; `taken` are the runtime's names."""

    def __init__(self, bundle: Bundle, package: Package, taken: Iterable[str]) -> None:
        scope, files = Scope(LANGUAGE, taken), Scope(LANGUAGE, (*_TAKEN, package.c_prefix))
        models = [model.name for model in bundle.protocols] + [model.name for model in bundle.machines]
        named = [files.name(snake(name)) for name in models]
        stems = iter([(file, package.c_model_prefix + file, scope) for file in named])
        self.protocols = {
            protocol.name: ProtocolNames(protocol, *next(stems)) for protocol in bundle.protocols
        }
        self.plans = {
            machine.name: machine_plan(machine, bundle.protocol(machine.protocol))
            for machine in bundle.machines
        }
        self.machines = {name: MachineNames(plan, *next(stems)) for name, plan in self.plans.items()}


def _is_shown(operation: Operation) -> bool:
    hidden = isinstance(operation, Constant | Topic | Reserved)
    return not hidden and not (isinstance(operation, Number) and operation.measures)


def quoted(value: str | bytes) -> str:
    """A string literal of bytes or UTF-8, with quotes; bytes that are not printable ASCII are octal escapes."""
    data = value.encode() if isinstance(value, str) else value
    plain = {octet: chr(octet) for octet in range(0x20, 0x7F)} | {ord(char): f"\\{char}" for char in '\\"?'}
    text = "".join(plain.get(octet, f"\\{octet:03o}") for octet in data)
    return f'"{text}"'


def number(value: int) -> str:
    """A literal of a number of at most 64 bits, signed or not."""
    if value < 0:
        return f"(-INT64_C({-value - 1}) - 1)" if value == -(1 << 63) else f"-INT64_C({-value})"
    return str(value) if value < 1 << 15 else f"UINT64_C({value})"
