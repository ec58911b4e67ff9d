"""The view of a machine's package: states, events, the host's interface, and a function for each state."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import (
    Assign,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Send,
    Step,
    Terminate,
    Text,
    Transition,
    Type,
)
from ...naming import Scope, camel
from ...plan.layout import number_range
from ...plan.operations import Content, Number, Operation
from ..describe import show, show_step
from ..operators import uses_message
from .codec import ValueView
from .expressions import Spelled
from .names import MODULE, ProtocolNames, comment, exported, octets, quoted

__all__ = ["CallView", "MachineNames", "MachineView", "view_machine"]

#: What a machine's variables and methods may not be called.
MEMBERS = frozenset({"Receive", "Fail", "State", "Terminated"})
_TYPES = {Type.NUMBER: "uint64", Type.STRING: "string", Type.OCTETS: "[]byte", Type.BOOLEAN: "bool"}


@dataclass(frozen=True, slots=True)
class ConstantView:
    name: str
    spelled: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class CallView:
    """What a method was called with."""

    type: str
    method: str
    fields: list[ValueView]


@dataclass(frozen=True, slots=True)
class MethodView:
    name: str
    doc: list[str]
    parameters: str
    event: str
    carried: str
    carries: bool = False  # a message of the caller's, which might be nil


@dataclass(frozen=True, slots=True)
class CaseView:
    events: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class StateView:
    constant: str
    function: str
    spelled: str
    cases: list[CaseView]


@dataclass(frozen=True, slots=True)
class RowView:
    state: str
    event: str
    guard: str
    steps: str
    next: str
    before_at: int


@dataclass(frozen=True, slots=True)
class MachineView:
    package: str
    protocol: str
    module: str
    doc: list[str]
    title: str
    states: list[ConstantView]
    events: list[ConstantView]
    calls: list[CallView]
    host: list[tuple[str, str, list[str]]]
    variables: list[ValueView]
    initial: list[tuple[str, str]]
    methods: list[MethodView]
    received: list[tuple[str, str]]
    functions: list[StateView]
    rows: list[RowView]
    refuses: bool  # whether there are values that messages may be unable to hold


class MachineNames:
    """Every name of a machine's package, and what its events carry."""

    def __init__(self, machine: Machine, package: str, protocol: ProtocolNames) -> None:
        self.machine, self.package, self.protocol = machine, package, protocol
        known = {message.name for message in protocol.messages}
        self.listed = [one for one in machine.events if one.message is None or one.message in known]
        scope = Scope("go", {"Host", "Machine", "New", "State", "Event", "Table"})
        self.states = {one.name: scope.name(f"State{exported(one.name)}") for one in machine.states}
        self.events = {one.name: scope.name(f"Event{_event(one)}") for one in self.listed}
        self.calls = {
            one.name: scope.name(f"{exported(one.name)}Call") for one in self.listed if one.parameters
        }
        members = Scope("go", MEMBERS)
        self.variables = {one.name: members.name(exported(one.name)) for one in machine.variables}
        self.methods = {
            one.name: members.name(_method(one)) for one in self.listed if one.kind is not EventKind.MESSAGE
        }
        actions = Scope("go", {"Send", "Unsendable"})
        self.actions = {name: actions.name(exported(name)) for name in machine.host_actions()}
        self._by_name = {one.name: one for one in self.listed}
        self._carried: dict[str, list[str]] = {name: [] for name in self.actions}
        for row in machine.transitions:
            for step in row.steps:
                if isinstance(step, Host) and row.event in self._by_name:
                    self._carried[step.name].append(self.carried(row.event))
        self.refuses = any(self._refuses(row) for row in machine.transitions if row.event in self._by_name)

    def _refuses(self, row: Transition) -> bool:
        """Whether a step may come to a value that the message to be sent cannot hold."""
        spelled = self.spelled(row.event)
        for step in row.steps:
            if isinstance(step, Send):
                shown = self.protocol.message(step.message).fields
                if any(spelled.misfits(shown[name], value) for name, value in step.fields):
                    return True
        return False

    def carried(self, event: str) -> str:
        """The type of what the event carries; empty if it carries nothing."""
        found = self._by_name[event]
        if found.message is not None:
            return f"*{self.protocol.package}.{self.protocol.message(found.message).type}"
        return f"*{self.calls[event]}" if event in self.calls else ""

    def parameter(self, action: str) -> str:
        """The type of what the host action is given; empty if there never is anything."""
        kinds = {kind for kind in self._carried[action] if kind}
        if len(kinds) <= 1:
            return next(iter(kinds), "")
        messages = all(kind.startswith(f"*{self.protocol.package}.") for kind in kinds)
        return f"{self.protocol.package}.Message" if messages else "any"

    def parameters(self, event: str) -> list[tuple[str, str, Field]]:
        """The fields of what a method was called with: attribute, type, parameter."""
        scope = Scope("go")
        fields = self._by_name[event].parameters
        return [(scope.name(exported(one.name)), self._type(one), one) for one in fields]

    def _type(self, field: Field) -> str:
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
                return f"[]{self._type(field.items)}"
            case FieldType.MSG:
                return "[][]byte"
            case _:
                return "[]byte"

    def spelled(self, event: str) -> Spelled:
        """Expressions of the event's rows."""
        found = self._by_name[event]
        fields: dict[str, tuple[str, Field]] = {}
        if found.message is not None:
            message = self.protocol.message(found.message)
            fields = {name: (message.attributes[name], field) for name, field in message.fields.items()}
        elif found.parameters:
            fields = {one.name: (attribute, one) for attribute, _, one in self.parameters(event)}
        return Spelled(self.variables, fields, plain=found.message is None)


