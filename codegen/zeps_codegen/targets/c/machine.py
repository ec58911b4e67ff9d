"""The view of a machine's header and source: states, events, the host's interface, and the table."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import (
    Assign,
    Bundle,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Machine,
    Send,
    Step,
    Text,
    Transition,
    Type,
    Variable,
)
from ...naming import Scope, snake
from ...plan.layout import Layout, number_range
from ..describe import show, show_step
from ..fitting import misfits
from ..operators import spell, spell_assigned, uses_message
from .codec import members_of
from .expressions import Spelled
from .lines import doc
from .names import LANGUAGE, MachineNames, Names, ProtocolNames, number, quoted
from .types import Tables, c_type

__all__ = ["MachineView", "view_machine"]

_KINDS = {EventKind.MESSAGE: "WIRE_EVENT_MESSAGE", EventKind.METHOD: "WIRE_EVENT_METHOD"}
_VARIABLES = {
    Type.NUMBER: ("uint64_t", "WIRE_VARIABLE_NUMBER"),
    Type.BOOLEAN: ("bool", "WIRE_VARIABLE_BOOLEAN"),
    Type.STRING: ("wire_string", "WIRE_VARIABLE_STRING"),
    Type.OCTETS: ("wire_string", "WIRE_VARIABLE_OCTETS"),
}


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    member: str
    type: str
    table_type: str
    initial: str | None
    text: str | None
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EventView:
    """`call` is the function that raises it; messages are received instead."""

    name: str
    enumerator: str
    doc: list[str]
    kind: str
    message: str
    call: str
    parameters: list[tuple[str, str]]
    struct: str | None
    fields_table: str
    fields: list[str]


@dataclass(frozen=True, slots=True)
class ActionView:
    name: str
    member: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class FunctionView:
    name: str
    is_guard: bool
    body: list[str]


@dataclass(frozen=True, slots=True)
class RowView:
    state: str
    event: str
    next: str
    guard: str
    holds: str
    steps: str
    step_count: int
    before_at: int


@dataclass(frozen=True, slots=True)
class MachineView:
    names: MachineNames
    protocol: ProtocolNames
    name: str
    guard: str
    doc: list[str]
    states: list[tuple[str, str, list[str]]]
    events: list[EventView]
    received: list[tuple[str, str]]
    actions: list[ActionView]
    variables: list[VariableView]
    tables: list[str]
    functions: list[FunctionView]
    rows: list[RowView]
    first: list[int]
    refuses: bool  # whether there are values that messages may be unable to hold


class _Machine:
    """What the functions of one machine are made of: one for each guard and each step, however many rows share it."""

    def __init__(self, machine: Machine, bundle: Bundle, names: Names) -> None:
        protocol = bundle.protocol(machine.protocol)
        self.names = names
        self.own = names.machines[machine.name]
        self.protocol = names.protocols[protocol.name]
        self.layouts: dict[str, Layout] = {one.message.name: one for one in names.layouts(protocol)}
        members = Scope(LANGUAGE, ("base", "host", "context"))
        self.members = {one.name: (members.name(snake(one.name)), one.type) for one in machine.variables}
        self.variables = {one.name: one for one in machine.variables}
        self.events = {one.name: one for one in machine.events}
        fields = Scope(LANGUAGE, ("send", "unsendable"))
        self.actions = {name: fields.name(snake(name)) for name in machine.host_actions()}
        self.structs = {
            one.name: names.scope.name(f"{self.own.file}_{snake(one.name)}_call")
            for one in machine.events
            if one.parameters
        }
        self.functions: dict[object, FunctionView] = {}
        self.refuses = False
        self._scope = Scope(LANGUAGE)

    def parameters(self, event: Event) -> dict[str, str]:
        """The members of the struct that a method's parameters are in."""
        scope = Scope(LANGUAGE, ("machine", "call"))
        return {field.name: scope.name(snake(field.name)) for field in event.parameters}

    def spelled(self, event: Event) -> Spelled:
        found: dict[str, tuple[str, Field]] = {}
        size = "0"
        if event.message is not None:
            names = self.protocol.messages[event.message]
            layout = self.layouts[event.message]
            members = members_of(layout)
            found = {
                one.name: (f"message->as.{names.member}.{members[one.name]}", one) for one in layout.shown
            }
            size = f"{names.size}(&message->as.{names.member})"
        elif event.parameters:
            members = self.parameters(event)
            found = {one.name: (f"call->{members[one.name]}", one) for one in event.parameters}
        return Spelled(event, self.members, found, size)

    def function(self, item: Expression | Step, event: Event, is_guard: bool = False) -> str:
        """The function for `item` in a row of `event`."""
        uses = _uses(item, is_guard)
        key = (is_guard, item if not isinstance(item, Host) else item.name, event.name if uses else None)
        if key not in self.functions:
            body = self._guard(item, event) if is_guard else self._step(item, event)
            stem = "guard" if is_guard else _stem(item)
            self.functions[key] = FunctionView(
                self._scope.name(f"{stem}_{len(self.functions) + 1}"), is_guard, body
            )
        return self.functions[key].name

    def _input(self, event: Event, nothing: str) -> list[str]:
        """What the event carries, which is nothing after a host action failed."""
        kind = self.protocol.union if event.message is not None else self.structs.get(event.name, "void")
        name = "message" if event.message is not None else "call"
        declared = f"const {kind} *{name} = (const {kind} *)input;"
        return [declared, f"if ({name} == NULL) {{ return{nothing}; }}"]

    def _guard(self, item: object, event: Event) -> list[str]:
        printed = spell(item, self.spelled(event))  # type: ignore[arg-type]
        lines = (
            [f"const {self.own.type} *machine = (const {self.own.type} *)self;"]
            if "machine->" in printed
            else []
        )
        lines += self._input(event, " false") if uses_message(item) else []  # type: ignore[arg-type]
        return [*lines, "(void)self;", "(void)input;", f"return {printed};"]

    def _step(self, item: object, event: Event) -> list[str]:
        machine = f"{self.own.type} *machine = ({self.own.type} *)self;"
        body = self._body(item, event)
        uses = _uses(item, False)
        return [machine, *(self._input(event, "") if uses else []), "(void)input;", *body]

    def _body(self, item: object, event: Event) -> list[str]:
        match item:
            case Send(forward=True):
                return ["machine->host->send(machine->context, message);"]
            case Send(message, fields):
                return self._send(message, fields, event)
            case Assign(name, value):
                return self._assign(self.variables[name], value, event)
            case Host(name):
                message = f"(const {self.protocol.union} *)wire_machine_message(&machine->base, input)"
                return [f"machine->host->{self.actions[name]}(machine->context, {message});"]
            case _:
                return ["machine->base.terminated = true;"]

    def _assign(self, variable: Variable, value: Expression, event: Event) -> list[str]:
        member, kind = self.members[variable.name]
        printed = spell_assigned(variable, value, self.spelled(event))
        if kind in (Type.NUMBER, Type.BOOLEAN):
            return [f"machine->{member} = {printed};"]
        function = "wire_string_set" if kind is Type.STRING else "wire_string_set_octets"
        return [
            f"if (!{function}(&machine->{member}, {printed})) {{ machine->base.failed = WIRE_EXHAUSTED; }}"
        ]

    def _send(self, message: str, fields: tuple[tuple[str, Expression], ...], event: Event) -> list[str]:
        """What a field may be unable to hold is looked at before anything is sent."""
        names = self.protocol.messages[message]
        layout = self.layouts[message]
        members = members_of(layout)
        shown = {field.name: field for field in layout.shown}
        lines = [
            f"{self.protocol.union} sent;",
            "memset(&sent, 0, sizeof sent);",
            f"sent.kind = {names.kind};",
        ]
        spelled = self.spelled(event)
        for name, value in fields:
            field, printed = shown[name], spell(value, spelled)
            member, place = f"sent.as.{names.member}.{members[name]}", (message, field)
            fails = misfits(field, value, spelled.held)
            self.refuses = self.refuses or fails
            if field.type in (FieldType.NUMBER, FieldType.VARINT):
                if fails:
                    code = (
                        "BAD_CONSTANT" if field.enumeration is not None and field.max is None else "TOO_LONG"
                    )
                    test = f"wire_number({printed}) > {number(number_range(field)[1])}"
                    lines.append(_refused(test, f"WIRE_{code}", *place))
                lines.append(f"{member} = ({c_type(field)})({printed});")
                continue
            if field.type is FieldType.STRING and field.text is Text.OCTETS:
                printed = f"wire_text_view({printed})"
            lines.append(f"{member} = {printed};")
            if fails:
                code = f"{member}.size > {field.size} ? WIRE_TOO_LONG : WIRE_TRUNCATED"
                lines.append(_refused(f"{member}.size != {field.size}", code, *place))
        return [*lines, "machine->host->send(machine->context, &sent);"]


