"""Spells what a machine's rows name: a function for each guard and step, and the rows themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir import Assign, Event, Expression, Host, Send, Step, Transition, Type, Variable
from ...naming import snake
from ...plan.machine import Functions, Use, reads
from ...plan.operations import Content, Number
from ..describe import show, show_step
from ..fitting import misfits
from ..operators import spell, spell_assigned
from .codec import c_type, entry
from .expressions import Spelled, text
from .names import Names, number, quoted

__all__ = ["MachineModule"]

_VARIABLES = {Type.NUMBER: "uint64_t", Type.BOOLEAN: "bool"}
_SETTERS = {Type.STRING: "wire_string_set", Type.OCTETS: "wire_string_set_octets"}


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a guard or a step: `input` is the type of what its event carries, if it looks into that."""

    name: str
    is_guard: bool
    input: str | None
    carried: str
    body: list[str]


class MachineModule:
    """What the templates of machines print."""

    def __init__(self, machine: str, names: Names) -> None:
        self.plan, self.names = names.plans[machine], names.machines[machine]
        self.machine = self.plan.machine
        self.protocol = names.protocols[self.machine.protocol]
        self.refuses = False
        """Whether there are values that messages may be unable to hold."""
        places = [(state, event.name) for state in self.names.states for event in self.plan.events]
        order = {place: index for index, place in enumerate(places)}
        ordered = sorted(self.plan.rows, key=lambda row: order[row.state, row.event])
        taken = [order[row.state, row.event] for row in ordered]
        self.first = [sum(place < index for place in taken) for index in range(len(places) + 1)]
        found = Functions(replace(self.plan, rows=tuple(ordered)), by_event=True)
        self.functions = [self._function(index, use) for index, use in enumerate(found.uses, 1)]
        self.rows = [self._row(*row) for row in found.rows]

    def variable_type(self, variable: Variable) -> str:
        """The type of the variable's member."""
        return _VARIABLES.get(variable.type, "wire_string")

    def initial(self, variable: Variable) -> str:
        """What the variable begins with."""
        if isinstance(variable.value, str):
            return text(variable.value)
        is_boolean = variable.type is Type.BOOLEAN
        return str(bool(variable.value)).lower() if is_boolean else number(int(variable.value))

    def kind(self, event: Event) -> str:
        """The kind of message that it carries."""
        return "0" if event.message is None else self.protocol.messages[event.message].kind

    def fields(self, event: str, struct: str) -> list[str]:
        """The initializers of the wire_fields of a method's parameters."""
        parameters = self.names.parameters[event].items()
        return [entry(one, {}, struct, member, name=name) for name, (member, one) in parameters]

    def signature(self, event: Event) -> str:
        """The declaration of the function that is called for the event."""
        parameters = [f"{self.names.type} *machine"]
        if event.message is not None:
            parameters.append(f"const {self.protocol.union} *message")
        parameters += [
            f"{c_type(one)} {member}" for member, one in self.names.parameters[event.name].values()
        ]
        return f"wire_outcome {self.names.calls[event.name]}({', '.join(parameters)})"

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

    def _function(self, number_of_it: int, use: Use) -> Function:
        event = self.plan.event(use.events[0])
        kind = self.protocol.union if event.message is not None else self.names.structs.get(event.name)
        if use.is_guard:
            stem, body = "guard", [f"return {spell(use.item, self._spelled(event))};"]  # type: ignore[arg-type]
        else:
            stem, body = self._step(use.item, event)  # type: ignore[arg-type]
        carried = "message" if event.message is not None else "call"
        looks = kind if reads(use.item) else None
        return Function(f"{stem}_{number_of_it}", use.is_guard, looks, carried, body)

    def _spelled(self, event: Event) -> Spelled:
        variables = self.names.variables
        if event.message is None:
            return Spelled(variables, self.names.parameters[event.name], "call->", "0")
        message = self.protocol.messages[event.message]
        body = f"message->as.{message.member}"
        return Spelled(variables, message.fields, f"{body}.", f"{message.size}(&{body})")

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
                call = f"machine->host->{self.names.actions[name]}(machine->context, {message});"
                return f"do_{snake(name)}", [call]
            case _:
                return "terminate", ["machine->base.terminated = true;"]

    def _assign(self, name: str, value: Expression, event: Event) -> str:
        member, variable = self.names.variables[name]
        printed = spell_assigned(variable, value, self._spelled(event))
        if variable.type not in _SETTERS:
            return f"machine->{member} = {printed};"
        setter = f"{_SETTERS[variable.type]}(&machine->{member}, {printed})"
        return f"if (!{setter}) {{ machine->base.failed = WIRE_EXHAUSTED; }}"

    def _send(self, message: str, fields: tuple[tuple[str, Expression], ...], event: Event) -> list[str]:
        """What a field may be unable to hold is looked at before anything is sent."""
        names, spelled = self.protocol.messages[message], self._spelled(event)
        held = {name: one.field for name, (_, one) in spelled.parameters.items() if isinstance(one, Number)}
        tests, values = [], []
        for name, value in fields:
            (member, operation), printed = names.fields[name], spell(value, spelled)
            code, test = "", ""
            match operation:
                case Number(enumeration=enumeration, field=field, greatest=greatest):
                    code = "TOO_LONG" if enumeration is None or field.max is not None else "BAD_CONSTANT"
                    code, test = f"WIRE_{code}", f"wire_number({printed}) > {number(greatest)}"
                    value_of = f"({c_type(operation)})({printed})"
                case Content(is_string=True, field=field, text=None):
                    value_of = f"wire_text_view({printed})"
                case _:
                    field, value_of = operation.field, printed  # type: ignore[union-attr]
                    test = f"{printed}.size != {field.size}"
                    code = f"{printed}.size > {field.size} ? WIRE_TOO_LONG : WIRE_TRUNCATED"
            if misfits(field, value, held):
                self.refuses = True
                error = f"&(wire_error){{{code}, {quoted(message)}, {quoted(name)}, 0}}"
                told = f"machine->host->unsendable(machine->context, {error});"
                tests.append(f"if ({test}) {{ {told} return; }}")
            values.append(f".{member} = {value_of}")
        body = f", .as.{names.member} = {{{', '.join(values)}}}" if values else ""
        declared = f"const {self.protocol.union} sent = {{.kind = {names.kind}{body}}};"
        return [*tests, declared, "machine->host->send(machine->context, &sent);"]
