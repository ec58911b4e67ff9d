"""The views of a machine's package: states, events, the host's interface, and the class with its table."""

from __future__ import annotations

from collections.abc import Mapping
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
from ...naming import Scope, camel, pascal, screaming
from ..describe import show, show_step
from ..operators import uses_message
from .expressions import Java
from .names import (
    OBJECT,
    Imports,
    ProtocolNames,
    has_text,
    is_member,
    javadoc,
    join_doc,
    literal,
    long_literal,
    sentence,
)
from .plan import MessagePlan

__all__ = [
    "Action",
    "CallView",
    "EnumView",
    "HostView",
    "MachineNames",
    "MachinePackage",
    "MachineView",
    "Method",
]

#: What a machine's methods may not be called: those of every machine and of every object.
_MACHINE = "accept fail holds isTerminated raise receive state step terminate"
_MEMBERS = OBJECT | frozenset(_MACHINE.split())
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


@dataclass(frozen=True, slots=True)
class Action:
    """A host action: its name in the model and in Java, and what it is given (None: nothing)."""

    name: str
    method: str
    parameter: str | None
    raises: tuple[str, ...]


class MachineNames:
    """The names in one machine's package, and the types of what its events carry."""

    def __init__(self, package: str, machine: Machine, protocol: ProtocolNames, plans: list[MessagePlan]):
        self.machine = machine
        self.package = package
        self.protocol = protocol
        self.plans = {plan.name: plan for plan in plans}
        role = pascal(machine.role.value)
        scope = Scope("java", {"State", "Event", "Machine", "Object", "String", "Table", "Row", "Override"})
        self.machine_class = scope.name(f"{role}Machine")
        self.host_class = scope.name(f"{role}Host")
        self.calls = {e.name: scope.name(f"{pascal(e.name)}Call") for e in machine.events if e.parameters}
        self.own = {"State", "Event", self.machine_class, self.host_class, *self.calls.values()}
        states, events = Scope("java"), Scope("java")
        self.states = {one.name: states.name(screaming(one.name)) for one in machine.states}
        self.events = {one.name: events.name(event_member(one)) for one in machine.events}
        self.kinds = {one.name: one for one in machine.events}
        self.variables, self.accessors = self._variables()
        methods = Scope("java", _MEMBERS | {name for pair in self.accessors.values() for name in pair})
        raised = [one for one in machine.events if one.kind is not EventKind.MESSAGE]
        self.methods = {one.name: methods.name(camel(one.name)) for one in raised}
        self._actions = Scope("java", OBJECT | {"send"})
        self._host_methods = {name: self._actions.name(camel(name)) for name in machine.host_actions()}

    def _variables(self) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
        fields, accessors = Scope("java", {"host", "carried"}), Scope("java", _MEMBERS)
        names = {one.name: fields.name(camel(one.name)) for one in self.machine.variables}
        return names, {
            one.name: (
                accessors.name(f"{'is' if one.type is Type.BOOLEAN else 'get'}{pascal(one.name)}"),
                accessors.name(f"set{pascal(one.name)}"),
            )
            for one in self.machine.variables
        }

    def message(self, name: str | None, imports: Imports) -> str:
        """The class of a message, or of all messages, as this package has to call it."""
        found = "Message" if name is None else self.protocol.messages[name]
        if found in self.own:
            return f"{self.protocol.package}.{found}"
        return imports.use(f"{self.protocol.package}.{found}")

    def carried(self, event: str, imports: Imports) -> str | None:
        """The type of what an event carries."""
        found = self.kinds[event]
        if found.message is not None:
            return self.message(found.message, imports)
        return self.calls.get(event)

    def union(self, events: list[str], imports: Imports) -> str | None:
        """The type of what any of `events` carries; None if none carries anything."""
        kinds = {kind: event for event in events if (kind := self.carried(event, Imports())) is not None}
        if not kinds:
            return None
        if len(kinds) == 1:
            return self.carried(next(iter(kinds.values())), imports)
        return "Object" if kinds.keys() & set(self.calls.values()) else self.message(None, imports)

    def actions(self, imports: Imports) -> list[Action]:
        """The host's actions, in the order of their first use."""
        found = []
        for name in self.machine.host_actions():
            events: list[str] = []
            raises: list[str] = []
            for row in self.machine.transitions:
                for step in row.steps:
                    if isinstance(step, Host) and step.name == name:
                        events.append(row.event)
                        raises += step.raises
            kind = self.union(events, imports)
            found.append(Action(name, self._host_methods[name], kind, tuple(dict.fromkeys(raises))))
        return found

    def parameter_type(self, field: Field, imports: Imports) -> str:
        """The type of a method's parameter."""
        if field.type is FieldType.STRING and not is_member(field) and has_text(field):
            return "String"
        kind = self.protocol.java_type(field, imports)
        if is_member(field):
            imports.use(f"{self.protocol.package}.{kind}")
        return kind


def event_member(event: Event) -> str:
    """The event's name in the enumeration: a message's own, ``ON_…`` for the host's and the application's."""
    name = screaming(event.name)
    return name if event.kind is EventKind.MESSAGE else f"ON_{name}"


