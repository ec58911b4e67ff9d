"""The view of a machine's header and source: states, events, the host, and the table with its functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir import (
    Assign,
    Event,
    EventKind,
    Expression,
    Host,
    Machine,
    Protocol,
    Send,
    Step,
    Terminate,
    Transition,
    Type,
)
from ...naming import Scope, pascal, snake
from ...plan.build import parameter_of
from ...plan.machine import ActionPlan, MachinePlan, machine_plan, reads
from ...plan.operations import Fixed, Number
from ..describe import show, show_step
from ..fitting import misfits
from .codec import sentence
from .expressions import Spelled, Value, as_field, assigned, printed
from .kinds import kind_of, value_type
from .names import MachineNames, call_name, class_name, field_names, namespace
from .text import comment, number, string, string_view

__all__ = ["CallView", "MachineView", "MethodView", "VariableView", "view_machine"]

_TYPES = {
    Type.NUMBER: "std::uint64_t",
    Type.STRING: "std::string",
    Type.OCTETS: "std::vector<std::uint8_t>",
    Type.BOOLEAN: "bool",
}


@dataclass(frozen=True, slots=True)
class CallView:
    class_name: str
    member: str
    doc: list[str]
    members: list[tuple[str, str, list[str]]]
    kinds: list[str]


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    model_name: str
    type: str
    value: str
    kind: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class ActionView:
    name: str
    model_name: str
    parameters: str
    driver_parameter: str  # as driver/bundle.cpp spells it
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MethodView:
    name: str
    event: str
    model_name: str
    parameters: str
    carried: list[str]
    call: CallView | None
    message: str | None
    doc: list[str]


@dataclass(frozen=True, slots=True)
class FunctionView:
    name: str
    returns: str
    parameters: str
    body: list[str]


@dataclass(frozen=True, slots=True)
class MachineView:
    namespace: str
    file: str
    protocol: str
    title: list[str]
    machine: str
    host: str
    class_doc: list[str]
    states: list[tuple[str, str, list[str]]]
    events: list[tuple[str, str, list[str]]]
    calls: list[CallView]
    actions: list[ActionView]
    variables: list[VariableView]
    methods: list[MethodView]
    receives: list[tuple[str, str]]
    needing: list[str]
    functions: list[FunctionView]
    step_names: list[tuple[str, list[str]]]
    step_lists: list[tuple[str, list[str]]]
    rows: list[list[str]]
    actions_of_rows: list[list[str]]
    initial: str
    model_name: str
    refuses: bool  # whether there are values that messages may be unable to hold


class _Payload:
    """What an event carries: a message, a call, or nothing."""

    def __init__(self, event: Event, plan: MachinePlan, names: MachineNames) -> None:
        self.fields: dict[str, tuple[Value, str]] = {}
        self.type = self.fetch = ""
        if event.message is not None and event.message in plan.plans:
            self.type = f"{namespace(plan.machine.protocol)}::{class_name(event.message)}"
            self.fetch = f"const auto& message = *std::get_if<{self.type}>(carried.message);"
            members = field_names(plan.plans[event.message])
        elif event.message is None and event.parameters:
            scope = Scope("cpp")
            self.type = call_name(event)
            self.fetch = f"const auto& message = *carried.{names.calls[event.name]};"
            members = {one.name: scope.name(snake(one.name)) for one in event.parameters}
        if self.type:
            operations = plan.operations(event.name).values()
            self.fields = {one.name: (one, members[one.name]) for one in operations if isinstance(one, Value)}


class _Functions:
    """The functions that rows name: one for each guard and each step, however many rows share it."""

    def __init__(
        self, plan: MachinePlan, names: MachineNames, host: dict[str, ActionView], role: str
    ) -> None:
        self._plan, self._names, self._host = plan, names, host
        self._protocol = namespace(plan.machine.protocol)
        self._payloads = {event.name: _Payload(event, plan, names) for event in plan.machine.events}
        self._class = f"{role}Machine"
        self._counts: dict[str, int] = {}
        self._known: dict[object, str] = {}
        self.views: list[FunctionView] = []
        self.refuses = False

    def name(self, item: Expression | Step, event: str, guard: bool = False) -> str:
        """The function for `item` in a row of `event`."""
        payload = self._payloads[event]
        body, uses = self._guard(item, payload) if guard else self._step(item, payload)  # type: ignore[arg-type]
        plain = replace(item, raises=()) if isinstance(item, Host) else item
        key = (guard, plain, payload.type if uses else "")
        if key not in self._known:
            stem = "holds" if guard else self._wanted(item)
            count = self._counts[stem] = self._counts.get(stem, 0) + 1
            name = stem if count == 1 else f"{stem}_{count}"
            self._known[key] = name
            self.views.append(self._view(name, guard, ([payload.fetch] if uses else []) + body))
        return self._known[key]

    def _view(self, name: str, guard: bool, body: list[str]) -> FunctionView:
        text = "\n".join(body)
        machine = "machine" if "machine." in text else ""
        carried = "carried" if "carried" in text else ""
        const = "const " if guard else ""
        parameters = f"{const}{self._class}& {machine}, const Carried& {carried}"
        return FunctionView(name, "bool" if guard else "void", parameters, body)

    @staticmethod
    def _wanted(item: Expression | Step) -> str:
        match item:
            case Send(message):
                return f"send_{snake(message)}"
            case Assign(variable):
                return f"set_{snake(variable)}"
            case Host(name):
                return f"do_{snake(name)}"
            case _:
                return "terminate"

    def _spelled(self, payload: _Payload) -> Spelled:
        return Spelled(self._plan.machine, self._names.variables, payload.fields)

    def _guard(self, item: Expression, payload: _Payload) -> tuple[list[str], bool]:
        return [f"return {printed(item, self._spelled(payload))};"], reads(item)

    def _step(self, item: Step, payload: _Payload) -> tuple[list[str], bool]:
        match item:
            case Send(forward=True):
                return ["machine.host().send(*carried.message);"], False
            case Send():
                return self._send(item, payload)
            case Assign(name, value):
                variable = next(one for one in self._plan.machine.variables if one.name == name)
                printed_value = assigned(item, variable, self._spelled(payload))
                target = f"machine.{self._names.variables[name]}"
                if variable.type is Type.OCTETS:
                    return [f"zeps_wire::assign({target}, {printed_value});"], reads(value)
                return [f"{target} = {printed_value};"], reads(value)
            case Host(name):
                action = self._host[name]
                return self._call(action, payload)
            case Terminate():
                return ["machine.terminate_();"], False
        raise ValueError(f"no step: {item}")

    def _send(self, item: Send, payload: _Payload) -> tuple[list[str], bool]:
        plan = self._plan.plans[item.message]
        spelled, members = self._spelled(payload), field_names(plan)
        operations = {one.name: one for one in plan.operations if isinstance(one, Value)}
        kind = f"{self._protocol}::{class_name(item.message)}"
        if not item.fields:
            return [f"machine.host().send({kind}{{}});"], False
        body, late = [f"{kind} sent;"], 0
        for name, value in item.fields:
            operation, text = operations[name], printed(value, spelled)
            if misfits(operation.field, value, {}):  # a message's own member may hold more than its octets do
                late += 1
                local = f"value_{late}"
                body += _refused(item.message, operation, local, text)
                text, self.refuses = local, True
            body.append(f"sent.{members[name]} = {as_field(text, operation, self._protocol)};")
        uses = any(reads(value) for _, value in item.fields)
        return [*body, "machine.host().send(sent);"], uses

    def _call(self, action: ActionView, payload: _Payload) -> tuple[list[str], bool]:
        if not action.parameters:
            return [f"machine.host().{action.name}();"], False
        if action.parameters.startswith(f"const {self._protocol}::Message*"):
            return [f"machine.host().{action.name}(carried.message);"], False
        return [f"machine.host().{action.name}(message);"], True


def _refused(message: str, operation: Value, local: str, value: str) -> list[str]:
    """Tell the host, and leave the step, if the field cannot hold `value`, which is called `local` from here on."""
    match operation:
        case Number(field=field):
            kind, test = "std::uint64_t", f"{local} > {number(operation.greatest)}"
            is_unknown = operation.enumeration is not None and field.max is None
            code = f"zeps_wire::Code::{'bad_constant' if is_unknown else 'too_long'}"
        case Fixed(size=size):
            kind, test = "zeps_wire::Octets", f"{local}.size() != {number(size)}"
            code = f"{local}.size() > {number(size)} ? zeps_wire::Code::too_long : zeps_wire::Code::truncated"
        case _:
            raise ValueError(f"{operation.name} holds any value")
    error = f"{{{code}, {string(message)}, {string(operation.name)}, 0}}"
    return [
        f"const {kind} {local} = {value};",
        f"if ({test}) {{",
        f"  return machine.host().unsendable({error});",
        "}",
    ]


def view_machine(machine: Machine, protocol: Protocol) -> MachineView:
    """What the templates print for `machine`, which speaks `protocol`."""
    names, plan = MachineNames(machine), machine_plan(machine, protocol)
    role = pascal(machine.role.value)
    host = {one.name: _action(one, plan, names) for one in plan.actions}
    functions = _Functions(plan, names, host, role)
    lists = _Lists()
    rows = [_row(transition, names, functions, lists) for transition in machine.transitions]
    calls = {one.name: _call(one, names) for one in machine.events if one.name in names.calls}
    carrying = [one for one in machine.events if one.message is not None or one.parameters]
    of_message = {
        one.message: names.events[one.name] for one in machine.events if one.kind is EventKind.MESSAGE
    }
    return MachineView(
        namespace(machine.name),
        namespace(machine.name),
        namespace(machine.protocol),
        comment(sentence(machine.title), machine.doc),
        f"{role}Machine",
        f"{role}Host",
        comment(f"{machine.title}, as its table says."),
        [(names.states[s.name], string(s.name), _doc(s.doc)) for s in machine.states],
        [(names.events[e.name], string(e.name), _doc(e.doc)) for e in machine.events],
        list(calls.values()),
        list(host.values()),
        [_variable(one.name, machine, names) for one in machine.variables],
        [_method(one, machine, names, calls) for one in machine.events if one.kind is not EventKind.MESSAGE],
        [
            (f"{namespace(machine.protocol)}::{class_name(name)}", of_message[name])
            for name in plan.plans
            if name in of_message
        ],
        [names.events[one.name] for one in carrying],
        functions.views,
        lists.texts,
        lists.functions,
        [row for row, _ in rows],
        [actions for _, actions in rows],
        names.states[machine.initial],
        string(machine.name),
        functions.refuses,
    )


def _doc(doc: str) -> list[str]:
    return comment(sentence(doc), indent=2)


class _Lists:
    """The arrays that rows share: what steps are called, and what they run."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, list[str]]] = []
        self.functions: list[tuple[str, list[str]]] = []

    @staticmethod
    def shared(known: list[tuple[str, list[str]]], stem: str, items: list[str]) -> str:
        """The array of these items, among those that are known."""
        if not items:
            return "{}"
        for name, found in known:
            if found == items:
                return name
        known.append((f"{stem}_{len(known) + 1}", items))
        return known[-1][0]


