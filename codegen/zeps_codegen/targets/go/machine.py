"""Spells what rows do at the events of each state: guards, steps and expressions."""

from __future__ import annotations

from ...ir import (
    Assign,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Send,
    Step,
    Timer,
    Transition,
    Type,
    Variable,
)
from ...naming import Scope, camel
from ...plan.layout import number_range
from ...plan.machine import Case, reads
from ...plan.operations import Apart, Fixed, Operation
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .names import MachineNames, quoted

__all__ = ["SpelledMachine"]

_TYPES = {Type.NUMBER: "uint64", Type.STRING: "string", Type.OCTETS: "[]byte", Type.BOOLEAN: "bool"}


class SpelledMachine:
    """What templates/machine.go.j2 prints, beside names and the plan."""

    def __init__(self, names: MachineNames) -> None:
        self.names, self.plan, self.machine = names, names.plan, names.plan.machine
        self.has_sent_timers = any(one.since == "sent" for one in self.machine.timers)
        self.sends = steps = [
            (step, row.event) for row in self.plan.rows for step in row.steps if isinstance(step, Send)
        ]
        self.can_refuse = any("fit.Fault" in self._send(step, event) for step, event in steps)

    @staticmethod
    def variable(one: Variable) -> tuple[str, str]:
        """The type of a variable, and its initial value."""
        return _TYPES[one.type], _literal(one.value, one.type)

    def parameters(self, event: str) -> list[tuple[str, str, str]]:
        """The parameters of a method: name, attribute of what it was called with, type."""
        scope = Scope("go", {"m", "wire", "bool", "error", *_TYPES.values(), self.names.protocol.package})
        attributes = self.names.attributes(event)
        return [
            (scope.name(camel(one.name) or "x"), attributes[one.name], self.names.type_of(event, one.name))
            for one in self.plan.event(event).parameters
        ]

    def case(self, case: Case) -> list[str]:
        """The statements of a case."""
        lines = [line for row in case.rows for line in self._row(row, case.events[0])]
        if case.reads:
            kind = self.names.carried(case.events[0])
            lines.insert(0, f"message, ok := carried.({kind})\nif !ok {{\nreturn wire.Absent\n}}")
        return [*lines, "return wire.Untaken"] if case.may_decline else lines

    def _row(self, row: Transition, event: str) -> list[str]:
        steps = [self._step(step, event) for step in row.steps]
        if row.next is not None:
            steps.insert(row.before_at, f"m.engine.Enter(m, {self.names.states[row.next]})")
        steps.append("return wire.Taken")
        if row.guard is None:
            return steps
        return [f"if {spell(row.guard, _Expressions(self.names, event))} {{", *steps, "}"]

    def _step(self, step: Step, event: str) -> str:
        match step:
            case Send():
                return self._send(step, event)
            case Assign(name, value):
                variable = next(one for one in self.machine.variables if one.name == name)
                spelled = spell_assigned(variable, value, _Expressions(self.names, event))
                if variable.type is Type.OCTETS and reads(step):  # which are of a frame
                    spelled = f"append([]byte(nil), {spelled}...)"
                return f"m.{self.names.variables[name]} = {spelled}"
            case Host(name):
                kind = self.names.parameter(name)
                given = kind and ("carried" if kind == "any" else f"wire.As[{kind}](carried)")
                return f"if m.host.{self.names.actions[name]}({given}); m.engine.Failed() {{\nreturn wire.Taken\n}}"
            case _:
                return "m.engine.Terminated = true"

    def _misfits(self, event: str, message: str, name: str, value: Expression) -> bool:
        """Whether the field may be unable to hold `value`; a method's numbers all have 64 bits."""
        carried = self.plan.fields(event) if self.plan.event(event).message else {}
        return misfits(self.names.protocol.message(message).fields[name], value, carried)

    def _send(self, step: Send, event: str) -> str:
        """The statements that send a message, unless a field was not filled or cannot hold its value; what was filled
        is gone then.
        """
        names, given, values = self.names.protocol.message(step.message), dict(step.fields), []
        for name, operation in names.shown.items():
            kind = self.names.protocol.type_of(operation, qualified=True)
            if name in given:
                spelled = self._field(event, step.message, name, given[name], kind)
            elif name in step.filled:
                spelled = self._filled(step, operation)
            else:
                continue
            values.append(f"{names.attributes[name]}: {spelled}")
        sent = f"&{self.names.protocol.package}.{names.type}{{{', '.join(values)}}}"
        sent = "message" if step.forward else sent
        lines = ["var fit wire.Fit"] if "&fit" in sent or "fit." in sent else []
        fault = "fit.Fault" if lines else "nil"
        if lines or step.message in self.plan.fillable:
            lines.append(f"sent := {sent}")
            sent = "sent"
        if step.message in self.plan.fillable:
            lines.append(f"m.draft{names.type} = draft{names.type}{{}}")
        send = f"if m.send({sent}, {fault}) {{\nreturn wire.Taken\n}}"
        return "\n".join(["{", *lines, send, "}"]) if lines else send

    def _field(self, event: str, message: str, name: str, value: Expression, kind: str) -> str:
        """A value as what a field of the type `kind` holds."""
        spelled = spell(value, _Expressions(self.names, event))
        if self._misfits(event, message, name, value):
            spelled = _fitted(spelled, self.names.protocol.message(message).fields[name], message)
        elif isinstance(value, Literal):
            return spelled
        return spelled if kind in ("uint64", "string", "[]byte") else f"{kind}({spelled})"

    def _filled(self, step: Send, operation: Operation) -> str:
        """What the host has filled."""
        names = self.names.protocol.message(step.message)
        slot = f"m.draft{names.type}.{names.attributes[operation.name]}"
        if not step.defaults:
            return f"{slot}.Get(&fit, {quoted(step.message)}, {quoted(operation.name)})"
        match operation:
            case Fixed(size=size):
                return f"{slot}.Or(make([]byte, {size}))"
            case Apart(is_rest=True):
                return f"{slot}.Or([][]byte{{{{}}}})"
            case _:
                return f"{slot}.OrZero()"

    def milliseconds(self, timer: Timer) -> str:
        """The duration of a timer."""
        return spell(timer.milliseconds, _Expressions(self.names, ""))


