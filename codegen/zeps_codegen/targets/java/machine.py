"""The views of a machine's package: states, events, the host's interface, and the class with its table."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Event, Transition, Type, Variable
from ..describe import show, show_step
from .machine_names import MachineNames, call_components
from .names import Imports, javadoc, join_doc, literal, long_literal, sentence
from .steps import Numbered

__all__ = ["CallView", "EnumView", "HostView", "MachinePackage", "MachineView", "Method"]

_INSIDE = """None of these methods may call the machine, which is half way through an event, but for {@link
zeps.wire.Machine#fail}: it throws {@link zeps.wire.UnhandledEventException}."""
_TYPES = {Type.NUMBER: "long", Type.STRING: "String", Type.OCTETS: "Octets", Type.BOOLEAN: "boolean"}


@dataclass(frozen=True, slots=True)
class EnumMember:
    name: str
    label: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumView:
    package: str
    class_name: str
    doc: list[str]
    members: list[EnumMember]


@dataclass(frozen=True, slots=True)
class CallView:
    package: str
    imports: list[str]
    doc: list[str]
    class_name: str
    components: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the machine's for an event, or of its host's for an action."""

    name: str
    doc: list[str]
    parameters: str
    statement: str = ""


@dataclass(frozen=True, slots=True)
class HostView:
    package: str
    imports: list[str]
    doc: list[str]
    class_name: str
    message: str
    refuses: bool  # whether there are values that messages may be unable to hold
    actions: list[Method]


@dataclass(frozen=True, slots=True)
class VariableView:
    kind: str
    field: str
    value: str
    getter: str
    setter: str
    doc: str


@dataclass(frozen=True, slots=True)
class MachineView:
    package: str
    imports: list[str]
    doc: list[str]
    class_name: str
    host: str
    message: str
    initial: str
    variables: list[VariableView]
    events: list[tuple[str, str]]
    methods: list[Method]
    rows: list[str]
    guards: list[str]
    steps: list[str]


class MachinePackage:
    """What the templates print for a machine."""

    def __init__(self, names: MachineNames):
        self.names = names
        self.machine = names.machine

    def enums(self) -> list[EnumView]:
        names, machine = self.names, self.machine
        states = [
            EnumMember(names.states[s.name], literal(s.name), javadoc(sentence(s.doc, f"The state {s.name}")))
            for s in machine.states
        ]
        events = [
            EnumMember(names.events[e.name], literal(e.name), javadoc(sentence(e.doc, f"The event {e.name}")))
            for e in machine.events
        ]
        where = "Where a session is. The first is where it begins."
        what = "What may happen: a message arrives, or (ON_…) the host or the application says so."
        return [
            EnumView(names.package, "State", javadoc(where), states),
            EnumView(names.package, "Event", javadoc(what), events),
        ]

    def calls(self) -> list[CallView]:
        return [self._call(event) for event in self.machine.events if event.parameters]

    def _call(self, event: Event) -> CallView:
        imports, components = Imports(), call_components(event)
        listed = [f"{self.names.parameter_type(f, imports)} {components[f.name]}" for f in event.parameters]
        tags = [
            f"@param {components[f.name]} {sentence(f.doc, f'The {f.name} it was given')}"
            for f in event.parameters
        ]
        method = self.names.methods[event.name]
        doc = javadoc(f"What {{@link {self.names.machine_class}#{method}}} was called with.", tags=tags)
        return CallView(
            self.names.package, imports.lines(), doc, self.names.calls[event.name], ", ".join(listed)
        )

    def host(self) -> HostView:
        imports = Imports()
        message = self.names.message(None, imports)
        actions = []
        for one in self.names.actions(imports):
            raises = [f"{{@link Event#{self.names.events[name]}}}" for name in one.raises]
            what = f"The model's action {one.name}."
            note = f"May fail with {' or '.join(raises)}." if raises else ""
            given = "what the event carries; null if it carries nothing"
            tags = [] if one.parameter is None else [f"@param message {given}"]
            parameter = "" if one.parameter is None else f"{one.parameter} message"
            actions.append(Method(one.method, javadoc(join_doc(what, note), tags=tags), parameter))
        refuses = self.names.refuses
        if refuses:
            imports.use("EncodeException")
        doc = javadoc(f"What {{@link {self.names.machine_class}}} asks of its host.", _INSIDE)
        package, name = self.names.package, self.names.host_class
        return HostView(package, imports.lines(), doc, name, message, refuses, actions)

    def whole(self) -> MachineView:
        names, machine, imports = self.names, self.machine, Imports()
        for used in ("Machine", "Objects", "Row", "Table", "UnexpectedEventException"):
            imports.use(used)
        imports.use("List")
        actions = {one.name: one for one in names.actions(imports)}
        guards, steps = Numbered(names, imports, actions), Numbered(names, imports, actions)
        rows = [self._row(row, guards, steps) for row in machine.transitions]
        events = [(literal(one.message or ""), names.events[one.name]) for one in names.plan.received]
        message = names.message(None, imports)
        variables = [self._variable(one, imports) for one in machine.variables]
        methods = [self._method(one, imports) for one in names.plan.called]
        text = "\n".join((*guards.statements, *steps.statements))
        for name in ("Unsigned", "Octets"):
            if f"{name}." in text:
                imports.use(name)
        return MachineView(
            names.package,
            imports.lines(),
            javadoc(sentence(machine.title), sentence(machine.doc)),
            names.machine_class,
            names.host_class,
            message,
            names.states[machine.initial],
            variables,
            events,
            methods,
            rows,
            guards.statements,
            steps.statements,
        )

    def _row(self, row: Transition, guards: Numbered, steps: Numbered) -> str:
        names = self.names
        guard = -1 if row.guard is None else guards.guard(row.guard, row.event)
        numbers = [steps.step(step, row.event) for step in row.steps]
        words = ", ".join(literal(show_step(step)) for step in row.steps)
        shown = "null" if row.guard is None else literal(show(row.guard))
        following = "null" if row.next is None else f"State.{names.states[row.next]}"
        data = f"State.{names.states[row.state]}, Event.{names.events[row.event]}, {shown}, List.of({words})"
        return f"new Row<>({data}, {following}, {row.before_at}), {', '.join(map(str, [guard, *numbers]))}"

    def _variable(self, one: Variable, imports: Imports) -> VariableView:
        kind = _TYPES[one.type]
        if kind == "Octets":
            imports.use("Octets")
        value: str
        if one.type is Type.NUMBER:
            value = long_literal(int(one.value))
        elif one.type is Type.BOOLEAN:
            value = str(bool(one.value)).lower()
        else:
            text = literal(one.value if isinstance(one.value, str) else "")
            value = f"Octets.utf8({text})" if kind == "Octets" else text
        getter, setter = self.names.accessors[one.name]
        doc = sentence(one.doc, f"The model's {one.name}")
        return VariableView(kind, self.names.variables[one.name], value, getter, setter, doc)

    def _method(self, event: Event, imports: Imports) -> Method:
        names, member = self.names, self.names.events[event.name]
        tags = []
        if event.message is not None:
            kind = names.message(event.message, imports)
            parameters, carried = f"{kind} message", 'Objects.requireNonNull(message, "message")'
            tags.append("@param message what the event carries")
        elif event.parameters:
            components = call_components(event)
            listed = [(names.parameter_type(f, imports), components[f.name]) for f in event.parameters]
            parameters = ", ".join(f"{kind} {name}" for kind, name in listed)
            carried = f"new {names.calls[event.name]}({', '.join(name for _, name in listed)})"
            tags += [
                f"@param {components[f.name]} {sentence(f.doc, f'The {f.name}')}" for f in event.parameters
            ]
        else:
            parameters, carried = "", "null"
        tags.append("@return false if no guard holds")
        doc = javadoc(sentence(event.doc, f"The event {event.name}"), tags=tags)
        return Method(names.methods[event.name], doc, parameters, f"return raise(Event.{member}, {carried});")
