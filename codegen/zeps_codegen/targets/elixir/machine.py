"""The view of a machine: its names and types, and guards and steps as terms, which the runtime evaluates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ... import ir
from ...naming import Scope
from ...plan.build import parameter_of
from ...plan.machine import machine_plan
from ...plan.run import zero_of
from ..operators import greatest_of
from .codec import CodecView
from .names import literal, lower, scoped

__all__ = ["MachineView"]

_TEMPLATE = Path(__file__).parent / "templates" / "machine.ex.j2"
#: The functions of every machine, which its template defines.
_MEMBERS = frozenset(re.findall(r"^def (\w+)", _TEMPLATE.read_text(), re.MULTILINE))


class MachineView:
    """The variables of templates/machine.ex.j2 for a machine."""

    def __init__(self, machine: ir.Machine, module: str, codec: CodecView) -> None:
        self.machine, self.module, self.codec = machine, module, codec
        self.title = f"machine: {machine.title}"
        self.plan = machine_plan(machine, codec.protocol)
        self.variables = scoped(Scope("elixir", {"data", "engine"}), machine.variables)
        self.docs = [(self.variables[variable.name], variable.doc) for variable in machine.variables]
        scope = Scope("elixir", _MEMBERS)
        # methods keep the application's names; functions for events of the host begin with on_
        prefixes = {event.name: "on_" * (event.kind is not ir.EventKind.METHOD) for event in self.plan.called}
        self.functions = {name: scope.name(prefix + lower(name)) for name, prefix in prefixes.items()}
        self.fills = {name: scope.name(f"fill_{lower(name)}") for name in self.plan.fillable}
        self.actions = scoped(Scope("elixir", {"send", "transition", "unsendable"}), self.plan.actions)

    def keys(self, event: str) -> dict[str, str]:
        """The keys of the event's data, by field."""
        declared = self.plan.event(event)
        if declared.message is not None:
            return self.codec.messages[declared.message].keys
        return scoped(Scope("elixir", {"machine"}), declared.parameters)

    def parameters(self, event: ir.Event) -> dict[str, str]:
        """The types of the parameters of an event's function, by name: a message, a method's parameters, or none."""
        if event.message is not None:
            return {"message": f"{self.codec.messages[event.message].module}.t()"}
        keys = self.keys(event.name)
        return {
            keys[parameter.name]: self.codec.type_of(parameter_of(parameter))
            for parameter in event.parameters
        }

    def carried(self, names: Iterable[str | None]) -> str:
        """The union of the types of the events' data; ``nil`` for None, and without names."""
        return " | ".join(dict.fromkeys(map(self._carried, names))) or "nil"

    def _carried(self, name: str | None) -> str:
        if name is None:
            return "nil"
        given = self.parameters(event := self.plan.event(name))
        record = ", ".join(f"{key}: {value}" for key, value in given.items())
        return given["message"] if event.message else f"%{{{record}}}"

    def term(self, item: ir.Expression | ir.Step, event: str = "") -> str:
        """The runtime's term for a guard, step or expression for `event`; assigned numbers are limited to the range."""
        match item:
            case ir.Name(name, "variable"):
                return f"{{:variable, :{self.variables[name]}}}"
            case ir.Name(name):
                return f"{{:carried, :{self.keys(event)[name]}}}"
            case ir.Literal(value, kind):
                return literal(value, kind)
            case ir.Size():
                return ":size"
            case ir.Unary(_, operand):
                return f"{{:not, {self.term(operand, event)}}}"
            case ir.Binary(operator, left, right):
                return f"{{:{operator}, {self.term(left, event)}, {self.term(right, event)}}}"
            case ir.Send() as send:
                return ":forward" if send.forward else self._send(send, event)
            case ir.Assign(name, value):
                (variable,) = (candidate for candidate in self.machine.variables if candidate.name == name)
                term = self.term(value, event)
                if variable.type is ir.Type.NUMBER and variable.size < 8:
                    term = f"{{:min, {term}, {greatest_of(variable)}}}"
                return f"{{:assign, :{self.variables[name]}, {term}}}"
            case ir.Host(name):
                return f"{{:host, :{self.actions[name]}}}"
            case _:
                return ":terminate"

    def _send(self, send: ir.Send, event: str) -> str:
        sent = self.codec.messages[send.message]
        values = [f"{sent.keys[name]}: {self.term(value, event)}" for name, value in send.fields]
        filled = [f"{sent.keys[name]}: {literal(name)}" for name in send.filled]
        zeros = [
            f"{sent.keys[name]}: {literal(zero_of(sent.shown[sent.keys[name]]))}" for name in send.filled
        ]
        given = ", ".join(values), ", ".join(filled), ", ".join(zeros * send.defaults)
        return "{{:send, {}, [{}], [{}], [{}]}}".format(sent.module, *given)
