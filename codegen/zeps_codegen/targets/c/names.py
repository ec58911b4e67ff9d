"""What everything is called in C: one name space for a whole bundle, and literals."""

from __future__ import annotations

from ...ir import Bundle, Constant, Enumeration, EventKind, Protocol
from ...naming import Scope, screaming, snake
from ...plan.build import plan_of
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan, machine_plan
from ...plan.operations import Constant as ConstantOctets
from ...plan.operations import Number, Operation, Reserved, Topic

__all__ = ["LANGUAGE", "MachineNames", "MessageNames", "Names", "ProtocolNames", "number", "quoted"]

LANGUAGE = "c"
#: What no model may begin its names with, and how its files may not be called.
_TAKEN = ("wire", "machine", "schema", "internal", "text", "encode", "decode", "driver", "main", "registry")


class MessageNames:
    """`type` is the struct, `member` its place in the union, `kind` the enumerator; `members` are those of the struct,
    in the order of the wire.
    """

    def __init__(self, layout: Layout, protocol: Protocol, prefix: str, scope: Scope, union: Scope) -> None:
        self.message, self.plan, self.least = layout.message, plan_of(layout), layout.least
        self.enumerations = {one.name: one for one in protocol.enumerations}
        lower = f"{prefix}_{snake(self.message.name)}"
        suffix = "_frames" if self.plan.apart else ""
        self.type, self.kind = scope.name(lower), scope.name(lower.upper())
        self.decode, self.encode, self.size = _verbs(
            lower, scope, f"decode{suffix}", f"encode{suffix}", "size"
        )
        self.member = union.name(snake(self.message.name))
        own, all_of_them = Scope(LANGUAGE), (*self.plan.operations, *self.plan.apart)
        fields = {one: own.name(snake(one.name)) for one in all_of_them if _is_shown(one)}
        topics = {one: own.name(one.name) for one in all_of_them if isinstance(one, Topic)}
        self.members: dict[Operation, str] = topics | fields
        self.fields = {one.name: (member, one) for one, member in fields.items()}
        """The members of the fields, by the model's names, and the operations on them."""
        self.constants = [
            (scope.name(f"{lower.upper()}_{screaming(one.name)}"), one)
            for one in self.message.fields
            if one.value is not None and protocol.has(one)
        ]


class ProtocolNames:
    """`union` holds any message, `kind` is the enumeration that says which, `none` its first member."""

    def __init__(self, protocol: Protocol, prefix: str, scope: Scope) -> None:
        self.protocol, self.file, self.upper = protocol, prefix, prefix.upper()
        self.union, self.kind = _verbs(prefix, scope, "message", "kind")
        self.none = scope.name(f"{self.upper}_NONE")
        self.table, self.schemas = _verbs(prefix, scope, "protocol", "schemas")
        self.decode, self.encode, self.size = _verbs(prefix, scope, "decode", "encode", "size")
        union = Scope(LANGUAGE, ["none"])
        found = layouts(protocol)
        self.messages = {one.message.name: MessageNames(one, protocol, prefix, scope, union) for one in found}
        self.has_frames = any(one.has_frames for one in found)
        self.decode_frames, self.encode_frames, self.kind_name = _verbs(
            prefix, scope, "decode_frames", "encode_frames", "kind_name"
        )
        self.constants = [
            (scope.name(f"{self.upper}_{screaming(one.name)}"), one) for one in protocol.constants
        ]
        self.enumerations = [self._enumeration(one, scope) for one in protocol.enumerations]

    def _enumeration(
        self, one: Enumeration, scope: Scope
    ) -> tuple[Enumeration, str | None, list[tuple[str, Constant]]]:
        """With the name of its type, unless its members are macros, and with theirs."""
        stem = f"{self.upper}_{screaming(one.name)}"
        members = [(scope.name(f"{stem}_{screaming(member.name)}"), member) for member in one.members]
        values = [member.value for member in one.members]
        is_small = bool(values) and all(isinstance(value, int) and abs(value) < 1 << 31 for value in values)
        return one, scope.name(f"{self.file}_{snake(one.name)}") if is_small else None, members


