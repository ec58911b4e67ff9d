"""A machine's package: what rows do at the events of each state, in Go."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import (
    Assign,
    Event,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Send,
    Step,
    Terminate,
    Transition,
    Type,
)
from ...naming import Scope, camel
from ...plan.layout import number_range
from ...plan.machine import StatePlan, reads
from ...plan.operations import Content, Number, Operation
from .expressions import Spelled
from .names import MachineNames, quoted

__all__ = ["Method", "SpelledMachine"]

_TYPES = {Type.NUMBER: "uint64", Type.STRING: "string", Type.OCTETS: "[]byte", Type.BOOLEAN: "bool"}
#: What a method's parameters may not be called.
_PARAMETERS = frozenset({"m", "wire", "bool", "error", "uint64", "int64", "string", "byte"})


@dataclass(frozen=True, slots=True)
class Method:
    """A method that raises an event: its parameters, and what it hands on of them."""

    parameters: str
    carried: str


class SpelledMachine:
    """What templates/machine.go.j2 prints, beside names and the plan."""

    def __init__(self, names: MachineNames) -> None:
        self.names, self.plan, self.machine = names, names.plan, names.plan.machine

    @property
    def refuses(self) -> bool:
        """Whether a step may come to a value that the message to be sent cannot hold."""
        return any(
            self.spelled(row.event).misfits(self.names.protocol.message(step.message).fields[name], value)
            for row in self.plan.rows
            for step in row.steps
            if isinstance(step, Send)
            for name, value in step.fields
        )

    def spelled(self, event: str) -> Spelled:
        """Expressions of the event's rows."""
        message = self.plan.event(event).message
        if message is None:
            fields = {one.name: (attribute, one) for attribute, _, one in self.names.parameters(event)}
        else:
            attributes = self.names.protocol.message(message).attributes
            fields = {name: (attributes[name], one) for name, one in self.plan.fields(event).items()}
        return Spelled(self.names.variables, fields, plain=message is None)

    def variables(self) -> list[tuple[str, str, str, str]]:
        """Attribute, type, initial value unless it is Go's, and what the model says of each variable."""
        blank = Spelled({}, {})
        return [
            (
                self.names.variables[one.name],
                _TYPES[one.type],
                "" if one.value in (0, "", False) else blank.literal(one.value, one.type),
                one.doc,
            )
            for one in self.machine.variables
        ]

    def method(self, event: Event) -> Method:
        """The method that raises an event."""
        names = self.names
        if event.message is not None:
            return Method(f"message {names.carried(event.name)}", "message")
        if not event.parameters:
            return Method("", "nil")
        scope = Scope("go", {*_PARAMETERS, names.protocol.package})
        found = [
            (scope.name(camel(one.name) or "x"), attribute, kind)
            for attribute, kind, one in names.parameters(event.name)
        ]
        values = ", ".join(f"{attribute}: {local}" for local, attribute, _ in found)
        return Method(
            ", ".join(f"{local} {kind}" for local, _, kind in found),
            f"&{names.calls[event.name]}{{{values}}}",
        )

    def cases(self, state: StatePlan) -> list[tuple[str, list[str]]]:
        """Events and statements of each case: one event if the rows need what it carries as what it is."""
        order = [row.event for row in self.plan.rows if row.state == state.state.name]
        found: list[tuple[tuple[str, ...], list[str]]] = []
        for case in state.cases:
            is_typed = case.reads or self._gives_typed(case.rows)
            together = [(event,) for event in case.events] if is_typed else [case.events]
            found += [(events, _Rows(self, events, case.rows, is_typed).lines()) for events in together]
        found.sort(key=lambda one: order.index(one[0][0]))
        return [(", ".join(self.names.events[event] for event in events), lines) for events, lines in found]

    def _gives_typed(self, rows: tuple[Transition, ...]) -> bool:
        """Whether a host action takes what the event carries as what it is."""
        steps = [step for row in rows for step in row.steps if isinstance(step, Host)]
        return any(self.names.parameter(step.name).startswith("*") for step in steps)


class _Rows:
    """Writes the rows of one state and one event, or of several whose rows are alike."""

    def __init__(
        self, machine: SpelledMachine, events: tuple[str, ...], rows: tuple[Transition, ...], is_typed: bool
    ) -> None:
        self._machine, self._names, self._rows, self._is_typed = machine, machine.names, rows, is_typed
        self._spelled = machine.spelled(events[0])
        self._carried = [kind for event in events if (kind := self._names.carried(event))]
        self._lines: list[str] = []
        self._passed_on = False  # whether an action is given whatever message the event carries

    def lines(self) -> list[str]:
        for row in self._rows:
            if row.guard is not None:
                self._lines.append(f"if {self._spelled.printed(row.guard)} {{")
            self._row(row)
            if row.guard is not None:
                self._lines.append("}")
        if self._rows[-1].guard is not None:
            self._lines.append("return untaken")
        return [*self._declared(), *self._lines]

    def _declared(self) -> list[str]:
        if self._is_typed and self._carried:
            return [f"message, ok := carried.({self._carried[0]})", "if !ok {", "return absent", "}"]
        if self._passed_on and not self._is_typed:
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
                variable = next(one for one in self._machine.machine.variables if one.name == name)
                printed = self._spelled.assigned(variable, value)
                if variable.type is Type.OCTETS and reads(step):  # which are of a frame
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
        if not self._carried:
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