class _Numbered:
    """The guards and steps that rows name by their number: one for each, however many rows share it."""

    def __init__(self, names: MachineNames, imports: Imports, actions: Mapping[str, Action]):
        self._names, self._imports, self._actions = names, imports, actions
        self._variables = {one.name: one for one in names.machine.variables}
        self._numbers: dict[object, int] = {}
        self.statements: list[str] = []

    def guard(self, item: Expression, event: str) -> int:
        return self._number(
            (item, self._context(event, uses_message(item))), lambda: self._java(event).spell(item)
        )

    def step(self, item: Step, event: str) -> int:
        plain = replace(item, raises=()) if isinstance(item, Host) else item
        return self._number((plain, self._context(event, _needs(item))), lambda: self._statement(item, event))

    def _context(self, event: str, needed: bool) -> str | None:
        return self._names.carried(event, Imports()) if needed else None

    def _number(self, key: object, made: object) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.statements)
            assert callable(made)
            self.statements.append(made())
        return self._numbers[key]

    def _java(self, event: str) -> Java:
        message = f"(({self._names.message(None, self._imports)}) carried)"
        return Java(self._names.variables, lambda name, kind: self._field(event, name, kind), message)

    def _field(self, event: str, name: str, kind: Type) -> str:
        """A field of what the event carries."""
        found = self._names.kinds[event]
        path = f"(({self._names.carried(event, self._imports)}) carried)"
        if found.message is None:
            field = next(one for one in found.parameters if one.name == name)
            path += f".{call_components(found)[name]}()"
        else:
            plan = self._names.plans[found.message]
            slot = next((one for one in plan.shown if one.field.name == name), None)
            if slot is None:
                return self._hidden(plan, path, name)
            field = slot.field
            path += f".{slot.component}()"
        return f"{path}.value()" if is_member(field) else path

    def _hidden(self, plan: MessagePlan, path: str, name: str) -> str:
        """A constant, or a number that follows from others."""
        slot = next(one for one in (*plan.head, *plan.slots) if one.field.name == name)
        if slot.constant is not None:
            return f"{self._names.message(plan.name, self._imports)}.{slot.constant}"
        return f"{path}.{slot.measures[0][2].removeprefix('this.').replace('.', '().', 1)}"

    def _statement(self, item: Step, event: str) -> str:
        match item:
            case Send(forward=True):
                return f"host.send(({self._names.message(None, self._imports)}) carried);"
            case Send(message, fields):
                return f"host.send({self._built(message, dict(fields), event)});"
            case Assign(name, value):
                self._uses_octets(self._variables[name].type)
                return f"{self._names.variables[name]} = {self._java(event).assigned(self._variables[name], value)};"
            case Host(name):
                action = self._actions[name]
                argument = "" if action.parameter is None else f"({action.parameter}) carried"
                argument = "carried" if action.parameter == "Object" else argument
                return f"host.{action.method}({argument});"
            case _:
                return "terminate();"

    def _uses_octets(self, kind: Type) -> None:
        if kind is Type.OCTETS:
            self._imports.use("Octets")

    def _built(self, message: str, fields: dict[str, Expression], event: str) -> str:
        plan = self._names.plans[message]
        arguments = []
        for slot in plan.shown:
            value = fields.get(slot.field.name)
            java = plan.java_type(slot, self._imports)
            spelled = None if value is None else self._java(event).spell(value)
            arguments.append(self._converted(slot.field, java, spelled, value))
        return f"new {self._names.message(message, self._imports)}({', '.join(arguments)})"

    def _converted(self, field: Field, java: str, value: str | None, expression: Expression | None) -> str:
        """`value` as what the field's component is."""
        if value is None:
            listed = "List.of()" if java.startswith("List") else "Map.of()"
            return {"int": "0", "long": "0", "String": '""', "Octets": "Octets.EMPTY"}.get(java, listed)
        if is_member(field):
            return f"{self._imports.use(f'{self._names.protocol.package}.{java}')}.of({value})"
        if java == "int":
            return f"{self._imports.use('Unsigned')}.toInt({value})"
        return value


def _needs(item: Step) -> bool:
    """Whether a step looks at what its event carries, so that the event's type matters."""
    match item:
        case Send(forward=False, fields=fields):
            return any(uses_message(value) for _, value in fields)
        case Assign(_, value):
            return uses_message(value)
        case _:
            return False


def call_components(event: Event) -> dict[str, str]:
    """The components of a call's record."""
    scope = Scope("java", OBJECT)
    return {field.name: scope.name(camel(field.name)) for field in event.parameters}


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
        doc = javadoc(f"What {{@link {self.names.machine_class}}} asks of its host.")
        return HostView(self.names.package, imports.lines(), doc, self.names.host_class, message, actions)

    def whole(self) -> MachineView:
        names, machine, imports = self.names, self.machine, Imports()
        for used in ("Machine", "Row", "Table", "UnexpectedEventException"):
            imports.use(used)
        imports.use("List")
        actions = {one.name: one for one in names.actions(imports)}
        guards, steps = _Numbered(names, imports, actions), _Numbered(names, imports, actions)
        rows = [self._row(row, guards, steps) for row in machine.transitions]
        events = [
            (literal(one.message), names.events[one.name])
            for one in machine.events
            if one.kind is EventKind.MESSAGE and one.message is not None
        ]
        message = names.message(None, imports)
        variables = [self._variable(one, imports) for one in machine.variables]
        methods = [self._method(one, imports) for one in machine.events if one.kind is not EventKind.MESSAGE]
        text = "\n".join((*guards.statements, *steps.statements))
        for name in ("Unsigned", "Octets", "Map"):
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

    def _row(self, row: Transition, guards: _Numbered, steps: _Numbered) -> str:
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
            parameters, carried = f"{kind} message", "message"
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