class MachineNames:
    """`states` and `events` are the enumerators, by the model's names; `calls` the functions of what is called, and
    `structs` what methods are called with.
    """

    def __init__(self, plan: MachinePlan, prefix: str, scope: Scope) -> None:
        machine, upper = plan.machine, prefix.upper()
        self.file, self.type = prefix, scope.name(prefix)
        self.host, self.state, self.event = _verbs(prefix, scope, "host", "state", "event")
        self.table = scope.name(f"{prefix}_table")
        self.states = {one.name: scope.name(f"{upper}_IN_{screaming(one.name)}") for one in machine.states}
        self.events = {
            one.name: scope.name(
                f"{upper}_{'GOT' if one.kind is EventKind.MESSAGE else 'ON'}_{screaming(one.name)}"
            )
            for one in machine.events
        }
        self.init, self.free, self.receive = _verbs(prefix, scope, "init", "free", "receive")
        self.fail, self.where = _verbs(prefix, scope, "fail", "where")
        self.structs = {
            one.name: scope.name(f"{prefix}_{snake(one.name)}_call") for one in plan.events if one.parameters
        }
        self.calls = {one.name: scope.name(f"{prefix}_on_{snake(one.name)}") for one in plan.called}
        self.state_name, self.event_name, self.raise_ = _verbs(
            prefix, scope, "state_name", "event_name", "raise"
        )
        self.internal, self.advance, self.deadline = _verbs(
            prefix, scope, "internal_event", "advance", "deadline"
        )
        self.fills = {
            (message, one): scope.name(f"{prefix}_fill_{snake(message)}_{snake(one.name)}")
            for message, fields in plan.fillable.items()
            for one in fields
        }
        members = Scope(LANGUAGE, ("base", "host", "context", "deadlines"))
        fields = Scope(LANGUAGE, ("send", "unsendable", "transition"))
        self.variables = {one.name: (members.name(snake(one.name)), one) for one in machine.variables}
        self.drafts = {message: members.name(f"draft_of_{snake(message)}") for message in plan.fillable}
        self.actions = {one.name: fields.name(snake(one.name)) for one in plan.actions}
        self.parameters = {one.name: self._parameters(plan, one.name) for one in plan.events}
        """The members of the structs, by the parameters' names, and the operations on them."""

    def _parameters(self, plan: MachinePlan, event: str) -> dict[str, tuple[str, Operation]]:
        scope = Scope(LANGUAGE, ("machine", "call"))
        found = plan.operations(event) if plan.event(event).parameters else {}
        return {name: (scope.name(snake(name)), operation) for name, operation in found.items()}


class Names:
    """The global names of a bundle's package, given out in the models' order."""

    def __init__(self, bundle: Bundle) -> None:
        scope, files = Scope(LANGUAGE), Scope(LANGUAGE, _TAKEN)
        self.protocols = {
            one.name: ProtocolNames(one, files.name(snake(one.name)), scope) for one in bundle.protocols
        }
        self.plans = {one.name: machine_plan(one, bundle.protocol(one.protocol)) for one in bundle.machines}
        self.machines = {
            name: MachineNames(plan, files.name(snake(name)), scope) for name, plan in self.plans.items()
        }


def _verbs(prefix: str, scope: Scope, *verbs: str) -> list[str]:
    return [scope.name(f"{prefix}_{verb}") for verb in verbs]


def _is_shown(operation: Operation) -> bool:
    hidden = isinstance(operation, ConstantOctets | Topic | Reserved)
    return not hidden and not (isinstance(operation, Number) and operation.measures)


def quoted(value: str | bytes) -> str:
    """A string literal; whatever is not plain ASCII is escaped."""
    octets = value.encode() if isinstance(value, str) else value
    text = []
    for octet in octets:
        character = chr(octet)
        if character in '\\"?':
            text.append(f"\\{character}")
        else:
            text.append(character if 0x20 <= octet < 0x7F else f"\\{octet:03o}")
    return f'"{"".join(text)}"'


def number(value: int) -> str:
    """A number of any size."""
    if value < 0:
        return f"(-INT64_C({-value - 1}) - 1)" if value == -(1 << 63) else f"-INT64_C({-value})"
    return str(value) if value < 1 << 15 else f"UINT64_C({value})"
