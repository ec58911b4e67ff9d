"""Spells guards, steps and expressions of a machine."""

from __future__ import annotations

import re

from ...ir import Assign, Expression, Host, Send, Step, Type
from ...plan.machine import Functions, Use, reads
from ...plan.run import zero_of
from ..operators import spell, spell_assigned
from .names import MachineNames, atom, literal

__all__ = ["SpelledMachine"]


class SpelledMachine:
    """What templates/machine.ex.j2 prints, beside names and the plan."""

    def __init__(self, names: MachineNames) -> None:
        self.names, self.plan, self.machine = names, names.plan, names.plan.machine
        functions = Functions(self.plan, by_event=True)
        self.guards = [(n, use, self._guard(use)) for n, use in enumerate(functions.uses) if use.is_guard]
        self.steps = [(n, use, self._step(use)) for n, use in enumerate(functions.uses) if not use.is_guard]
        self.docs = [(names.variables[one.name], one.doc) for one in self.machine.variables]
        self.rows: dict[tuple[str, str], list[str]] = {}
        for row, guard, steps in functions.rows:
            at = len(steps) if row.next is None else row.before_at
            target = "nil" if row.next is None else atom(row.next)
            spelled = f"{{{literal(guard)}, {literal(steps[:at])}, {target}, {literal(steps[at:])}}}"
            self.rows.setdefault((row.state, row.event), []).append(spelled)

    def spelled(self, expression: Expression, event: str = "") -> str:
        """An expression, over what the event carries."""
        return spell(expression, _Expressions(self.names, event))

    def _guard(self, use: Use) -> str:
        assert not isinstance(use.item, Step)
        return self.spelled(use.item, use.events[0])

    def _step(self, use: Use) -> str:
        """An expression for the machine after a step."""
        event = use.events[0]
        match use.item:
            case Send() as send:
                return self._send(send, event)
            case Assign(name, value) as step:
                variable = next(one for one in self.machine.variables if one.name == name)
                spelled = spell_assigned(variable, value, _Expressions(self.names, event))
                if variable.type in (Type.STRING, Type.OCTETS) and reads(step):  # which are part of a frame
                    spelled = f":binary.copy({spelled})"
                return f"%{{machine | {self.names.variables[name]}: {spelled}}}"
            case Host(name):
                return f"machine.engine.host.{self.names.actions[name]}(message, machine)"
            case _:
                return "Machine.terminate(machine)"

    def _send(self, send: Send, event: str) -> str:
        if send.forward:
            return "Machine.send(machine, message)"
        names = self.names.protocol.message(send.message)
        values = [f"{names.keys[name]}: {self.spelled(value, event)}" for name, value in send.fields]
        sent = f"%{names.module}{{{', '.join(values)}}}"
        if not send.filled:
            return f"Machine.send(machine, {sent})"
        filled = ", ".join(f"{names.keys[name]}: {literal(name)}" for name in send.filled)
        zeros = [f"{names.keys[name]}: {literal(zero_of(names.shown[name]))}" for name in send.filled]
        return f"Machine.send(machine, {sent}, [{filled}], %{{{', '.join(zeros * send.defaults)}}})"

    @staticmethod
    def parameter(name: str, statement: str) -> str:
        """A parameter called `name`, which a statement may not use."""
        code = re.sub(r'"(\\.|[^"\\])*"', "", statement)
        return name if re.search(rf"\b{name}\b", code) else f"_{name}"


class _Expressions:
    """See :class:`..operators.Spelling`: over `machine` and what the event carries, `message`."""

    literal = staticmethod(literal)
    negation = staticmethod("not {}".format)
    conjunction = staticmethod("{} and {}".format)
    disjunction = staticmethod("{} or {}".format)
    comparison = staticmethod("{1} {0} {2}".format)
    add = staticmethod("min({} + {}, {})".format)
    subtract = staticmethod("max({} - {}, 0)".format)
    least = staticmethod("min({}, {})".format)

    def __init__(self, names: MachineNames, event: str) -> None:
        self._names, self._event = names, event

    def variable(self, name: str) -> str:
        return f"machine.{self._names.variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        value = f"message.{self._names.keys(self._event)[name]}"
        return f"max({value}, 0)" if self._names.plan.fields(self._event)[name].signed else value

    def size(self, message: str) -> str:
        return "Encoder.size(message)"
