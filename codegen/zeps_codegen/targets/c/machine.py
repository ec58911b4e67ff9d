"""What a machine's header and source print that is neither in the model nor in the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir import (
    Assign,
    Bundle,
    Event,
    EventKind,
    Expression,
    Host,
    Machine,
    Send,
    Step,
    Transition,
    Type,
    Variable,
)
from ...naming import Scope, snake
from ...plan.machine import Functions, Use, machine_plan, reads
from ...plan.operations import Content, Number, Operation
from ..describe import show, show_step
from ..fitting import misfits
from ..operators import spell, spell_assigned
from .expressions import Spelled, text
from .names import LANGUAGE, Names, number, quoted
from .tables import Tables, c_type, check

__all__ = ["MachineModule"]

_KINDS = {EventKind.MESSAGE: "WIRE_EVENT_MESSAGE", EventKind.METHOD: "WIRE_EVENT_METHOD"}
_VARIABLES = {
    Type.NUMBER: ("uint64_t", "WIRE_VARIABLE_NUMBER"),
    Type.BOOLEAN: ("bool", "WIRE_VARIABLE_BOOLEAN"),
    Type.STRING: ("wire_string", "WIRE_VARIABLE_STRING"),
    Type.OCTETS: ("wire_string", "WIRE_VARIABLE_OCTETS"),
}


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a guard or a step."""

    name: str
    is_guard: bool
    body: list[str]


@dataclass(frozen=True, slots=True)
class EventView:
    """`call` is the function that raises it, if it is no message that arrives; `struct` has its parameters."""

    event: Event
    enumerator: str
    kind: str
    message: str
    call: str
    struct: str | None
    parameters: list[tuple[str, str]]
    """Type and name of each."""
    fields: list[str]