def _fitted(spelled: str, field: Field, message: str) -> str:
    """`spelled`, which is told to `fit` if the field cannot hold it."""
    place = f"{quoted(message)}, {quoted(field.name)}"
    if field.type is FieldType.OCTETS:
        return f"fit.Octets({spelled}, {field.size}, {place})"
    code = "BadConstant" if field.enumeration is not None and field.max is None else "TooLong"
    return f"fit.Number({spelled}, {number_range(field)[1]}, wire.{code}, {place})"


def _literal(value: int | str | bool, kind: Type) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(min(max(value, 0), U64_MAX))
    return f"[]byte({quoted(value)})" if kind is Type.OCTETS else quoted(value)


class _Expressions(CLike):
    """See :class:`..operators.Spelling`: over the machine `m` and what the event carries, `message`. Every number is a
    uint64, and every text a string.
    """

    def __init__(self, names: MachineNames, event: str) -> None:
        self._names, self._event = names, event

    def variable(self, name: str) -> str:
        return f"m.{self._names.variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        value = f"message.{self._names.attributes(self._event)[name]}"
        found = self._names.type_of(self._event, name)
        if kind is Type.NUMBER and self._names.plan.fields(self._event)[name].signed:
            return f"wire.Unsigned({value if found == 'int64' else f'int64({value})'})"
        wanted = _TYPES[kind]
        return value if found == wanted else f"{wanted}({value})"

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return _literal(value, kind)

    def size(self, message: str) -> str:
        return "uint64(message.Size())"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind is Type.OCTETS:
            return f"string({left}) {operator} string({right})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"wire.Add({left}, {right}, {greatest})"

    def subtract(self, left: str, right: str) -> str:
        return f"wire.Subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"min({value}, {greatest})"
