"""The view of a machine's module: states, events, the host's interface, and the table with its functions."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace

from ...ir import (
    Assign,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Machine,
    Protocol,
    Send,
    Step,
    Text,
    Transition,
    Type,
)
from ...naming import Scope, pascal, screaming, snake, usable
from ..describe import show, show_step
from ..operators import uses_message
from .codec import AttributeView, FunctionView, docstring
from .expressions import MEMBERS, assigned, literal, printed, variable_name
from .plan import annotation, attribute_name, class_name

__all__ = ["MachineView", "RowView", "view_machine"]

_WIDTH = 100
#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3
_TYPES = {Type.NUMBER: "int", Type.STRING: "str", Type.OCTETS: "bytes", Type.BOOLEAN: "bool"}


@dataclass(frozen=True, slots=True)
class EnumView:
    class_name: str
    doc: list[str]
    members: list[tuple[str, int, list[str]]]


@dataclass(frozen=True, slots=True)
class CallView:
    class_name: str
    doc: list[str]
    attributes: list[AttributeView]


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    annotation: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class RowView:
    state: str
    event: str
    guard: str
    steps: str
    next: str
    before_at: int
    holds: str
    run: str


@dataclass(frozen=True, slots=True)
class MachineView:
    module: str
    protocol: str
    doc: list[str]
    class_name: str
    class_doc: list[str]
    host_name: str
    states: EnumView
    events: EnumView
    calls: list[CallView]
    host: list[FunctionView]
    variables: list[VariableView]
    methods: list[FunctionView]
    messages: list[tuple[str, str]]
    constants: list[tuple[str, str]]
    functions: list[FunctionView]
    rows: list[RowView]
    settled: list[tuple[str, str, str]]
    initial: str
    exported: list[str]


def event_member(event: Event) -> str:
    """The event's name in the enumeration: a message's own, ``ON_…`` for the host's and the application's."""
    name = screaming(event.name)
    return name if event.kind is EventKind.MESSAGE else f"ON_{name}"


class _Payloads:
    """What events carry: the types, and which fields may be negative."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self._module = snake(machine.protocol)
        self._protocol = protocol
        self._events = {event.name: event for event in machine.events}

    def signed(self, events: list[str]) -> set[str]:
        """The fields that may be negative in what any of `events` carries."""
        found = [self._events[event] for event in events]
        return {field.name for event in found for field in self._fields(event) if field.signed}

    def _fields(self, event: Event) -> tuple[Field, ...]:
        return event.parameters if event.message is None else self._protocol.message(event.message).fields

    def of(self, event: str) -> str:
        found = self._events[event]
        if found.message is not None:
            return f"{self._module}.{class_name(found.message)}"
        return call_name(found) if found.parameters else "None"

    def union(self, events: list[str]) -> str:
        """The type of what any of `events` carries."""
        kinds = list(dict.fromkeys(self.of(event) for event in events))
        messages = [kind for kind in kinds if kind.startswith(f"{self._module}.")]
        others = [kind for kind in kinds if kind not in messages and kind != "None"]
        if len(messages) > _PAYLOADS_MAX:
            messages = [f"{self._module}.Message"]
        return " | ".join(messages + others + (["None"] if "None" in kinds else []))


def call_name(event: Event) -> str:
    """The class that holds a method's parameters."""
    return f"{pascal(event.name)}Call"


