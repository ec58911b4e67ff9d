"""The view of a machine's module: states, events, the host's interface, and the table with its functions."""

from __future__ import annotations

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
    Send,
    Step,
    Transition,
    Type,
    Variable,
)
from ...naming import Scope, camel, pascal
from ..describe import show, show_step
from ..errors import UnsupportedByTarget
from ..operators import uses_message
from .codec import PropertyView
from .expressions import Printer, carrier_of_variable
from .lines import doc, octets, quoted
from .plan import Properties, ProtocolPlan, module_name

__all__ = ["CallPlan", "FunctionView", "MachinePlan", "MachineView", "plan_machine", "view_machine"]

#: What a machine's methods and variables may not be called.
MEMBERS = frozenset(
    {"constructor", "fail", "host", "raise", "receive", "state", "terminated", "toString", "valueOf"}
)
_TAKEN = """BigInt EVENT_OF INDEX Machine Map Math RULES TABLE byState difference host least machine message natural
sameOctets sameValue sizeOf"""

#: What the module's functions may not be called.
LOCALS = frozenset(_TAKEN.split())
#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3
_TYPES = {Type.STRING: "string", Type.OCTETS: "Uint8Array", Type.BOOLEAN: "boolean"}


@dataclass(frozen=True, slots=True)
class NamedView:
    """A state or an event."""

    name: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class CallView:
    name: str
    doc: list[str]
    properties: list[PropertyView]


@dataclass(frozen=True, slots=True)
class FunctionView:
    name: str
    doc: list[str]
    parameters: str
    returns: str
    body: str


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    type: str
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
    module: str  # of the protocol, as an import's name
    file: str  # of the protocol
    doc: list[str]
    class_name: str
    class_doc: list[str]
    host_name: str
    states: list[NamedView]
    events: list[NamedView]
    calls: list[CallView]
    host: list[FunctionView]
    variables: list[VariableView]
    methods: list[FunctionView]
    messages: list[tuple[str, str]]
    functions: list[FunctionView]
    rows: list[RowView]
    initial: str


@dataclass(frozen=True, slots=True)
class CallPlan:
    """An event of the host's or the application's: its method, and the names of its parameters."""

    event: Event
    method: str
    parameters: tuple[tuple[Field, str], ...]

    @property
    def type(self) -> str:
        """The interface that holds the parameters."""
        return f"{pascal(self.event.name)}Call"


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """A machine and its names."""

    machine: Machine
    protocol: ProtocolPlan
    module: str  # what the protocol's module is imported as
    class_name: str
    host_name: str
    variables: dict[str, tuple[Variable, str]]
    calls: dict[str, CallPlan]
    actions: dict[str, str]


def plan_machine(machine: Machine, protocol: ProtocolPlan) -> MachinePlan:
    """The names of a machine."""
    members = Properties(MEMBERS)
    variables = {one.name: (one, members.name(one.name)) for one in machine.variables}
    calls = {}
    for event in machine.events:
        if event.kind is EventKind.MESSAGE:
            continue
        names = Properties(())
        parameters = tuple((field, names.name(field.name)) for field in event.parameters)
        calls[event.name] = CallPlan(event, members.name(event.name), parameters)
    actions = Properties({"send", "constructor"})
    role = pascal(machine.role.value)
    scope = Scope("typescript", LOCALS)
    return MachinePlan(
        machine,
        protocol,
        scope.name(camel(machine.protocol)),
        f"{role}Machine",
        f"{role}Host",
        variables,
        calls,
        {name: actions.name(name) for name in machine.host_actions()},
    )


