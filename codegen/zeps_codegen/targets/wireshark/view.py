"""The variables of the template: the model as Lua tables, and a field of Wireshark for each field of a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...interpret import present
from ...ir import (
    Assign,
    Dispatch,
    Enumeration,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Machine,
    Message,
    Name,
    Protocol,
    Send,
    Size,
    Step,
    Terminate,
    Transition,
    Type,
)
from ...naming import Scope, snake
from ...passes.abstraction import Abstraction
from ...passes.local import LocalMachine
from ...plan.layout import constant_bytes, layouts
from ...plan.machine import subexpressions
from ..operators import spell, spell_assigned
from .lua import Raw, lua, number_pair, text

__all__ = ["DissectorView", "dissector_view"]

PORT = 5670  # the default port of brokers
_BYTES = {FieldType.CHUNK, FieldType.OCTETS, FieldType.REST, FieldType.FRAME, FieldType.MSG}
_SIZE = "()"  # the name of a message's length among its fields


@dataclass(frozen=True, slots=True)
class MachineView:
    """One machine; every value is Lua, except `actor` and `title`."""

    actor: str
    title: str
    initial: str
    names: str
    values: str
    live: str
    deaf: str
    calls: str
    carries: str
    rows: list[tuple[str, list[tuple[str, list[str]]]]]


@dataclass(frozen=True, slots=True)
class DissectorView:
    name: str
    title: str
    short: str
    dispatch: str
    signature: str
    enumerations: str
    messages: str
    protos: list[tuple[str, str, tuple[str, str], str]]  # key, kind, (filter, title), further arguments
    machines: list[MachineView] = field(default_factory=list)
    port: int = PORT

    @property
    def name_text(self) -> str:
        return text(self.name)

    @property
    def title_text(self) -> str:
        return text(self.title)

    @property
    def short_text(self) -> str:
        return text(self.short)


def dissector_view(protocol: Protocol, client: Machine | None, server: Machine | None) -> DissectorView:
    """The variables of the template for the protocol; its machines are included only if both are given."""
    machines: list[MachineView] = []
    relevant: dict[str, list[str]] = {}
    if client is not None and server is not None:
        abstraction = Abstraction(protocol, (client, server))
        machines = [
            _Machine("client", client, abstraction).view(),
            _Machine("server", server, abstraction).view(),
        ]
        relevant = _relevant(abstraction, (client, server))
    messages = _Messages(protocol, relevant)
    tables = [
        messages.table(place, message) for place, message in enumerate(present(protocol.messages, protocol))
    ]
    signature = bytes((0xAA, 0xA0 | protocol.signature)) if protocol.dispatch is Dispatch.SIGNATURE else b""
    return DissectorView(
        name=snake(protocol.name),
        title=f"{protocol.title} ({protocol.name.upper()})" if protocol.title else protocol.name.upper(),
        short=protocol.name.upper(),
        dispatch=protocol.dispatch.value,
        signature=text(signature),
        enumerations=lua({item.name: _enumeration(item) for item in protocol.enumerations}),
        messages=lua(tables, 1),
        protos=messages.protos,
        machines=machines,
    )


def _enumeration(item: Enumeration) -> dict[str, object]:
    numbers = [(member.name, member.value) for member in item.members if isinstance(member.value, int)]
    mask = 0
    for _, value in numbers:
        mask |= value
    pairs = {name: number_pair(value) for name, value in numbers}
    return {
        "mask": number_pair(mask),
        "names": {f"{pairs[name]['hi']}:{pairs[name]['lo']}": name for name, _ in reversed(numbers)},
        "members": [{"name": name, **pairs[name]} for name, _ in numbers],
        "texts": {member.value: True for member in item.members if isinstance(member.value, str)},
    }


class _Messages:
    """Messages as tables, and the declarations of their fields for Wireshark."""

    def __init__(self, protocol: Protocol, relevant: Mapping[str, list[str]]) -> None:
        self.protocol, self.relevant = protocol, relevant
        self.protos: list[tuple[str, str, tuple[str, str], str]] = []
        self.scope = Scope("python")
        self.filters = Scope("python", ("zmtp", "message", "signature", "id", "topic", "error", "actor"))
        self.beginnings = {layout.message.name: layout.dispatch for layout in layouts(protocol)}

    def table(self, place: int, message: Message) -> dict[str, object]:
        prefix = self.filters.name(snake(message.name))
        constant = self.protocol.dispatch is Dispatch.CONSTANT
        names = Scope("python")
        return {
            "name": message.name,
            "id": message.id,
            "place": place,
            "relevant": self.relevant.get(message.name),
            "beginning": self.beginnings[message.name] if constant else b"",
            "extensible": message.extensible or None,
            "fields": [
                self.field(item, f"{prefix}.{names.name(snake(item.name))}")
                for item in present(message.fields, self.protocol)
            ],
        }

    def field(self, item: Field, label: str, of: Field | None = None) -> dict[str, object]:
        """The table of a field, or an item of the list `of`. Declares fields for filters that begin with `label`."""
        if item.reserved:
            item = replace(item, type=FieldType.OCTETS, signed=False)
        enumeration = (of or item).enumeration or item.enumeration
        flags = of.flags if of is not None and of.enumeration else item.flags
        listed = item.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH)
        table: dict[str, object] = {
            "name": item.name,
            "type": item.type.value,
            "size": item.size,
            "signed": item.signed or None,
            "text": item.text.value,
            "max": number_pair(item.max) if item.max is not None else None,
            "constant": constant_bytes(item) if item.value is not None else None,
            "count": item.count,
            "length": item.length,
            "open_ended": item.open_ended or None,
            "default": None if item.default is None or of is not None else _default(item),
        }
        if enumeration is not None and item.type is not FieldType.LIST:
            table["enumeration"] = Raw(f"enumerations[{text(enumeration)}]")
            table["flags"] = flags or None
        if item.type is FieldType.LIST and item.items is not None:
            table["items"] = {**self.field(item.items, label, item), "least": _least(item.items)}
        elif item.type is FieldType.HASH:
            table["key_proto"] = self.proto("string", f"{label}.key", item)
            table["value_proto"] = self.proto("string", f"{label}.value", item)
        else:
            table["proto"] = self.proto(_kind(item), label, item)
        if listed and not item.open_ended:
            table["count_proto"] = self.proto("uint32", f"{label}.count", item)
        return table

    def proto(self, kind: str, label: str, item: Field) -> Raw:
        """Declares a field of Wireshark; returns the reference for the tables."""
        key = self.scope.name(label.replace(".", "_"))
        more = ""
        if item.doc:
            base = {"string": "base.UNICODE", "bytes": "base.NONE", "guid": None}.get(kind, "base.DEC")
            nothing = "" if kind in ("string", "bytes") else ", nil, nil"
            more = f", {base}{nothing}, {text(' '.join(item.doc.split()))}" if base else ""
        self.protos.append((key, kind, (label, text(label.partition(".")[2])), more))
        return Raw(f"of.{key}")


def _default(item: Field) -> object:
    """The field's value in a frame that ends before it."""
    if item.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH):
        return Raw("{}")
    return number_pair(item.default) if isinstance(item.default, int) else item.default