class _Functions:
    """The functions that rows name: one for each guard and each step, however many rows share it."""

    def __init__(self, machine: Machine, payloads: _Payloads, class_name: str) -> None:
        self._machine = machine
        self._payloads = payloads
        self._class = class_name
        self._scope = Scope("python")
        self._events: dict[object, list[str]] = {}
        self._names: dict[object, str] = {}
        self._constants: dict[object, tuple[str, str]] = {}
        self._order: list[object] = []

    def name(self, item: Expression | Step, event: str, guard: bool = False) -> str:
        """The function for `item` in a row of `event`."""
        key = (guard, replace(item, raises=()) if isinstance(item, Host) else item)
        if key not in self._names:
            self._names[key] = self._scope.name(self._wanted(item, guard))
            self._order.append(key)
        self._events.setdefault(key, []).append(event)
        return self._names[key]

    def _wanted(self, item: Expression | Step, guard: bool) -> str:
        if guard:
            stem, count = "_when", sum(1 for key in self._order if isinstance(key, tuple) and key[0])
            return f"{stem}_{count + 1}"
        match item:
            case Send(message, fields):
                stem = f"_send_{snake(message)}"
                if not fields:
                    return stem
            case Assign(variable):
                stem = f"_set_{snake(variable)}"
            case Host(name):
                return f"_{snake(name)}"
            case _:
                return "_terminate"
        taken = sum(1 for name in self._names.values() if name.rsplit("_", 1)[0] == stem)
        return f"{stem}_{taken + 1}"

    def views(self) -> tuple[list[FunctionView], list[tuple[str, str]]]:
        """The functions, and the messages that never vary."""
        functions = []
        for key in self._order:
            assert isinstance(key, tuple)
            guard, item = key
            events = self._events[key]
            signed = self._payloads.signed(events)
            body, uses = self._guard(item, signed) if guard else self._step(item, signed)
            parameter = f"message: {self._payloads.union(events)}" if uses else "_message: object"
            functions.append(
                FunctionView(
                    self._names[key],
                    [],
                    f"machine: {self._class}, {parameter}",
                    "bool" if guard else "None",
                    [body],
                )
            )
        return functions, list(self._constants.values())

    def _guard(self, item: Expression, signed: set[str]) -> tuple[str, bool]:
        return f"return {printed(item, signed)}", uses_message(item)

    def _step(self, item: Step, signed: set[str]) -> tuple[str, bool]:
        match item:
            case Send(forward=True):
                return "machine.host.send(message)", True
            case Send(message, fields):
                values = ", ".join(
                    f"{attribute_name(name)}={printed(value, signed)}" for name, value in fields
                )
                built = f"{snake(self._machine.protocol)}.{class_name(message)}({values})"
                if all(type(value).__name__ == "Literal" for _, value in fields):
                    name = self._names[(False, item)].removeprefix("_send").upper()
                    self._constants[item] = (name, built)
                    built = name
                return f"machine.host.send({built})", any(uses_message(value) for _, value in fields)
            case Assign(name, value):
                variable = next(one for one in self._machine.variables if one.name == name)
                text = assigned(variable, value, signed)
                return f"machine.{variable_name(name)} = {text}", uses_message(value)
            case Host(name):
                return f"machine.host.{usable(snake(name), 'python')}(message)", True
            case _:
                return "machine.terminated = True", False


def view_machine(machine: Machine, protocol: Protocol) -> MachineView:
    """What templates/machine.py.j2 prints for `machine`, which speaks `protocol`."""
    role = pascal(machine.role.value)
    machine_name = f"{role}Machine"
    payloads = _Payloads(machine, protocol)
    functions = _Functions(machine, payloads, machine_name)
    members = {event.name: f"Event.{event_member(event)}" for event in machine.events}
    rows = [_row(transition, members, functions) for transition in machine.transitions]
    bodies, constants = functions.views()
    variables = _variables(machine)
    spoken = snake(machine.protocol)
    calls = [_call(event) for event in machine.events if event.parameters]
    sent = [event.message for event in machine.events if event.kind is EventKind.MESSAGE and event.message]
    exported = ["Event", "State", "TABLE", f"{role}Host", machine_name, "settled"]
    return MachineView(
        snake(machine.name),
        spoken,
        docstring(f"{machine.title}.", machine.doc),
        machine_name,
        docstring(f"{machine.title}, as its table says.", indent=4),
        f"{role}Host",
        EnumView(
            "State",
            ["Where a session is. The first is where it begins."],
            [(screaming(s.name), i, _wrap(s.doc, 8)) for i, s in enumerate(machine.states)],
        ),
        EnumView(
            "Event",
            ["What may happen: a message arrives, or (`ON_…`) the host or the application says so."],
            [(event_member(e), i, _wrap(e.doc, 8)) for i, e in enumerate(machine.events)],
        ),
        calls,
        [_host_action(name, machine, payloads) for name in machine.host_actions()],
        variables,
        [
            _method(event, payloads, variables)
            for event in machine.events
            if event.kind is not EventKind.MESSAGE
        ],
        [(f"{spoken}.{class_name(name)}", members[name]) for name in sent],
        constants,
        bodies,
        rows,
        _settled(machine, members),
        f"State.{screaming(machine.initial)}",
        sorted(
            exported + [call.class_name for call in calls],
            key=lambda n: (not n.isupper(), not n[0].isupper(), n),
        ),
    )