class _Payloads:
    """What events carry: the types, and the fields by name."""

    def __init__(self, plan: MachinePlan) -> None:
        self._plan = plan
        self._events = {event.name: event for event in plan.machine.events}

    def of(self, event: str) -> str:
        found = self._events[event]
        if found.message is not None:
            return f"{self._plan.module}.{self._plan.protocol.message(found.message).name}"
        return self._plan.calls[event].type if found.parameters else "null"

    def union(self, events: list[str], exact: bool = False) -> str:
        """The type of what any of `events` carries; unless `exact`, many messages are written as any."""
        kinds = list(dict.fromkeys(self.of(event) for event in events))
        messages = [kind for kind in kinds if "." in kind]
        others = [kind for kind in kinds if "." not in kind and kind != "null"]
        if len(messages) > _PAYLOADS_MAX and not exact:
            messages = [f"{self._plan.module}.Message"]
        return " | ".join(messages + others + (["null"] if "null" in kinds else []))

    def fields(self, events: list[str]) -> dict[str, list[tuple[Field, str]]]:
        """The fields that the events carry, with their properties, by name."""
        found: dict[str, list[tuple[Field, str]]] = {}
        for name in dict.fromkeys(events):
            event = self._events[name]
            if event.message is not None:
                slots = self._plan.protocol.message(event.message).shown
                pairs = [(slot.field, str(slot.member)) for slot in slots]
            elif event.parameters:
                pairs = list(self._plan.calls[name].parameters)
            else:
                pairs = []
            for field, property_ in pairs:
                found.setdefault(field.name, []).append((field, property_))
        return found


class _Functions:
    """The functions that rows name: one for each guard and each step, however many rows share it."""

    def __init__(self, plan: MachinePlan, payloads: _Payloads) -> None:
        self._plan, self._payloads = plan, payloads
        self._scope = Scope("typescript", [*LOCALS, plan.module])
        self._names: dict[tuple[bool, Expression | Step], str] = {}
        self._events: dict[str, list[str]] = {}

    def name(self, item: Expression | Step, event: str, guard: bool = False) -> str:
        """The function for `item` in a row of `event`."""
        key = (guard, replace(item, raises=()) if isinstance(item, Host) else item)
        if key not in self._names:
            self._names[key] = self._scope.name(self._wanted(item, guard))
        self._events.setdefault(self._names[key], []).append(event)
        return self._names[key]

    def _wanted(self, item: Expression | Step, guard: bool) -> str:
        match item:
            case Send(message, fields):
                stem = f"send{pascal(message)}"
                if not fields:
                    return stem
            case Assign(variable):
                stem = f"set{pascal(variable)}"
            case Host(name):
                return camel(name)
            case _ if not guard:
                return "terminate"
            case _:
                stem = "when"
        count = sum(1 for name in self._names.values() if name.rstrip("0123456789") == stem)
        return f"{stem}{count + 1}"

    def views(self) -> list[FunctionView]:
        """The functions, in the order of first use."""
        views = []
        for (guard, item), name in self._names.items():
            events = self._events[name]
            printer = Printer(
                self._plan.protocol, self._plan.module, self._plan.variables, self._payloads.fields(events)
            )
            if guard:
                assert not isinstance(item, (Send, Assign, Host))
                body, uses, exact = f"return {printer.guard(item)};", uses_message(item), True  # type: ignore[arg-type]
            else:
                body, uses, exact = self._step(item, printer)  # type: ignore[arg-type]
            machine = []
            if uses or "machine." in body:
                machine = [f"{'machine' if 'machine.' in body else '_machine'}: {self._plan.class_name}"]
            message = [f"message: {self._payloads.union(events, exact)}"] if uses else []
            returns = "boolean" if guard else "void"
            views.append(FunctionView(name, [], ", ".join(machine + message), returns, body))
        return views

    def _step(self, item: Step, printer: Printer) -> tuple[str, bool, bool]:
        """The statement, whether it looks at the message, and whether it looks at its fields."""
        match item:
            case Send(forward=True):
                return "machine.host.send(message);", True, False
            case Send(message, fields):
                plan = self._plan.protocol.message(message)
                properties = {slot.field.name: slot for slot in plan.shown}
                given = {name for name, _ in fields}
                for slot in plan.shown:
                    if slot.field.name not in given:
                        why = "the host is to fill it in"
                        raise UnsupportedByTarget("typescript", message, slot.field.name, why)
                values = [f"type: {quoted(message)}"]
                for name, value in fields:
                    slot = properties[name]
                    values.append(f"{slot.member}: {printer.sent(slot.field, value)}")
                uses = any(uses_message(value) for _, value in fields)
                return f"machine.host.send({{ {', '.join(values)} }});", uses, True
            case Assign(name, value):
                variable, property_ = self._plan.variables[name]
                text = printer.assigned(variable, value)
                return f"machine.{property_} = {text};", uses_message(value), True
            case Host(name):
                return f"machine.host.{self._plan.actions[name]}(message);", True, False
            case _:
                return "machine.terminated = true;", False, False