def _row(
    transition: Transition, names: MachineNames, functions: _Functions, lists: _Lists
) -> tuple[list[str], list[str]]:
    """A row as data, and the functions that it names."""
    event, guard = transition.event, transition.guard
    run = [f"&Steps::{functions.name(step, event)}" for step in transition.steps]
    row = [
        f"State::{names.states[transition.state]}",
        f"Event::{names.events[event]}",
        string_view(show(guard)) if guard is not None else "{}",
        lists.shared(lists.texts, "steps", [string_view(show_step(step)) for step in transition.steps]),
        f"State::{names.states[transition.next]}" if transition.next is not None else "std::nullopt",
        str(transition.before_at),
    ]
    holds = f"&Steps::{functions.name(guard, event, guard=True)}" if guard is not None else "nullptr"
    return row, [holds, lists.shared(lists.functions, "run", run)]


def _action(action: ActionPlan, plan: MachinePlan, names: MachineNames) -> ActionView:
    """One callback. It gets what its events carry, if that is always the same; else the message, if there is one."""
    match action.carried:
        case (None,):
            parameters = driver = ""
        case (str(event),):
            carried = _Payload(plan.event(event), plan, names).type
            parameters = f"const {carried}& message"
            driver = f"const {carried}&" if "::" in carried else f"const wire::{carried}&"
        case _:
            driver = f"const {namespace(plan.machine.protocol)}::Message*"
            parameters = f"{driver} message"
    raises = ", ".join(f"`{names.events.get(one, one)}`" for one in action.raises)
    doc = comment(f"May fail with {raises}." if raises else "", indent=2)
    return ActionView(names.actions[action.name], action.name, parameters, driver, doc)


