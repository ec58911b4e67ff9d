"""What everything is called in C: one name space for a whole bundle, and literals."""

from __future__ import annotations

from ...ir import Bundle, EventKind, Machine, Message, Protocol
from ...naming import Scope, screaming, snake
from ...plan.build import plans
from ...plan.operations import Apart, Constant, Number, Operation, Plan, Reserved, Topic

__all__ = ["LANGUAGE", "MachineNames", "MessageNames", "Names", "ProtocolNames", "number", "quoted"]

LANGUAGE = "c"
#: What no model may begin its names with, and how its files may not be called.
_TAKEN = ("wire", "machine", "schema", "internal", "text", "encode", "decode", "driver", "main", "registry")


class MessageNames:
    """`type` is the struct, `member` its place in the union, `kind` the enumerator; `members` are those of the struct,
    by their fields' names.
    """

    def __init__(self, message: Message, plan: Plan, prefix: str, scope: Scope, union: Scope) -> None:
        lower = f"{prefix}_{snake(message.name)}"
        self.message, self.plan, self.macro = message, plan, lower.upper()
        self.type, self.kind = scope.name(lower), scope.name(self.macro)
        self.decode, self.encode, self.size = _verbs(lower, scope, "decode", "encode", "size")
        self.member = union.name(snake(message.name))
        own = Scope(LANGUAGE)
        self.members = {one.name: own.name(snake(one.name)) for one in plan.operations if _is_shown(one)}
        self.topic = own.name("topic")

    @property
    def shown(self) -> list[Operation]:
        """What the struct has."""
        return [one for one in self.plan.operations if self.member_of(one) is not None]

    def member_of(self, operation: Operation) -> str | None:
        """The struct's member, if it has one for the operation."""
        return self.topic if isinstance(operation, Topic) else self.members.get(operation.name)


class ProtocolNames:
    """`union` holds any message, `kind` is the enumeration that says which, `none` its first member."""

    def __init__(self, protocol: Protocol, prefix: str, scope: Scope) -> None:
        self.file, self.upper = prefix, prefix.upper()
        self.union, self.kind = _verbs(prefix, scope, "message", "kind")
        self.none = scope.name(f"{self.upper}_NONE")
        self.table, self.schemas = _verbs(prefix, scope, "protocol", "schemas")
        self.decode, self.encode, self.size = _verbs(prefix, scope, "decode", "encode", "size")
        union = Scope(LANGUAGE, ["none"])
        self.messages = {
            one.name: MessageNames(protocol.message(one.name), one, prefix, scope, union)
            for one in plans(protocol)
        }


class MachineNames:
    """`states` and `events` are the enumerators, by the model's names."""

    def __init__(self, machine: Machine, prefix: str, scope: Scope) -> None:
        self.file, upper = prefix, prefix.upper()
        self.type = scope.name(prefix)
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


class Names:
    """The global names of a bundle's package, given out in the models' order."""

    def __init__(self, bundle: Bundle) -> None:
        self.scope = scope = Scope(LANGUAGE)
        files = Scope(LANGUAGE, _TAKEN)
        self.protocols = {
            one.name: ProtocolNames(one, files.name(snake(one.name)), scope) for one in bundle.protocols
        }
        self.machines = {
            one.name: MachineNames(one, files.name(snake(one.name)), scope) for one in bundle.machines
        }


def _verbs(prefix: str, scope: Scope, *verbs: str) -> list[str]:
    return [scope.name(f"{prefix}_{verb}") for verb in verbs]


def _is_shown(operation: Operation) -> bool:
    hidden = isinstance(operation, Constant | Topic | Reserved | Apart)
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