def _event(event: Event) -> str:
    name = exported(event.name)
    return name if event.kind is EventKind.MESSAGE else f"On{name}"


def _method(event: Event) -> str:
    """Methods are the application's and have its names; the host says that something happened."""
    name = exported(event.name)
    return name if event.kind is EventKind.METHOD else f"On{name}"


class _Rows:
    """Writes the rows of one state and one event, or of several whose rows are the same."""

    def __init__(self, names: MachineNames, events: list[str], rows: list[Transition]) -> None:
        self._names, self._events, self._rows = names, events, rows
        self._spelled = names.spelled(events[0])
        self._lines: list[str] = []
        self._passed_on = False  # whether an action is given whatever message the event carries

    def view(self) -> CaseView:
        for row in self._rows:
            if row.guard is not None:
                self._lines.append(f"if {self._spelled.printed(row.guard)} {{")
            self._row(row)
            if row.guard is not None:
                self._lines.append("}")
        if self._rows[-1].guard is not None:
            self._lines.append("return untaken")
        cases = ", ".join(self._names.events[event] for event in self._events)
        return CaseView(cases, [*self._declared(), *self._lines])

    def _declared(self) -> list[str]:
        kinds = {self._names.carried(event) for event in self._events} - {""}
        if is_typed(self._names, self._rows):
            kind = next(iter(kinds), "")
            return [f"message, ok := carried.({kind})", "if !ok {", "return absent", "}"] if kind else []
        if self._passed_on:
            return [f"message, _ := carried.({self._names.protocol.package}.Message)"]
        return []

    def _row(self, row: Transition) -> None:
        for index, step in enumerate(row.steps):
            if row.next is not None and index == row.before_at:
                self._lines.append(f"m.state = {self._names.states[row.next]}")
            self._step(step)
        if row.next is not None and row.before_at >= len(row.steps):
            self._lines.append(f"m.state = {self._names.states[row.next]}")
        self._lines.append("return taken")

    def _step(self, step: Step) -> None:
        match step:
            case Send(forward=True):
                self._call("m.host.Send(message)")
            case Send(message, fields):
                self._send(message, fields)
            case Assign(name, value):
                variable = next(one for one in self._names.machine.variables if one.name == name)
                printed = self._spelled.assigned(variable, value)
                if variable.type is Type.OCTETS and uses_message(value):  # which are of a frame
                    printed = f"bytes.Clone({printed})"
                self._lines.append(f"m.{self._names.variables[name]} = {printed}")
            case Host(name):
                self._call(f"m.host.{self._names.actions[name]}({self._given(name)})")
            case Terminate():
                self._lines.append("m.terminated = true")

    def _call(self, call: str) -> None:
        self._lines += [f"if {call}; m.failed != 0 {{", "return taken", "}"]

    def _given(self, action: str) -> str:
        kind = self._names.parameter(action)
        if not kind:
            return ""
        if kind == "any":
            return "carried"
        if not any(self._names.carried(event) for event in self._events):
            return "nil"
        self._passed_on = True
        return "message"

    def _send(self, message: str, fields: tuple[tuple[str, Expression], ...]) -> None:
        """What a field may be unable to hold is looked at first."""
        names = self._names.protocol.message(message)
        values: list[str] = []
        refused = False
        for name, value in fields:
            field, kind = names.fields[name], self._type(names.shown[name])
            found = self._value(field, kind, value)
            if self._spelled.misfits(field, value):
                found = f"value{len(values)}"
                test, error = self._misfit(message, field, found, self._spelled.printed(value))
                self._lines += [f"}} else if {test} {{" if refused else f"if {test} {{"]
                self._lines += [f"m.host.Unsendable({error})"]
                refused = True
                if field.type is not FieldType.OCTETS:
                    found = f"{kind}({found})"
            values.append(f"{names.attributes[name]}: {found}")
        call = f"m.host.Send(&{self._names.protocol.package}.{names.type}{{{', '.join(values)}}})"
        if refused:
            self._lines += ["} else {", call, "}", "if m.failed != 0 {", "return taken", "}"]
        else:
            self._call(call)

    @staticmethod
    def _misfit(message: str, field: Field, local: str, value: str) -> tuple[str, str]:
        """What tells that the field cannot hold `value`, which it calls `local`, and the error."""
        place = f"{quoted(message)}, {quoted(field.name)}"
        if field.type is FieldType.OCTETS:
            error = f"wire.Miscounted({place}, len({local}), {field.size})"
            return f"{local} := {value}; len({local}) != {field.size}", error
        code = "BadConstant" if field.enumeration is not None and field.max is None else "TooLong"
        test = f"{local} := uint64({value}); {local} > {number_range(field)[1]}"
        return test, f"wire.Refuse(wire.{code}, {place})"

    def _type(self, operation: Operation) -> str:
        kind = self._names.protocol.type_of(operation)
        is_own = isinstance(operation, Number | Content) and operation.enumeration is not None
        return f"{self._names.protocol.package}.{kind}" if is_own else kind

    def _value(self, field: Field, kind: str, value: Expression) -> str:
        """An expression as what a field of the type `kind` holds."""
        printed = self._spelled.printed(value)
        if field.type in (FieldType.NUMBER, FieldType.VARINT):
            return printed if kind == "uint64" or isinstance(value, Literal) else f"{kind}({printed})"
        if field.type is FieldType.STRING:
            return printed if kind in ("string", "[]byte") else f"{kind}({printed})"
        return printed