def _kind(item: Field) -> str:
    if item.type in (FieldType.STRING, FieldType.STRINGS):
        return "string"
    if item.type is FieldType.UUID:
        return "guid"
    if item.type in _BYTES:
        return "bytes"
    size = 8 if item.type is FieldType.VARINT else item.size
    return f"{'int' if item.signed else 'uint'}{8 * size}"


def _least(item: Field) -> int:
    return {FieldType.VARINT: 1, FieldType.UUID: 16}.get(item.type, item.size)


# --- machines


def _relevant(abstraction: Abstraction, machines: tuple[Machine, Machine]) -> dict[str, list[str]]:
    """The parts of each message that affect the machines, by the message's name: fields, and ``()`` for its size."""
    measured = {
        part.message
        for machine in machines
        for row in machine.transitions
        for expression in _expressions(row)
        for part in subexpressions(expression)
        if isinstance(part, Size)
    }
    return {
        message.name: [item.name for item in abstraction.fields(message.name)]
        + ([_SIZE] if message.name in measured else [])
        for message in abstraction.protocol.messages
    }


def _expressions(row: Transition) -> Iterator[Expression]:
    if row.guard is not None:
        yield row.guard
    for step in row.steps:
        if isinstance(step, Assign):
            yield step.value
        elif isinstance(step, Send):
            yield from (value for _, value in step.fields)


