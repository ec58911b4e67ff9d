"""Generates the rows of a machine, and the functions of its rows and timers (one per distinct guard and step)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir import Assign, Event, Expression, Host, Send, Step, Timer, Type, Variable
from ...naming import snake
from ...plan.machine import Functions, Use, reads
from ...plan.operations import Content, Fixed, Number, Operation
from ..fitting import misfits
from ..operators import spell, spell_assigned
from .codec import c_type
from .expressions import Spelled
from .names import Names, number, quoted

__all__ = ["MachineModule"]

_VARIABLES = {Type.NUMBER: "uint64_t", Type.BOOLEAN: "bool"}
_SETTERS = {Type.STRING: "wire_string_set", Type.OCTETS: "wire_string_set_octets"}


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a guard, step or timer. Its parameter, if any, is called `carried` and has the type `input`."""

    name: str
    returns: str
    input: str | None
    carried: str
    body: list[str]


class MachineModule:
    """The variables of templates/machine.h.j2 and machine.c.j2. `rows` are in the order of states, then events; `first`
    has the number of rows before each pair of state and event, and then the number of all rows.
    """

    def __init__(self, machine: str, names: Names) -> None:
        self.plan, self.names = names.plans[machine], names.machines[machine]
        self.machine = self.plan.machine
        self.protocol = names.protocols[self.machine.protocol]
        self.refuses = False
        """Whether a send may fail: a field may be unfilled, or a value may not fit."""
        places = [(state, event.name) for state in self.names.states for event in self.plan.events]
        order = {place: index for index, place in enumerate(places)}
        ordered = sorted(self.plan.rows, key=lambda row: order[row.state, row.event])
        taken = [order[row.state, row.event] for row in ordered]
        self.first = [sum(place < index for place in taken) for index in range(len(places) + 1)]
        functions = Functions(replace(self.plan, rows=tuple(ordered)), by_event=True)
        self.functions = [self._function(index, use) for index, use in enumerate(functions.uses, 1)]
        self.rows = functions.rows
        self.timers = [self._timer(index, timer) for index, timer in enumerate(self.machine.timers, 1)]

    def variable_type(self, variable: Variable) -> str:
        """The type of the variable's member."""
        return _VARIABLES.get(variable.type, "wire_string")

    def kind(self, event: Event) -> str:
        """The kind of the message that the event carries, ``0`` without a message."""
        return "0" if event.message is None else self.protocol.messages[event.message].kind

    # --- what rows name

    def _function(self, number_of_it: int, use: Use) -> Function:
        event = self.plan.event(use.events[0])
        kind, carried = self.names.structs.get(event.name), "call"
        if event.message is not None:
            kind, carried = self.protocol.functions["message"], "message"
        if use.is_guard:
            stem, body = "guard", [f"return {spell(use.item, self._spelled(event))};"]  # type: ignore[arg-type]
        else:
            stem, body = self._step(use.item, event)  # type: ignore[arg-type]
        looks, returns = kind if reads(use.item) else None, "bool" if use.is_guard else "void"
        return Function(f"{stem}_{number_of_it}", returns, looks, carried, body)

    def _timer(self, number_of_it: int, timer: Timer) -> str:
        """A timer's table entry; appends the function that computes its duration in milliseconds to `functions`."""
        name = f"timer_{number_of_it}"
        body = [f"return {spell(timer.milliseconds, Spelled(self.names.variables, {}, '', '0'))};"]
        self.functions.append(Function(name, "uint64_t", None, "", body))
        runs = ", ".join(str(state in timer.states).lower() for state in self.names.states)
        event, since = self.names.events[timer.event], timer.since.upper()
        return f"{{{event}, WIRE_SINCE_{since}, (const bool[]){{{runs}}}, {name}}}"

    def _spelled(self, event: Event) -> Spelled:
        variables = self.names.variables
        if event.message is None:
            return Spelled(variables, self.names.parameters[event.name], "call->", "0")
        message = self.protocol.messages[event.message]
        body = f"message->as.{message.member}"
        return Spelled(variables, message.fields, f"{body}.", f"{message.size}(&{body})")

    def _step(self, step: Step, event: Event) -> tuple[str, list[str]]:
        """The stem of the name of a step's function, without its number, and its statements."""
        match step:
            case Send(message, forward=True):
                return f"send_{snake(message)}", self._sent(message, "message", False)
            case Send(message):
                return f"send_{snake(message)}", self._send(step, event)
            case Assign(name, value):
                return f"set_{snake(name)}", [self._assign(name, value, event)]
            case Host(name):
                message = f"(const {self.protocol.functions['message']} *)wire_machine_message(&machine->base, input)"
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

    def _send(self, step: Send, event: Event) -> list[str]:
        """The statements that send a message, and clear the filled fields. First, unfilled fields (without `defaults`)
        and values that do not fit are checked in wire order: the host gets the first error instead of the message.
        """
        names, given = self.protocol.messages[step.message], dict(step.fields)
        draft = f"machine->{self.names.drafts.get(step.message)}"
        fillable = [operation.name for operation in self.plan.fillable.get(step.message, ())]
        lines = [f"wire_error error = {{WIRE_OK, {quoted(step.message)}, NULL, 0}};"]
        for name, (member, operation) in names.fields.items():
            if name in given:
                printed = self._given(operation, given[name], event)
            else:
                printed, flag = f"{draft}.message.{member}", f"{draft}.filled[{fillable.index(name)}]"
                lines += [f"wire_fault(&error, !{flag}, WIRE_NOT_SET, {quoted(name)});"] * (not step.defaults)
                printed = _sized(printed, operation) if isinstance(operation, Fixed) else printed
            lines.append(f"sent.as.{names.member}.{member} = {printed};")
        is_tested = any("&error" in line for line in lines)
        sent = f"{self.protocol.functions['message']} sent = {{.kind = {names.kind}}};"
        return [sent, *lines[not is_tested :], *self._sent(step.message, "&sent", is_tested)]

    def _given(self, operation: Operation, value: Expression, event: Event) -> str:
        spelled = self._spelled(event)
        held = {
            name: parameter.field
            for name, (_, parameter) in spelled.parameters.items()
            if isinstance(parameter, Number)
        }
        printed = spell(value, spelled)
        match operation:
            case Number(name, field, enumeration=enumeration, greatest=greatest):
                if misfits(field, value, held):
                    code = "TOO_LONG" if enumeration is None or field.max is not None else "BAD_CONSTANT"
                    limits = f"{number(greatest)}, WIRE_{code}, {quoted(name)}"
                    printed = f"wire_fitting(&error, {printed}, {limits})"
                return f"({c_type(operation)})({printed})"
            case Content(is_string=True, text=None):
                return f"wire_text_view({printed})"
            case Fixed(field=field) if misfits(field, value, held):
                return _sized(printed, operation)
            case _:
                return printed

    def _sent(self, message: str, sent: str, is_tested: bool) -> list[str]:
        """The statements that pass the host the message `sent`, or its error if `is_tested`, and clear its fields."""
        lines = [f"wire_machine_sends(&machine->base, &{self.protocol.functions['protocol']}, {sent});"]
        lines += [f"machine->host->send(machine->context, {sent});"]
        if is_tested:
            self.refuses = True
            refused = "{ machine->host->unsendable(machine->context, &error); }"
            lines = [f"if (error.code != WIRE_OK) {refused} else {{", *lines, "}"]
        draft = self.names.drafts.get(message)
        return [*lines, *[f"clear_{draft}(machine);"] * (draft is not None)]


def _sized(value: str, operation: Fixed) -> str:
    return f"wire_sized(&error, {value}, {operation.size}, {quoted(operation.name)})"