def is_typed(names: MachineNames, rows: list[Transition]) -> bool:
    """Whether the rows look into what their event carries, or pass it on as what it is."""
    for row in rows:
        if row.guard is not None and uses_message(row.guard):
            return True
        for step in row.steps:
            match step:
                case Send(_, fields, forward):
                    if forward or any(uses_message(value) for _, value in fields):
                        return True
                case Assign(_, value) if uses_message(value):
                    return True
                case Host(name) if names.parameter(name).startswith("*"):
                    return True
    return False


def view_machine(names: MachineNames) -> MachineView:
    """What templates/machine.go.j2 prints for the machine."""
    machine = names.machine
    known = [row for row in machine.transitions if row.event in names.events]
    return MachineView(
        names.package,
        names.protocol.package,
        MODULE,
        [*comment(f"Package {names.package} is the machine of {machine.title}."), "", *comment(machine.doc)],
        machine.title,
        [
            ConstantView(names.states[one.name], quoted(one.name), comment(one.doc, indent=8))
            for one in machine.states
        ],
        [ConstantView(names.events[one.name], quoted(one.name), comment(one.doc, 8)) for one in names.listed],
        [_call_view(names, event) for event in names.calls],
        [(method, names.parameter(name), _raised(machine, name)) for name, method in names.actions.items()],
        [
            ValueView(names.variables[one.name], _TYPES[one.type], comment(one.doc, indent=8))
            for one in machine.variables
        ],
        [
            (names.variables[one.name], _initial(one.value, one.type))
            for one in machine.variables
            if one.value not in (0, "", False)
        ],
        [_method_view(names, one) for one in names.listed if one.kind is not EventKind.MESSAGE],
        [
            (names.carried(one.name), names.events[one.name])
            for one in names.listed
            if one.kind is EventKind.MESSAGE and one.message is not None
        ],
        [
            StateView(
                names.states[one.name],
                f"in{names.states[one.name].removeprefix('State')}",
                one.name,
                _cases(names, [row for row in known if row.state == one.name]),
            )
            for one in machine.states
        ],
        [_row(names, row) for row in known],
        names.refuses,
    )