class _Spelling:
    """Expressions whose values may be unknown, as calls of the runtime."""

    negation = staticmethod("value.no({})".format)
    conjunction = staticmethod("value.all({}, {})".format)
    disjunction = staticmethod("value.any({}, {})".format)
    comparison = staticmethod('value.compare("{}", {}, {})'.format)
    add = staticmethod("value.add({}, {}, {})".format)
    subtract = staticmethod("value.subtract({}, {})".format)
    least = staticmethod("value.least({}, {})".format)

    def variable(self, name: str) -> str:
        return f"v[{text(name)}]"

    def parameter(self, name: str, kind: Type) -> str:
        return f"m[{text(name)}]"

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return lua(value)

    def size(self, message: str) -> str:
        return f"m[{text(_SIZE)}]"


_SPELLING = _Spelling()


class _Machine:
    def __init__(self, actor: str, machine: Machine, abstraction: Abstraction) -> None:
        self.actor, self.machine, self.abstraction = actor, machine, abstraction
        self.variables = {item.name: item for item in abstraction.variables(machine)}
        self.events = {event.name: event for event in machine.events}

    def view(self) -> MachineView:
        machine, local = self.machine, LocalMachine(self.machine, self.abstraction)
        states = [state.name for state in machine.states]
        raised = {
            name for row in machine.transitions for step in row.steps for name in getattr(step, "raises", ())
        }
        live = {
            state: {name: True for name in self.variables if name in self.abstraction.live(machine, state)}
            for state in states
        }
        quiet = [state for state in states if not local.listens(replace(local.initial, state=state))]
        return MachineView(
            actor=self.actor,
            title=machine.title,
            initial=text(machine.initial),
            names=lua(list(self.variables)),
            values=lua({name: item.value for name, item in self.variables.items()}),
            live=lua(live, 2),
            deaf=lua(dict.fromkeys(quiet, True)),
            calls=lua({state: list(self._calls(state, raised)) for state in states}, 2),
            carries=lua(
                {event.name: event.message for event in machine.events if event.kind is EventKind.HOST}
            ),
            rows=[(text(state), self._events(state)) for state in states],
        )

    def _calls(self, state: str, raised: set[str]) -> Iterator[str]:
        """The events of application and host in the state, except malformed input and those that actions fail with."""
        named = dict.fromkeys(row.event for row in self.machine.transitions if row.state == state)
        for name in named:
            event = self.events.get(name)
            if event and event.kind is not EventKind.MESSAGE and name not in raised and name != "malformed":
                yield name

    def _events(self, state: str) -> list[tuple[str, list[str]]]:
        by_event: dict[str, list[str]] = {}
        for row in self.machine.transitions:
            if row.state == state:
                by_event.setdefault(row.event, []).append(lua(self._row(row), 5))
        return [(text(event), rows) for event, rows in by_event.items()]

    def _row(self, row: Transition) -> dict[str, object]:
        steps = [self._step(step, self.events.get(row.event)) for step in row.steps]
        kept = [step for step in steps if step]
        before = sum(1 for step in steps[: row.before_at] if step)
        return {
            "guard": _function(spell(row.guard, _SPELLING)) if row.guard is not None else None,
            "steps": kept,
            "next": row.next,
            "before_at": before if row.next is not None else None,
        }

    def _step(self, step: Step, event: Event | None) -> dict[str, object] | None:
        match step:
            case Assign(variable, value) if variable in self.variables:
                spelled = spell_assigned(self.variables[variable], value, _SPELLING)
                return {"assign": variable, "value": _function(spelled)}
            case Send():
                return {"send": step.message, "forward": step.forward or None, "fields": self._sent(step)}
            case Host(_, raises) if raises:
                return {"raises": list(raises)}
            case Terminate():
                return {"terminate": True}
            case _:
                return None

    def _sent(self, step: Send) -> list[dict[str, object]]:
        given = dict(step.fields)
        fields = []
        for item in self.abstraction.fields(step.message):
            value = given.get(item.name)
            fields.append({"name": item.name, **(_given(value) if value is not None else {})})
        return fields


def _given(value: Expression) -> dict[str, object]:
    """A value that a row assigns to a field; a plain name can be inferred from the observed value."""
    table: dict[str, object] = {"value": _function(spell(value, _SPELLING))}
    if isinstance(value, Name):
        table["variable" if value.scope == "variable" else "parameter"] = value.name
    return table


def _function(expression: str) -> Raw:
    return Raw(f"function(v, m) return {expression} end")