def view_machine(plan: MachinePlan) -> MachineView:
    """What templates/machine.ts.j2 prints for a machine."""
    machine = plan.machine
    payloads = _Payloads(plan)
    functions = _Functions(plan, payloads)
    rows = [_row(transition, functions) for transition in machine.transitions]
    received = [event for event in machine.events if event.kind is EventKind.MESSAGE and event.message]
    return MachineView(
        plan.module,
        module_name(machine.protocol),
        doc(f"{machine.title}.", machine.doc),
        plan.class_name,
        doc(f"{machine.title}, as its table says."),
        plan.host_name,
        [NamedView(quoted(one.name), doc(one.doc)) for one in machine.states],
        [NamedView(quoted(one.name), doc(one.doc)) for one in machine.events],
        [_call(call, plan) for call in plan.calls.values() if call.parameters],
        [_host_action(name, plan, payloads) for name in plan.actions],
        [_variable(variable, name) for variable, name in plan.variables.values()],
        [_method(call, plan, payloads) for call in plan.calls.values()],
        [(quoted(str(event.message)), quoted(event.name)) for event in received],
        functions.views(),
        rows,
        quoted(machine.initial),
    )


def _row(transition: Transition, functions: _Functions) -> RowView:
    event, guard = transition.event, transition.guard
    run = [functions.name(step, event) for step in transition.steps]
    return RowView(
        quoted(transition.state),
        quoted(event),
        quoted(show(guard)) if guard is not None else "null",
        ", ".join(quoted(show_step(step)) for step in transition.steps),
        quoted(transition.next) if transition.next is not None else "null",
        transition.before_at,
        functions.name(guard, event, guard=True) if guard is not None else "null",
        ", ".join(run),
    )


def _parameter(field: Field, plan: MachinePlan) -> str:
    if field.type is FieldType.STRING and field.enumeration is None:
        return plan.protocol.type_of(field)
    kind = plan.protocol.type_of(field)
    return f"{plan.module}.{kind}" if field.enumeration is not None else kind


def _call(call: CallPlan, plan: MachinePlan) -> CallView:
    properties = [
        PropertyView(name, _parameter(field, plan), doc(field.doc)) for field, name in call.parameters
    ]
    return CallView(call.type, doc(f"What `{call.method}` was called with."), properties)


def _host_action(name: str, plan: MachinePlan, payloads: _Payloads) -> FunctionView:
    events: list[str] = []
    raises: list[str] = []
    for transition in plan.machine.transitions:
        for step in transition.steps:
            if isinstance(step, Host) and step.name == name:
                events.append(transition.event)
                raises += step.raises
    notes = doc(f"May fail with {', '.join(dict.fromkeys(raises))}." if raises else "")
    return FunctionView(plan.actions[name], notes, f"message: {payloads.union(events)}", "void", "")


def _method(call: CallPlan, plan: MachinePlan, payloads: _Payloads) -> FunctionView:
    event = call.event
    notes = doc(event.doc, "False if no guard holds. Throws UnhandledEvent if the state does not take it.")
    if event.message is not None:
        parameters, payload = f"message: {payloads.of(event.name)}", "message"
    else:
        names = Scope("typescript")
        locals_ = [names.name(name) for _, name in call.parameters]
        kinds = [_parameter(field, plan) for field, _ in call.parameters]
        parameters = ", ".join(f"{name}: {kind}" for name, kind in zip(locals_, kinds, strict=True))
        pairs = zip(call.parameters, locals_, strict=True)
        members = [name if name == local else f"{name}: {local}" for (_, name), local in pairs]
        payload = f"{{ {', '.join(members)} }} satisfies {call.type}" if members else "null"
    return FunctionView(
        call.method, notes, parameters, "boolean", f"return this.raise({quoted(event.name)}, {payload});"
    )


def _variable(variable: Variable, name: str) -> VariableView:
    value = variable.value
    if variable.type is Type.NUMBER:
        carrier = carrier_of_variable(variable)
        return VariableView(
            name,
            carrier.value,
            f"{int(value)}n" if carrier.value == "bigint" else str(int(value)),
            doc(variable.doc),
        )
    if variable.type is Type.BOOLEAN:
        text = "true" if value else "false"
    elif variable.type is Type.OCTETS:
        text = octets(str(value or "").encode())
    else:
        text = quoted(str(value or ""))
    return VariableView(name, _TYPES[variable.type], text, doc(variable.doc))
