"""Spells a machine's guards and steps as functions of the machine and of what its event carries.

Numbers are JavaScript's or bigints, as the variable or field that holds them is. The runtime takes both; its sums and
differences are bigints.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import Assign, Binary, Expression, Host, Literal, Name, Send, Step, Terminate, Type
from ...plan.machine import reads
from ...plan.operations import Content, Number, Operation
from ..describe import show, show_step
from ..errors import UnsupportedByTarget
from ..operators import CLike, spell, spell_assigned
from .names import MachineNames
from .text import SAFE_MAX, literal, quoted

__all__ = ["Functions"]


class Functions:
    """The functions that rows name, by their text in the table; the engine has `terminate`."""

    def __init__(self, names: MachineNames) -> None:
        self._names = names
        guards: dict[str, tuple[Expression, list[str]]] = {}
        steps: dict[str, tuple[Step, list[str]]] = {}
        for row in names.plan.rows:
            if row.guard is not None:
                guards.setdefault(show(row.guard), (row.guard, []))[1].append(row.event)
            for step in row.steps:
                if not isinstance(step, Terminate):
                    steps.setdefault(show_step(step), (step, []))[1].append(row.event)
        self.guards = {text: self._guard(*found) for text, found in guards.items()}
        self.steps = {text: self._step(*found) for text, found in steps.items()}

    def _guard(self, guard: Expression, events: list[str]) -> str:
        return self._function(spell(guard, Spelling(self._names, events)), events, reads(guard), exact=True)

    def _step(self, step: Step, events: list[str]) -> str:
        names, spelling, passes_on = self._names, Spelling(self._names, events), False
        match step:
            case Send(message, fields, forward=False):
                properties, given = names.protocol.message(message).properties, dict(fields)
                for name in properties:
                    if name not in given:
                        raise UnsupportedByTarget("typescript", message, name, "the host is to fill it in")
                values = [
                    f"{properties[name][1]}: {spelling.sent(properties[name][0], one)}"
                    for name, one in fields
                ]
                body = f"machine.host.send({{ {', '.join([f'type: {quoted(message)}', *values])} }})"
            case Assign(variable, value):
                body = f"machine.{names.variables[variable]} = {spelling.assigned(variable, value)}"
            case _:
                passes_on = True
                body = (
                    f"machine.host.{names.actions[step.name] if isinstance(step, Host) else 'send'}(message)"
                )
        return self._function(f"{{ {body}; }}", events, passes_on or reads(step), exact=not passes_on)

    def _function(self, body: str, events: list[str], looks: bool, exact: bool) -> str:
        machine = "machine" if "machine." in body else "_machine"
        parameters = [machine] * (looks or machine == "machine")
        parameters += [f"message: {self._names.payloads(events, exact)}"] * looks
        return f"({', '.join(parameters)}) => {body}"


class Spelling(CLike):
    """Spells expressions over `machine` and `message`, at any of some events; see :class:`..operators.Spelling`."""

    def __init__(self, names: MachineNames, events: Iterable[str]) -> None:
        self._names = names
        self._variables = {one.name: one for one in names.machine.variables}
        self._carried: dict[str, list[tuple[Operation, str]]] = {}
        for event in dict.fromkeys(events):
            for name, found in names.carried(names.plan.event(event)).items():
                self._carried.setdefault(name, []).append(found)

    def assigned(self, name: str, value: Expression) -> str:
        """`value` as what the variable can hold of it."""
        variable = self._variables[name]
        text = spell_assigned(variable, value, self)
        if variable.type is Type.OCTETS and isinstance(value, Name) and value.scope == "message":
            return f"{text}.slice()"  # what is remembered outlives the frame
        if variable.type is not Type.NUMBER:
            return text
        is_small = variable.size < 8 and not isinstance(value, Literal)  # then the runtime has computed it
        return f"Number({text})" if is_small else self._number(value, text, variable.size == 8)

    def sent(self, operation: Operation, value: Expression) -> str:
        """`value` as what a message holds."""
        text, protocol = spell(value, self), self._names.protocol
        if isinstance(operation, Number):
            text = self._number(value, text, protocol.is_big(operation))
        if isinstance(operation, Number | Content) and operation.enumeration is not None:
            return f"{text} as {protocol.type_of(operation, f'{self._names.module}.')}"
        return text

    def _number(self, value: Expression, text: str, big: bool) -> str:
        """The number that `text` spells, as a bigint or a JavaScript number."""
        if isinstance(value, Literal):
            return text.removesuffix("n") + "n" * big
        is_as_wanted = self._kinds(value) == {big}
        return text if is_as_wanted else f"{'BigInt' if big else 'Number'}({text})"

    def _kinds(self, value: Expression) -> set[bool]:
        """Whether a number may be a bigint, and whether it may be a JavaScript number."""
        match value:
            case Binary():
                return {True}
            case Name(name, "variable"):
                return {self._variables[name].size == 8}
            case Name(name):
                numbers = [one for one, _ in self._carried[name] if isinstance(one, Number)]
                is_signed = any(one.signed for one in numbers)
                return {self._names.protocol.is_big(one) for one in numbers} | (
                    {False, True} if is_signed else set()
                )
            case _:
                return {False}

    # --- leaves and operators

    def variable(self, name: str) -> str:
        return f"machine.{self._names.variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        found = self._carried[name]
        is_signed = any(isinstance(one, Number) and one.signed for one, _ in found)
        return f"engine.natural(message.{found[0][1]})" if is_signed else f"message.{found[0][1]}"

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if kind is Type.OCTETS:
            return literal(str(value).encode())
        return literal(value, isinstance(value, int) and value > SAFE_MAX)

    def size(self, message: str) -> str:
        return f"{self._names.module}.sizeOf(message)"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if operator in ("==", "!="):
            return f"{'!' * (operator == '!=')}engine.same({left}, {right})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"engine.sum({left}, {right}, {greatest}n)"

    def subtract(self, left: str, right: str) -> str:
        return f"engine.difference({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"engine.least({value}, {greatest}n)"
