"""What everything is called in C: one name space for a whole bundle, and literals."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Bundle, Machine, Message, Protocol
from ...naming import Scope, screaming, snake
from ...plan.build import plans
from ...plan.operations import Apart, Constant, Number, Operation, Plan, Reserved, Topic

__all__ = ["LANGUAGE", "MachineNames", "MessageNames", "Names", "ProtocolNames", "number", "quoted"]

LANGUAGE = "c"
#: What no model may begin its names with, and how its files may not be called.
_TAKEN = ("wire", "machine", "schema", "internal", "text", "encode", "decode", "driver", "main", "registry")


@dataclass(frozen=True, slots=True)
class MessageNames:
    """`type` is the struct, `member` its place in the union, `kind` the enumerator; `members` are those of the struct,
    by their fields' names.
    """

    message: Message
    plan: Plan
    type: str
    member: str
    kind: str
    macro: str
    decode: str
    encode: str
    size: str
    members: dict[str, str]
    topic: str

    @property
    def shown(self) -> list[Operation]:
        """What the struct has."""
        return [one for one in self.plan.operations if self.member_of(one) is not None]

    def member_of(self, operation: Operation) -> str | None:
        """The struct's member, if it has one for the operation."""
        return self.topic if isinstance(operation, Topic) else self.members.get(operation.name)


@dataclass(frozen=True, slots=True)
class ProtocolNames:
    file: str
    upper: str
    union: str
    kind: str
    none: str
    table: str
    schemas: str
    decode: str
    encode: str
    size: str
    messages: dict[str, MessageNames]


@dataclass(frozen=True, slots=True)
class MachineNames:
    file: str
    type: str
    host: str
    state: str
    event: str
    table: str
    states: tuple[str, ...]
    events: tuple[str, ...]
    init: str
    free: str
    receive: str
    fail: str
    where: str


class Names:
    """The global names of a bundle's package, given out in the models' order."""

    def __init__(self, bundle: Bundle) -> None:
        self.scope = Scope(LANGUAGE)
        files = Scope(LANGUAGE, _TAKEN)
        self.protocols = {
            one.name: self._protocol(one, files.name(snake(one.name))) for one in bundle.protocols
        }
        self.machines = {one.name: self._machine(one, files.name(snake(one.name))) for one in bundle.machines}

    def _protocol(self, protocol: Protocol, prefix: str) -> ProtocolNames:
        upper = prefix.upper()
        name = self.scope.name
        union, kind, none = name(f"{prefix}_message"), name(f"{prefix}_kind"), name(f"{upper}_NONE")
        table, schemas = name(f"{prefix}_protocol"), name(f"{prefix}_schemas")
        decode, encode, size = (name(f"{prefix}_{verb}") for verb in ("decode", "encode", "size"))
        members = Scope(LANGUAGE, ["none"])
        messages = {
            one.name: self._message(protocol.message(one.name), one, prefix, members)
            for one in plans(protocol)
        }
        return ProtocolNames(prefix, upper, union, kind, none, table, schemas, decode, encode, size, messages)

    def _message(self, message: Message, plan: Plan, prefix: str, members: Scope) -> MessageNames:
        name = self.scope.name
        lower, upper = f"{prefix}_{snake(message.name)}", f"{prefix}_{screaming(message.name)}".upper()
        scope = Scope(LANGUAGE)
        shown = {one.name: scope.name(snake(one.name)) for one in plan.operations if _is_shown(one)}
        return MessageNames(
            message,
            plan,
            name(lower),
            members.name(snake(message.name)),
            name(upper),
            upper,
            name(f"{lower}_decode"),
            name(f"{lower}_encode"),
            name(f"{lower}_size"),
            shown,
            scope.name("topic"),
        )

    def _machine(self, machine: Machine, prefix: str) -> MachineNames:
        upper = prefix.upper()
        name = self.scope.name
        return MachineNames(
            prefix,
            name(prefix),
            name(f"{prefix}_host"),
            name(f"{prefix}_state"),
            name(f"{prefix}_event"),
            name(f"{prefix}_table"),
            tuple(name(f"{upper}_IN_{screaming(one.name)}") for one in machine.states),
            tuple(
                name(f"{upper}_ON_{screaming(one.name)}")
                if one.kind.value != "message"
                else name(f"{upper}_GOT_{screaming(one.name)}")
                for one in machine.events
            ),
            *(name(f"{prefix}_{verb}") for verb in ("init", "free", "receive", "fail", "where")),
        )


def _is_shown(operation: Operation) -> bool:
    return not isinstance(operation, Constant | Topic | Reserved | Apart) and not (
        isinstance(operation, Number) and operation.measures
    )


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