def _initial(value: int | str | bool, kind: Type) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"[]byte({octets(value.encode())})" if kind is Type.OCTETS else quoted(value)


def _cases(names: MachineNames, rows: list[Transition]) -> list[CaseView]:
    """A case for each event that has rows; events whose rows are alike, and look at nothing, share one."""
    by_event: dict[str, list[Transition]] = {}
    for row in rows:
        found = by_event.setdefault(row.event, [])
        if not found or found[-1].guard is not None:  # what follows a row without guard is never tried
            found.append(row)
    groups: dict[object, list[str]] = {}
    for event, found in by_event.items():
        alike = tuple((row.guard, row.steps, row.next, row.before_at) for row in found)
        groups.setdefault(event if is_typed(names, found) else alike, []).append(event)
    return [_Rows(names, events, by_event[events[0]]).view() for events in groups.values()]


def _row(names: MachineNames, row: Transition) -> RowView:
    return RowView(
        names.states[row.state],
        names.events[row.event],
        quoted(show(row.guard)) if row.guard is not None else "",
        ", ".join(quoted(show_step(step)) for step in row.steps),
        names.states[row.next] if row.next is not None else "",
        row.before_at,
    )


def _call_view(names: MachineNames, event: str) -> CallView:
    fields = [
        ValueView(attribute, kind, comment(one.doc, indent=8))
        for attribute, kind, one in names.parameters(event)
    ]
    return CallView(names.calls[event], names.methods[event], fields)


def _raised(machine: Machine, action: str) -> list[str]:
    steps = [step for row in machine.transitions for step in row.steps]
    raised = [
        event for step in steps if isinstance(step, Host) and step.name == action for event in step.raises
    ]
    return comment(f"May fail with {', '.join(dict.fromkeys(raised))}.") if raised else []


def _method_view(names: MachineNames, event: Event) -> MethodView:
    name, member = names.methods[event.name], names.events[event.name]
    doc = comment(f"{name}: {event.doc or event.name} False if no guard holds.")
    carried = names.carried(event.name)
    if event.message is not None:
        return MethodView(name, doc, f"message {carried}", member, "message", carries=True)
    if not event.parameters:
        return MethodView(name, doc, "", member, "nil")
    scope = Scope(
        "go", {"m", "wire", "bool", "error", "uint64", "int64", "string", "byte", names.protocol.package}
    )
    parameters = [
        (scope.name(camel(one.name) or "x"), attribute, kind)
        for attribute, kind, one in names.parameters(event.name)
    ]
    listed = ", ".join(f"{local} {kind}" for local, _, kind in parameters)
    values = ", ".join(f"{attribute}: {local}" for local, attribute, _ in parameters)
    return MethodView(name, doc, listed, member, f"&{names.calls[event.name]}{{{values}}}")
