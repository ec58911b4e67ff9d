"""Spells what rows do at the events of each state: guards, steps and expressions."""

from __future__ import annotations

from ...ir import Assign, Expression, Field, FieldType, Host, Literal, Send, Step, Transition, Type, Variable
from ...naming import Scope, camel
from ...plan.layout import number_range
from ...plan.machine import Case, reads
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .names import MachineNames, quoted

__all__ = ["SpelledMachine"]

_TYPES = {Type.NUMBER: "uint64", Type.STRING: "string", Type.OCTETS: "[]byte", Type.BOOLEAN: "bool"}


class SpelledMachine:
    """What templates/machine.go.j2 prints, beside names and the plan."""

    def __init__(self, names: MachineNames) -> None:
        self.names, self.plan, self.machine = names, names.plan, names.plan.machine
        self.sends_misfits = any(
            self._misfits(row.event, step.message, name, value)
            for row in self.plan.rows
            for step in row.steps
            if isinstance(step, Send)
            for name, value in step.fields
        )

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
            steps.insert(row.before_at, f"m.engine.State = {self.names.states[row.next]}")
        steps.append("return wire.Taken")
        if row.guard is None:
            return steps
        return [f"if {spell(row.guard, _Expressions(self.names, event))} {{", *steps, "}"]

    def _step(self, step: Step, event: str) -> str:
        match step:
            case Send(forward=True):
                return self._call("Send(message)")
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
                return self._call(f"{self.names.actions[name]}({given})")
            case _:
                return "m.engine.Terminated = true"

    @staticmethod
    def _call(call: str) -> str:
        return f"if m.host.{call}; m.engine.Failed() {{\nreturn wire.Taken\n}}"

    def _misfits(self, event: str, message: str, name: str, value: Expression) -> bool:
        """Whether the field may be unable to hold `value`; a method's numbers all have 64 bits."""
        carried = self.plan.fields(event) if self.plan.event(event).message else {}
        return misfits(self.names.protocol.message(message).fields[name], value, carried)

    def _send(self, step: Send, event: str) -> str:
        names = self.names.protocol.message(step.message)
        values, fits = [], True
        for name, value in step.fields:
            kind = self.names.protocol.type_of(names.shown[name], qualified=True)
            spelled = spell(value, _Expressions(self.names, event))
            if self._misfits(event, step.message, name, value):
                spelled, fits = _fitted(spelled, names.fields[name], step.message), False
            is_plain = kind in ("uint64", "string", "[]byte") or (fits and isinstance(value, Literal))
            values.append(f"{names.attributes[name]}: {spelled if is_plain else f'{kind}({spelled})'}")
        sent = f"&{self.names.protocol.package}.{names.type}{{{', '.join(values)}}}"
        if fits:
            return self._call(f"Send({sent})")
        told = "m.host.Unsendable(fit.Fault)\n} else {\nm.host.Send(sent)"
        return (
            f"{{\nvar fit wire.Fit\nsent := {sent}\nif fit.Fault != nil {{\n{told}\n}}\n}}\n"
            "if m.engine.Failed() {\nreturn wire.Taken\n}"
        )


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