def _refused(test: str, code: str, message: str, field: Field) -> str:
    """Tell the host, and leave the step, if the field cannot hold its value."""
    error = f"&(wire_error){{{code}, {quoted(message)}, {quoted(field.name)}, 0}}"
    return f"if ({test}) {{ machine->host->unsendable(machine->context, {error}); return; }}"


def _uses(item: object, is_guard: bool) -> bool:
    if is_guard:
        return uses_message(item)  # type: ignore[arg-type]
    match item:
        case Send(_, fields, forward):
            return forward or any(uses_message(value) for _, value in fields)
        case Assign(_, value):
            return uses_message(value)
        case _:
            return False


def _stem(item: object) -> str:
    match item:
        case Send(message):
            return f"send_{snake(message)}"
        case Assign(variable):
            return f"set_{snake(variable)}"
        case Host(name):
            return f"do_{snake(name)}"
        case _:
            return "terminate"


def view_machine(machine: Machine, bundle: Bundle, names: Names) -> MachineView:
    """What templates/machine.h.j2 and machine.c.j2 print."""
    made = _Machine(machine, bundle, names)
    own = made.own
    tables = Tables({one.name: one for one in bundle.protocol(machine.protocol).enumerations}, [])
    states = {one.name: enumerator for one, enumerator in zip(machine.states, own.states, strict=True)}
    events = {one.name: enumerator for one, enumerator in zip(machine.events, own.events, strict=True)}
    places = {name: index for index, name in enumerate(states)}
    numbers = {name: index for index, name in enumerate(events)}
    ordered = sorted(machine.transitions, key=lambda row: (places[row.state], numbers[row.event]))
    rows = [_row(row, made, states, events, tables) for row in ordered]
    keys = [places[row.state] * len(events) + numbers[row.event] for row in ordered]
    first = [sum(1 for key in keys if key < place) for place in range(len(states) * len(events) + 1)]
    return MachineView(
        own,
        made.protocol,
        machine.name,
        f"ZEPS_WIRE_{own.file.upper()}_H",
        doc(f"@file {machine.title}.", machine.doc),
        [(quoted(one.name), states[one.name], doc(one.doc, indent=4)) for one in machine.states],
        [_event(one, made, events[one.name], names, tables) for one in machine.events],
        [
            (made.protocol.messages[str(one.message)].kind, events[one.name])
            for one in machine.events
            if one.kind is EventKind.MESSAGE
        ],
        [_action(name, made, machine) for name in machine.host_actions()],
        [_variable(one, made) for one in machine.variables],
        tables.declared,
        list(made.functions.values()),
        rows,
        first,
        made.refuses,
    )


