"""Generates a machine's guards and steps as functions of the machine and of its event's data.

Numbers are JavaScript numbers or bigints, as in the variable or field. The runtime accepts both; its sums are bigints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...ir import Assign, Binary, Expression, Host, Literal, Name, Send, Step, Terminate, Timer, Type
from ...plan.machine import reads
from ...plan.operations import Content, Number, Operation
from ..describe import show, show_step
from ..operators import CLike, spell, spell_assigned
from .names import MachineNames
from .text import call, literal, quoted

__all__ = ["Functions", "step_text"]


def step_text(step: Step) -> str:
    """Formats a step in the model's language, with the fields that the host fills."""
    filled = f"; filled: {', '.join(step.filled)}" if isinstance(step, Send) and step.filled else ""
    return show_step(step) + filled


class Functions:
    """The functions of rows by their text in the table: guards, sent messages, and other steps, except `terminate`."""

    def __init__(self, names: MachineNames) -> None:
        self._names = names
        self.guards = self._spelled(
            (show(row.guard), row.guard, row.event) for row in names.plan.rows if row.guard
        )
        steps = [(step_text(step), step, row.event) for row in names.plan.rows for step in row.steps]
        self.sends = self._spelled(use for use in steps if isinstance(use[1], Send))
        self.steps = self._spelled(use for use in steps if not isinstance(use[1], Send | Terminate))

    def _spelled(self, uses: Iterable[tuple[str, Expression | Step, str]]) -> dict[str, str]:
        merged: dict[str, tuple[Expression | Step, dict[str, None]]] = {}
        for text, item, event in uses:
            merged.setdefault(text, (item, {}))[1][event] = None
        return {text: self._function(*arguments) for text, arguments in merged.items()}

    def milliseconds(self, timer: Timer) -> str:
        """The expression for a timer's duration."""
        text = spell(timer.milliseconds, Spelling(self._names, ()))
        return f"({'machine' * ('machine.' in text)}) => {text}"

    def _function(self, item: Expression | Step, events: Collection[str]) -> str:
        names, spelling = self._names, Spelling(self._names, events)
        if isinstance(item, Send) and not names.protocol.messages[item.message].members:
            item = Send(item.message)  # forwarded and constructed messages share a function
        match item:
            case Send(forward=True):
                body = "message"
            case Send():
                body = f"({{ {', '.join(self._sent(item, spelling))} }})"
            case Assign(variable, value):
                body = f"{{ machine.{names.variables[variable]} = {spelling.assigned(variable, value)}; }}"
            case Host(name):
                body = f"{{ machine.host.{names.actions[name]}(message); }}"
            case _:
                body = spell(item, spelling) if not isinstance(item, Terminate) else ""
        machine, looks = "machine." in body, reads(item) or isinstance(item, Host)
        carried = f"Carried[{' | '.join(map(quoted, events))}]"
        parameters = ["_" * (not machine) + "machine", f"{'_' * (not looks)}message: {carried}", "draft"]
        return f"({', '.join(parameters[: 3 if 'draft(' in body else 2 if looks else machine])}) => {body}"

    def _sent(self, send: Send, spelling: Spelling) -> list[str]:
        """The members of a message that a machine constructs."""
        given, members = dict(send.fields), [f"type: {quoted(send.message)}"]
        protocol = self._names.protocol
        for operation, member in protocol.messages[send.message].members.items():
            if operation.name in given:
                members.append(f"{member}: {spelling.sent(operation, given[operation.name])}")
                continue
            place = [quoted(send.message), quoted(operation.name), quoted(member)]
            zero = [protocol.constant(operation)] * send.defaults
            members.append(f"{member}: {call('draft', *place, *zero)}")
        return members


class Spelling(CLike):
    """Generates expressions over `machine` and `message` for the given events; see :class:`..operators.Spelling`."""

    add = staticmethod("engine.sum({}, {}, {}n)".format)
    subtract = staticmethod("engine.difference({}, {})".format)
    least = staticmethod("engine.least({}, {}n)".format)

    def __init__(self, names: MachineNames, events: Iterable[str]) -> None:
        self._names = names
        self._variables = {variable.name: variable for variable in names.machine.variables}
        self._carried: dict[str, list[tuple[Operation, str]]] = {}
        for event in events:
            for name, carried in names.carried(names.plan.event(event)).items():
                self._carried.setdefault(name, []).append(carried)

    def assigned(self, name: str, value: Expression) -> str:
        """`value`, limited to the range of the variable."""
        variable = self._variables[name]
        text = spell_assigned(variable, value, self)
        if variable.type is Type.OCTETS and isinstance(value, Name) and value.scope == "message":
            return f"{text}.slice()"  # a variable outlives the frame
        return self._number(value, text, variable.size == 8) if variable.type is Type.NUMBER else text

    def sent(self, operation: Operation, value: Expression) -> str:
        """`value` in the type of the message's field."""
        text, protocol = spell(value, self), self._names.protocol
        if isinstance(operation, Number):
            text = self._number(value, text, protocol.is_big(operation))
        if isinstance(operation, Number | Content) and operation.enumeration is not None:
            return f"{text} as {protocol.type_of(operation, f'{self._names.module}.')}"
        return text

    def _number(self, value: Expression, text: str, big: bool) -> str:
        """The number `text` as a bigint or a JavaScript number."""
        match value:
            case Literal():
                return text.removesuffix("n") + "n" * big
            case Name(name, "variable"):
                is_big = self._variables[name].size == 8
            case Name(name):
                numbers = [operation for operation, _ in self._carried[name] if isinstance(operation, Number)]
                is_big = all(self._names.protocol.is_big(number) and not number.signed for number in numbers)
            case _:
                is_big = isinstance(value, Binary)
        return text if big and is_big else f"engine.{'big' if big else 'small'}({text})"

    # --- leaves and operators

    def variable(self, name: str) -> str:
        return f"machine.{self._names.variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        carried = self._carried[name]
        is_signed = any(isinstance(operation, Number) and operation.signed for operation, _ in carried)
        return f"engine.natural(message.{carried[0][1]})" if is_signed else f"message.{carried[0][1]}"

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return literal(str(value).encode() if kind is Type.OCTETS else value)

    def size(self, message: str) -> str:
        return f"{self._names.module}.sizeOf(message)"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if operator in ("==", "!="):
            return f"{'!' * (operator == '!=')}engine.same({left}, {right})"
        return f"{left} {operator} {right}"