class MachineModule:
    """What templates/machine.h.j2 and machine.c.j2 print."""

    def __init__(self, machine: Machine, bundle: Bundle, names: Names) -> None:
        protocol = bundle.protocol(machine.protocol)
        self.machine = machine
        self.names = own = names.machines[machine.name]
        self.protocol = names.protocols[protocol.name]
        self.plan = machine_plan(machine, protocol)
        self.tables = Tables({one.name: one for one in protocol.enumerations})
        members = Scope(LANGUAGE, ("base", "host", "context"))
        self.variables = [
            (members.name(snake(one.name)), one, *_VARIABLES[one.type]) for one in machine.variables
        ]
        self.members = {one.name: (member, one.type) for member, one, _, _ in self.variables}
        fields = Scope(LANGUAGE, ("send", "unsendable"))
        self.actions = [(fields.name(snake(one.name)), one) for one in self.plan.actions]
        self.states = dict(zip((one.name for one in machine.states), own.states, strict=True))
        self.enumerators = dict(zip((one.name for one in machine.events), own.events, strict=True))
        self._structs = {
            one.name: names.scope.name(f"{own.file}_{snake(one.name)}_call")
            for one in self.plan.events
            if one.parameters
        }
        self.refuses = False
        """Whether there are values that messages may be unable to hold."""
        places = [(state, event) for state in self.states for event in self.enumerators]
        order = {place: index for index, place in enumerate(places)}
        ordered = sorted(self.plan.rows, key=lambda row: order[row.state, row.event])
        taken = [order[row.state, row.event] for row in ordered]
        self.first = [sum(place < index for place in taken) for index in range(len(places) + 1)]
        found = Functions(replace(self.plan, rows=tuple(ordered)), by_event=True)
        self.functions = [self._function(index, use) for index, use in enumerate(found.uses)]
        self.rows = [self._row(*row) for row in found.rows]
        self.events = [self._event(one, names) for one in self.plan.events]

    def initial(self, variable: Variable) -> str:
        """What the variable begins with; empty for no text."""
        match variable.value:
            case bool() as value:
                return str(value).lower()
            case str() as value:
                return text(value) if value else ""
            case value:
                return str(bool(value)).lower() if variable.type is Type.BOOLEAN else number(value)

    def _row(self, row: Transition, guard: int | None, steps: list[int]) -> str:
        listed = ", ".join(
            f"{{{quoted(show_step(step))}, {self.functions[index].name}}}"
            for step, index in zip(row.steps, steps, strict=True)
        )
        parts = [
            self.states[row.state],
            self.enumerators[row.event],
            "WIRE_STAYS" if row.next is None else self.states[row.next],
            "NULL" if row.guard is None else quoted(show(row.guard)),
            "NULL" if guard is None else self.functions[guard].name,
            f"(const wire_step[]){{{listed}}}" if steps else "NULL",
            str(len(steps)),
            str(row.before_at),
        ]
        return f"{{{', '.join(parts)}}}"

    def _event(self, event: Event, names: Names) -> EventView:
        struct = self._structs.get(event.name)
        parameters = self._parameters(event)
        is_called = event.kind is not EventKind.MESSAGE
        check(event.name, (operation for _, operation in parameters.values()))
        return EventView(
            event,
            self.enumerators[event.name],
            _KINDS.get(event.kind, "WIRE_EVENT_HOST"),
            "0" if event.message is None else self.protocol.messages[event.message].kind,
            names.scope.name(f"{self.names.file}_on_{snake(event.name)}") if is_called else "",
            struct,
            [(c_type(operation), member) for member, operation in parameters.values()],
            [
                self.tables.field(operation, name, str(struct), member)
                for name, (member, operation) in parameters.items()
            ],
        )

    # --- what rows name

    def _parameters(self, event: Event) -> dict[str, tuple[str, Operation]]:
        """The members of the struct that a method's parameters are in."""
        scope = Scope(LANGUAGE, ("machine", "call"))
        found = self.plan.operations(event.name) if event.parameters else {}
        return {name: (scope.name(snake(name)), operation) for name, operation in found.items()}

    def _spelled(self, event: Event) -> Spelled:
        if event.message is None:
            carried = {
                name: (f"call->{member}", one) for name, (member, one) in self._parameters(event).items()
            }
            return Spelled(self.members, carried, "0")
        message = self.protocol.messages[event.message]
        body = f"message->as.{message.member}"
        carried = {
            name: (f"{body}.{message.members[name]}", one)
            for name, one in self.plan.operations(event.name).items()
        }
        return Spelled(self.members, carried, f"{message.size}(&{body})")

    def _function(self, index: int, use: Use) -> Function:
        event, machine = self.plan.event(use.events[0]), self.names.type
        looks = reads(use.item)
        if use.is_guard:
            printed = spell(use.item, self._spelled(event))  # type: ignore[arg-type]
            lines = [f"const {machine} *machine = (const {machine} *)self;"] if "machine->" in printed else []
            lines += self._input(event, " false") if looks else []
            body = [*lines, "(void)self;", "(void)input;", f"return {printed};"]
            return Function(f"guard_{index + 1}", True, body)
        stem, body = self._step(use.item, event)  # type: ignore[arg-type]
        lines = [f"{machine} *machine = ({machine} *)self;", *(self._input(event, "") if looks else [])]
        return Function(f"{stem}_{index + 1}", False, [*lines, "(void)input;", *body])

    def _input(self, event: Event, nothing: str) -> list[str]:
        """What the event carries, which is nothing after a host action failed."""
        kind = self.protocol.union if event.message is not None else self._structs.get(event.name, "void")
        name = "message" if event.message is not None else "call"
        declared = f"const {kind} *{name} = (const {kind} *)input;"
        return [declared, f"if ({name} == NULL) {{ return{nothing}; }}"]

    def _step(self, step: Step, event: Event) -> tuple[str, list[str]]:
        """What the step's function is called after, and its statements."""
        match step:
            case Send(message, forward=True):
                return f"send_{snake(message)}", ["machine->host->send(machine->context, message);"]
            case Send(message, fields):
                return f"send_{snake(message)}", self._send(message, fields, event)
            case Assign(name, value):
                return f"set_{snake(name)}", [self._assign(name, value, event)]
            case Host(name):
                action = next(member for member, one in self.actions if one.name == name)
                message = f"(const {self.protocol.union} *)wire_machine_message(&machine->base, input)"
                return f"do_{snake(name)}", [f"machine->host->{action}(machine->context, {message});"]
            case _:
                return "terminate", ["machine->base.terminated = true;"]

    def _assign(self, name: str, value: Expression, event: Event) -> str:
        member, variable = next((member, one) for member, one, _, _ in self.variables if one.name == name)
        printed = spell_assigned(variable, value, self._spelled(event))
        if variable.type in (Type.NUMBER, Type.BOOLEAN):
            return f"machine->{member} = {printed};"
        function = "wire_string_set" if variable.type is Type.STRING else "wire_string_set_octets"
        return f"if (!{function}(&machine->{member}, {printed})) {{ machine->base.failed = WIRE_EXHAUSTED; }}"

    def _send(self, message: str, fields: tuple[tuple[str, Expression], ...], event: Event) -> list[str]:
        """What a field may be unable to hold is looked at before anything is sent."""
        names, spelled = self.protocol.messages[message], self._spelled(event)
        operations = {one.name: one for one in names.shown}
        shown = {one.name: one for one in self.plan.layouts[message].shown}
        lines = [
            f"{self.protocol.union} sent;",
            "memset(&sent, 0, sizeof sent);",
            f"sent.kind = {names.kind};",
        ]
        for name, value in fields:
            operation, printed = operations[name], spell(value, spelled)
            field = shown[name]
            member = f"sent.as.{names.member}.{names.members[name]}"
            refuses = misfits(field, value, spelled.held)
            self.refuses = self.refuses or refuses
            if isinstance(operation, Number):
                is_bad = operation.enumeration is not None and field.max is None
                test = f"wire_number({printed}) > {number(operation.greatest)}"
                code = "WIRE_BAD_CONSTANT" if is_bad else "WIRE_TOO_LONG"
                lines += [_refused(test, code, message, name)] if refuses else []
                lines.append(f"{member} = ({c_type(operation)})({printed});")
                continue
            if isinstance(operation, Content) and operation.is_string and operation.text is None:
                printed = f"wire_text_view({printed})"
            lines.append(f"{member} = {printed};")
            if refuses:
                code = f"{member}.size > {field.size} ? WIRE_TOO_LONG : WIRE_TRUNCATED"
                lines.append(_refused(f"{member}.size != {field.size}", code, message, name))
        return [*lines, "machine->host->send(machine->context, &sent);"]


def _refused(test: str, code: str, message: str, field: str) -> str:
    """Tell the host, and leave the step, if the field cannot hold its value."""
    error = f"&(wire_error){{{code}, {quoted(message)}, {quoted(field)}, 0}}"
    return f"if ({test}) {{ machine->host->unsendable(machine->context, {error}); return; }}"