def _row(
    row: Transition, made: _Machine, states: dict[str, str], events: dict[str, str], tables: Tables
) -> RowView:
    event = made.events[row.event]
    steps = [f"{{{quoted(show_step(step))}, {made.function(step, event)}}}" for step in row.steps]
    holds = "NULL" if row.guard is None else made.function(row.guard, event, is_guard=True)
    return RowView(
        states[row.state],
        events[row.event],
        "WIRE_STAYS" if row.next is None else states[row.next],
        "NULL" if row.guard is None else quoted(show(row.guard)),
        holds,
        f"(const wire_step[]){{{', '.join(steps)}}}" if steps else "NULL",
        len(steps),
        row.before_at,
    )


def _event(event: Event, made: _Machine, enumerator: str, names: Names, tables: Tables) -> EventView:
    members = made.parameters(event)
    struct = made.structs.get(event.name)
    fields = [
        tables.field(one, event.name, one.name, str(struct), members[one.name], [])
        for one in event.parameters
    ]
    call = ""
    if event.kind is not EventKind.MESSAGE:
        call = names.scope.name(f"{made.own.file}_on_{snake(event.name)}")
    return EventView(
        quoted(event.name),
        enumerator,
        doc(event.doc, indent=4),
        _KINDS.get(event.kind, "WIRE_EVENT_HOST"),
        "0" if event.message is None else made.protocol.messages[event.message].kind,
        call,
        [(c_type(one), members[one.name]) for one in event.parameters],
        struct,
        f"parameters_of_{snake(event.name)}",
        fields,
    )


def _action(name: str, made: _Machine, machine: Machine) -> ActionView:
    raises: dict[str, None] = {}
    for row in machine.transitions:
        for step in row.steps:
            if isinstance(step, Host) and step.name == name:
                raises |= dict.fromkeys(step.raises)
    text = f"May fail with {', '.join(raises)}." if raises else ""
    return ActionView(quoted(name), made.actions[name], doc(text, indent=4))


def _variable(one: Variable, made: _Machine) -> VariableView:
    c, table_type = _VARIABLES[one.type]
    text = initial = None
    if one.type is Type.BOOLEAN:
        initial = str(bool(one.value)).lower()
    elif one.type is Type.NUMBER:
        initial = number(int(one.value))
    elif one.value:
        text = f"(wire_text){{{quoted(str(one.value))}, {len(str(one.value).encode())}}}"
    return VariableView(
        quoted(one.name), made.members[one.name][0], c, table_type, initial, text, doc(one.doc, indent=4)
    )
