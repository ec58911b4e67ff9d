"""The view of a machine's module: what the template prints besides what the model says."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ...ir import Assign, Expression, Host, Machine, Protocol, Send, Terminate, Type
from ...naming import Scope, pascal, snake
from ...plan import operations as op
from ...plan.machine import Functions, Use, machine_plan, reads
from ..describe import show, show_step
from ..operators import spell, spell_assigned
from .names import (
    Message,
    action_name,
    annotation,
    attribute_name,
    call_name,
    class_name,
    literal,
    variable_name,
)

__all__ = ["MachineView"]

#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3
_NAME_MAX = 40


class Spelling:
    """See :class:`..operators.Spelling`; over the names `machine` and `message`, whose fields `signed` may be
    negative.
    """

    literal = staticmethod(literal)
    negation = staticmethod("not {}".format)
    conjunction = staticmethod("{} and {}".format)
    disjunction = staticmethod("{} or {}".format)
    comparison = staticmethod("{1} {0} {2}".format)
    add = staticmethod("min({} + {}, {})".format)
    subtract = staticmethod("max({} - {}, 0)".format)
    least = staticmethod("min({}, {})".format)

    def __init__(self, signed: Set[str] = frozenset()) -> None:
        self._signed = signed

    def variable(self, name: str) -> str:
        return f"machine.{variable_name(name)}"

    def parameter(self, name: str, kind: Type) -> str:
        attribute = f"message.{attribute_name(name)}"
        return f"max({attribute}, 0)" if name in self._signed else attribute

    def size(self, message: str) -> str:
        return "message.size()"


class MachineView:
    """What templates/machine.py.j2 asks for `machine`, which speaks `protocol`."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = machine_plan(machine, protocol)
        self.role, self.module = pascal(machine.role.value), snake(protocol.name)
        self.messages = {name: Message(self.plan.layouts[name]) for name in self.plan.fillable}
        """Those that the host fills fields of."""
        self.is_sent_timed = any(one.since == "sent" for one in machine.timers)
        functions = Functions(self.plan)
        scope, self.rows = Scope("python"), functions.rows
        self.names = [scope.name(_name(use)) for use in functions.uses]
        self.functions = [
            (self._signature(use, name), self._statement(use))
            for use, name in zip(functions.uses, self.names, strict=True)
        ]
        never = {one.name for one in self.plan.actions if not (one.raises or one.then)}
        found = zip(functions.uses, self.names, strict=True)
        self.settling = [name for use, name in found if isinstance(use.item, Host) and use.item.name in never]
        """The functions of host actions that neither fail nor raise events."""

    def named(self, functions: Iterable[int]) -> list[str]:
        """What the functions of these numbers are called."""
        return [self.names[number] for number in functions]

    def spelled(self, expression: Expression) -> str:
        """An expression over the variables."""
        return spell(expression, Spelling())

    def carried(self, events: Iterable[str | None]) -> str:
        """The type of what any of `events` carries."""
        known = {one.name: one for one in self.plan.events}
        found = [known[name] if name is not None and self.plan.carries(name) else None for name in events]
        messages = [f"{self.module}.{class_name(one.message)}" for one in found if one and one.message]
        if len(set(messages)) > _PAYLOADS_MAX:
            messages = [f"{self.module}.Message"]
        calls = [call_name(one) for one in found if one and not one.message]
        return " | ".join(dict.fromkeys([*messages, *calls, *["None"] * (None in found)]))

    def _signature(self, use: Use, name: str) -> str:
        takes = reads(use.item) or isinstance(use.item, Host)
        message = f"message: {self.carried(use.events)}" if takes else "_message: object"
        return f"{name}(machine: {self.role}Machine, {message}) -> {'bool' if use.is_guard else 'None'}"

    def _statement(self, use: Use) -> str:
        fields = [field for event in use.events for field in self.plan.fields(event).values()]
        spelling = Spelling(frozenset(field.name for field in fields if field.signed))
        match use.item:
            case Send(message, forward=forward):
                needed = self.is_sent_timed or message in self.messages
                sent = "message" if forward else self._built(use.item, spelling)
                return sent if use.item.filled else f"machine.{'_send' if needed else 'host.send'}({sent})"
            case Assign(name, value):
                variable = next(one for one in self.plan.machine.variables if one.name == name)
                return f"machine.{variable_name(name)} = {spell_assigned(variable, value, spelling)}"
            case Host(action):
                return f"machine.host.{action_name(action)}(message)"
            case Terminate():
                return "machine._terminated = True"
            case guard:
                return f"return {spell(guard, spelling)}"

    def _built(self, send: Send, spelling: Spelling) -> str:
        """The message that is sent; what sends it, if the host fills fields of it."""
        kind = f"{self.module}.{class_name(send.message)}"
        values = [f"{attribute_name(name)}={spell(value, spelling)}" for name, value in send.fields]
        if not send.filled:
            return f"{kind}({', '.join(values)})"
        message = self.messages[send.message]
        names = {message.attribute(name): name for name in send.filled}
        zeros = {message.attribute(name): _zero(message.named[name]) for name in send.filled}
        zeros_text = ", ".join(f'"{name}": {zero}' for name, zero in zeros.items())
        given = [kind, repr(names), f"{{{zeros_text}}}" if send.defaults else "None", *values]
        return f"machine._send_filled({', '.join(given)})"


def _zero(one: op.Operation) -> str:
    """What is sent of a field that was not set, if that is no error."""
    match one:
        case op.Fixed(size=size):
            return f"bytes({size})"
        case op.Apart(is_rest=True):
            return '(b"",)'
        case op.Items():
            return "()"
        case op.Number():
            return "0"
        case _:
            return 'b""' if annotation(one) == "bytes" else '""'


def _name(use: Use) -> str:
    """What a function is called, by what it does."""
    match use.item:
        case Send() | Assign() | Host() | Terminate() as step:
            return f"_{snake(show_step(step))[:_NAME_MAX]}"
        case guard:
            return f"_when_{snake(show(guard))[:_NAME_MAX]}"