def _wrap(doc: str, indent: int) -> list[str]:
    return textwrap.wrap(" ".join(doc.split()), _WIDTH - indent)


def _row(transition: Transition, members: dict[str, str], functions: _Functions) -> RowView:
    event = transition.event
    run = [functions.name(step, event) for step in transition.steps]
    guard = transition.guard
    return RowView(
        f"State.{screaming(transition.state)}",
        members[event],
        literal(show(guard)) if guard is not None else "None",
        _tuple([literal(show_step(step)) for step in transition.steps]),
        f"State.{screaming(transition.next)}" if transition.next is not None else "None",
        transition.before_at,
        functions.name(guard, event, guard=True) if guard is not None else "None",
        _tuple(run),
    )


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _call(event: Event) -> CallView:
    attributes = [
        AttributeView(attribute_name(field.name), _parameter(field), _wrap(field.doc, 8))
        for field in event.parameters
    ]
    return CallView(
        call_name(event), docstring(f"What `{snake(event.name)}` was called with.", indent=4), attributes
    )


def _parameter(field: Field) -> str:
    is_text = field.type is FieldType.STRING and field.text is not Text.OCTETS
    return "str" if is_text else annotation(field)


def _host_action(name: str, machine: Machine, payloads: _Payloads) -> FunctionView:
    events: list[str] = []
    raises: list[str] = []
    for transition in machine.transitions:
        for step in transition.steps:
            if isinstance(step, Host) and step.name == name:
                events.append(transition.event)
                raises += step.raises
    doc = [f"May fail with {', '.join(dict.fromkeys(raises))}."] if raises else []
    parameters = f"self, message: {payloads.union(events)}"
    return FunctionView(usable(snake(name), "python"), doc, parameters, "None", ["..."])


def _method(event: Event, payloads: _Payloads, variables: list[VariableView]) -> FunctionView:
    name = usable(snake(event.name), "python", MEMBERS | {variable.name for variable in variables})
    member = event_member(event)
    doc = docstring(event.doc, "False if no guard holds.", indent=8)
    if event.message is not None:
        parameters, payload = f"self, message: {payloads.of(event.name)}", "message"
    elif event.parameters:
        names = [(attribute_name(field.name), _parameter(field)) for field in event.parameters]
        parameters = ", ".join(["self", *(f"{name}: {kind}" for name, kind in names)])
        payload = f"{call_name(event)}({', '.join(name for name, _ in names)})"
    else:
        parameters, payload = "self", "None"
    return FunctionView(name, doc, parameters, "bool", [f"return self._raise(Event.{member}, {payload})"])


def _variables(machine: Machine) -> list[VariableView]:
    return [
        VariableView(
            variable_name(one.name),
            _TYPES[one.type],
            literal(
                one.value.encode() if one.type is Type.OCTETS and isinstance(one.value, str) else one.value
            ),
            _wrap(one.doc, 8),
        )
        for one in machine.variables
    ]


def _settled(machine: Machine, members: dict[str, str]) -> list[tuple[str, str, str]]:
    """(state, event) that do one host action and nothing else, whatever the variables hold."""
    rows: dict[tuple[str, str], list[Transition]] = {}
    for transition in machine.transitions:
        rows.setdefault((transition.state, transition.event), []).append(transition)
    found = []
    for (state, event), alternatives in rows.items():
        row = alternatives[0]
        if len(alternatives) == 1 and row.guard is None and row.next is None and len(row.steps) == 1:
            step = row.steps[0]
            if isinstance(step, Host) and not step.raises:
                found.append((f"State.{screaming(state)}", members[event], snake(step.name)))
    return found
