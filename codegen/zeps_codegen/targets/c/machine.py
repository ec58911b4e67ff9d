"""What a machine's header and source print that is neither in the model nor in the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir import (
    Assign,
    Bundle,
    Event,
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

_VARIABLES = {Type.NUMBER: "uint64_t", Type.BOOLEAN: "bool"}


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a guard or a step."""

    name: str
    is_guard: bool
    body: list[str]


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
        self.variables = {one.name: (members.name(snake(one.name)), one) for one in machine.variables}
        fields = Scope(LANGUAGE, ("send", "unsendable"))
        self.actions = {one.name: fields.name(snake(one.name)) for one in self.plan.actions}
        self.structs = {
            one.name: names.scope.name(f"{own.file}_{snake(one.name)}_call")
            for one in self.plan.events
            if one.parameters
        }
        """What methods are called with."""
        self.calls = {
            one.name: names.scope.name(f"{own.file}_on_{snake(one.name)}") for one in self.plan.called
        }
        self.refuses = False
        """Whether there are values that messages may be unable to hold."""
        places = [(state, event) for state in own.states for event in own.events]
        order = {place: index for index, place in enumerate(places)}
        ordered = sorted(self.plan.rows, key=lambda row: order[row.state, row.event])
        taken = [order[row.state, row.event] for row in ordered]
        self.first = [sum(place < index for place in taken) for index in range(len(places) + 1)]
        found = Functions(replace(self.plan, rows=tuple(ordered)), by_event=True)
        self.functions = [self._function(index, use) for index, use in enumerate(found.uses)]
        self.rows = [self._row(*row) for row in found.rows]
        self.fields = {
            name: self._fields(self.plan.event(name), struct) for name, struct in self.structs.items()
        }
        """The tables of the parameters."""

    def variable_type(self, variable: Variable) -> str:
        """The type of the variable's member."""
        return _VARIABLES.get(variable.type, "wire_string")

    def initial(self, variable: Variable) -> str:
        """What the variable begins with."""
        match variable:
            case Variable(type=Type.BOOLEAN):
                return str(bool(variable.value)).lower()
            case Variable(value=str() as value):
                return text(value)
            case _:
                return number(int(variable.value))

    def kind(self, event: Event) -> str:
        """The kind of message that it carries."""
        return "0" if event.message is None else self.protocol.messages[event.message].kind

    def parameters(self, event: Event) -> dict[str, tuple[str, Operation]]:
        """The members of the struct that a method's parameters are in."""
        scope = Scope(LANGUAGE, ("machine", "call"))
        found = self.plan.operations(event.name) if event.parameters else {}
        return {name: (scope.name(snake(name)), operation) for name, operation in found.items()}

    def _fields(self, event: Event, struct: str) -> list[str]:
        parameters = self.parameters(event)
        check(event.name, (operation for _, operation in parameters.values()))
        return [
            self.tables.field(operation, name, struct, member)
            for name, (member, operation) in parameters.items()
        ]

    def _row(self, row: Transition, guard: int | None, steps: list[int]) -> str:
        listed = ", ".join(
            f"{{{quoted(show_step(step))}, {self.functions[index].name}}}"
            for step, index in zip(row.steps, steps, strict=True)
        )
        parts = [
            self.names.states[row.state],
            self.names.events[row.event],
            "WIRE_STAYS" if row.next is None else self.names.states[row.next],
            "NULL" if row.guard is None else quoted(show(row.guard)),
            "NULL" if guard is None else self.functions[guard].name,
            f"(const wire_step[]){{{listed}}}" if steps else "NULL",
            str(len(steps)),
            str(row.before_at),
        ]
        return f"{{{', '.join(parts)}}}"

    # --- what rows name

    def _spelled(self, event: Event) -> Spelled:
        if event.message is None:
            carried = {
                name: (f"call->{member}", one) for name, (member, one) in self.parameters(event).items()
            }
            return Spelled(self.variables, carried, "0")
        message = self.protocol.messages[event.message]
        body = f"message->as.{message.member}"
        carried = {
            name: (f"{body}.{message.members[name]}", one)
            for name, one in self.plan.operations(event.name).items()
        }
        return Spelled(self.variables, carried, f"{message.size}(&{body})")

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
        kind = self.protocol.union if event.message is not None else self.structs.get(event.name, "void")
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
                message = f"(const {self.protocol.union} *)wire_machine_message(&machine->base, input)"
                return f"do_{snake(name)}", [
                    f"machine->host->{self.actions[name]}(machine->context, {message});"
                ]
            case _:
                return "terminate", ["machine->base.terminated = true;"]

    def _assign(self, name: str, value: Expression, event: Event) -> str:
        member, variable = self.variables[name]
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
            operation, field, printed = operations[name], shown[name], spell(value, spelled)
            member = f"sent.as.{names.member}.{names.members[name]}"
            refuses = misfits(field, value, spelled.held)
            self.refuses = self.refuses or refuses
            match operation:
                case Number(enumeration=enumeration):
                    code = "TOO_LONG" if enumeration is None or field.max is not None else "BAD_CONSTANT"
                    test = f"wire_number({printed}) > {number(operation.greatest)}"
                    lines += [_refused(test, f"WIRE_{code}", message, name)] if refuses else []
                    lines.append(f"{member} = ({c_type(operation)})({printed});")
                case Content(is_string=True, text=None):
                    lines.append(f"{member} = wire_text_view({printed});")
                case _:
                    lines.append(f"{member} = {printed};")
                    code = f"{member}.size > {field.size} ? WIRE_TOO_LONG : WIRE_TRUNCATED"
                    test = f"{member}.size != {field.size}"
                    lines += [_refused(test, code, message, name)] if refuses else []
        return [*lines, "machine->host->send(machine->context, &sent);"]


def _refused(test: str, code: str, message: str, field: str) -> str:
    """Tell the host, and leave the step, if the field cannot hold its value."""
    error = f"&(wire_error){{{code}, {quoted(message)}, {quoted(field)}, 0}}"
    return f"if ({test}) {{ machine->host->unsendable(machine->context, {error}); return; }}"
