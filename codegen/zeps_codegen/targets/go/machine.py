"""Generates the code of rows for each state and event: guards, steps and expressions."""

from __future__ import annotations

from ... import ir
from ...ir import Expression, Send, Step, Type
from ...naming import Scope, camel
from ...plan.layout import number_range
from ...plan.machine import reads
from ...plan.operations import Apart, Constant, Fixed, Operation, Reserved, Topic
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .names import MachineNames, literal

__all__ = ["TYPES", "SpelledMachine", "literal_of"]

#: The types of variables.
TYPES = {Type.NUMBER: "uint64", Type.STRING: "string", Type.OCTETS: "[]byte", Type.BOOLEAN: "bool"}


class SpelledMachine:
    """The variables of templates/machine.go.j2, in addition to names and the plan."""

    def __init__(self, names: MachineNames) -> None:
        self.names, self.plan, self.machine = names, names.plan, names.plan.machine
        rows = self.plan.rows
        self.sends = [(step, row.event) for row in rows for step in row.steps if isinstance(step, Send)]
        self.can_refuse = any("fit.Fault" in self._send(step, event) for step, event in self.sends)

    def parameters(self, event: str) -> list[tuple[str, str, str]]:
        """The parameters of the method that raises the event: name, member of the struct of its arguments, type."""
        scope = Scope("go", {"m", "wire", "bool", "error", *TYPES.values(), self.names.protocol.package})
        attributes, type_of = self.names.attributes(event), self.names.type_of
        names = [parameter.name for parameter in self.plan.event(event).parameters]
        return [(scope.name(camel(name) or "x"), attributes[name], type_of(event, name)) for name in names]

    def spelled(self, expression: Expression, event: str = "") -> str:
        """Generates an expression over the machine's variables and the event's data."""
        return spell(expression, _Expressions(self.names, event))

    def step(self, step: Step, event: str) -> str:
        """The statements of a step."""
        match step:
            case Send():
                return self._send(step, event)
            case ir.Assign(name, value):
                variable = next(candidate for candidate in self.machine.variables if candidate.name == name)
                spelled = spell_assigned(variable, value, _Expressions(self.names, event))
                if variable.type is Type.OCTETS and reads(step):  # bytes of a frame, which are copied
                    spelled = f"append([]byte(nil), {spelled}...)"
                return f"m.{self.names.variables[name]} = {spelled}"
            case ir.Host(name):
                kind = self.names.parameter(name)
                given = kind and ("carried" if kind == "any" else f"wire.As[{kind}](carried)")
                return f"if m.host.{self.names.actions[name]}({given}); m.engine.Failed() {{\nreturn wire.Taken\n}}"
            case _:
                return "m.engine.Terminated = true"

    def _send(self, step: Send, event: str) -> str:
        """The statements that send a message or report an unfilled or unfit field, and clear the filled fields."""
        names, given, values = self.names.protocol.message(step.message), dict(step.fields), []
        for name, operation in names.shown.items():
            kind = self.names.protocol.type_of(operation, qualified=True)
            if name in given:
                spelled = self._field(event, step.message, name, given[name], kind)
            elif name in step.filled:
                place = f"{literal(step.message)}, {literal(name)}"
                call = f"Or({_zero(operation, kind)})" if step.defaults else f"Get(&fit, {place})"
                spelled = f"m.draft{names.type}.{names.attributes[name]}.{call}"
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
        """A value converted to a field of the type `kind`; if it may not fit, `fit` checks it and records the error."""
        spelled, place = self.spelled(value, event), f"{literal(message)}, {literal(name)}"
        operation = self.names.protocol.message(message).shown[name]
        assert not isinstance(operation, Topic | Constant | Reserved)
        field = operation.field
        # a method's numbers all have 64 bits
        carried = self.plan.fields(event) if self.plan.event(event).message else {}
        if not misfits(field, value, carried):
            if isinstance(value, ir.Literal):
                return spelled
        elif isinstance(operation, Fixed):
            spelled = f"fit.Octets({spelled}, {operation.size}, {place})"
        else:
            code = "BadConstant" if field.enumeration is not None and field.max is None else "TooLong"
            spelled = f"fit.Number({spelled}, {number_range(field)[1]}, wire.{code}, {place})"
        return spelled if kind in ("uint64", "string", "[]byte") else f"{kind}({spelled})"


def _zero(operation: Operation, kind: str) -> str:
    """The value of an unset field of the type `kind`; empty if it is Go's zero value."""
    if isinstance(operation, Fixed):
        return f"make({kind}, {operation.size})"
    return f"{kind}{{{{}}}}" if isinstance(operation, Apart) and operation.is_rest else ""


def literal_of(value: int | str | bool, kind: Type) -> str:
    """A literal of a variable's type."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(min(max(value, 0), U64_MAX))
    return f"[]byte({literal(value)})" if kind is Type.OCTETS else literal(value)


class _Expressions(CLike):
    """See :class:`..operators.Spelling`; uses `m` and `message`, the event's data. Numbers are uint64."""

    literal = staticmethod(literal_of)
    size = staticmethod("uint64(message.Size())".format)
    add = staticmethod("wire.Add({}, {}, {})".format)
    subtract = staticmethod("wire.Subtract({}, {})".format)
    least = staticmethod("min({}, {})".format)

    def __init__(self, names: MachineNames, event: str) -> None:
        self._names, self._event = names, event

    def variable(self, name: str) -> str:
        return f"m.{self._names.variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        value = f"message.{self._names.attributes(self._event)[name]}"
        go_type = self._names.type_of(self._event, name)
        if kind is Type.NUMBER and self._names.plan.fields(self._event)[name].signed:
            return f"wire.Unsigned({value if go_type == 'int64' else f'int64({value})'})"
        expected = TYPES[kind]
        return value if go_type == expected else f"{expected}({value})"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind is Type.OCTETS:
            return f"string({left}) {operator} string({right})"
        return f"{left} {operator} {right}"