def _call(event: Event, names: MachineNames) -> CallView:
    members = Scope("cpp")
    return CallView(
        call_name(event),
        names.calls[event.name],
        comment(f"What `{names.methods[event.name]}` was called with."),
        [
            (value_type(parameter_of(field)), members.name(snake(field.name)), comment(sentence(field.doc)))
            for field in event.parameters
        ],
        [kind_of(parameter_of(field)) for field in event.parameters],
    )


def _method(event: Event, machine: Machine, names: MachineNames, calls: dict[str, CallView]) -> MethodView:
    call, message, carried = calls.get(event.name), None, ["Carried carried;"]
    parameters = ""
    if event.message is not None:
        message = f"{namespace(machine.protocol)}::{class_name(event.message)}"
        parameters = f"const {message}& message"
        carried = [
            f"const {namespace(machine.protocol)}::Message any(message);",
            *carried,
            "carried.message = &any;",
        ]
    elif call is not None:
        scope = Scope("cpp", {"carried", "call"})
        given = [(kind, scope.name(name)) for kind, name, _ in call.members]
        parameters = ", ".join(f"{kind} {name}" for kind, name in given)
        values = ", ".join(name for _, name in given)
        carried = [f"const {call.class_name} call{{{values}}};", *carried, f"carried.{call.member} = &call;"]
    return MethodView(
        names.methods[event.name],
        f"Event::{names.events[event.name]}",
        string(event.name),
        parameters,
        carried,
        call,
        message,
        comment(sentence(event.doc), indent=2),
    )


def _variable(name: str, machine: Machine, names: MachineNames) -> VariableView:
    one = next(variable for variable in machine.variables if variable.name == name)
    match one.type:
        case Type.NUMBER:
            value, kind = number(int(one.value)), "u"
        case Type.BOOLEAN:
            value, kind = ("true" if one.value else "false"), "u"
        case Type.STRING:
            value, kind = (string_view(str(one.value)) if one.value else ""), "s"
        case Type.OCTETS:
            octets = one.value.encode() if isinstance(one.value, str) else b""
            value, kind = ", ".join(f"0x{octet:02X}" for octet in octets), "b"
    return VariableView(names.variables[name], name, _TYPES[one.type], value, kind, _doc(one.doc))
