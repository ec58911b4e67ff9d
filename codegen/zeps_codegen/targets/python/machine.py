"""The view of a machine's module: the parts of the template that the model does not contain."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import NamedTuple

from ...ir import Assign, Host, Machine, Protocol, Send, Terminate, Type
from ...naming import Scope, pascal, snake, usable
from ...plan.machine import Functions, Use, machine_plan, reads
from ..describe import show, show_step
from ..operators import spell, spell_assigned
from .names import Message, action_name, attribute_name, class_name, literal, module_name, variable_name

__all__ = ["MachineView"]


class _Spelling:
    """See :class:`..operators.Spelling`; uses the names `machine` and `message`."""

    literal = staticmethod(literal)
    negation = staticmethod("not {}".format)
    conjunction = staticmethod("{} and {}".format)
    disjunction = staticmethod("{} or {}".format)
    comparison = staticmethod("{1} {0} {2}".format)
    add = staticmethod("min({} + {}, {})".format)
    subtract = staticmethod("max({} - {}, 0)".format)
    least = staticmethod("min({}, {})".format)
    size = staticmethod("message.size()".format)

    def __init__(self, signed: Set[str] = frozenset()) -> None:
        self._signed = signed  # the fields of the message that may be negative

    def variable(self, name: str) -> str:
        return f"machine.{variable_name(name)}"

    def parameter(self, name: str, kind: Type) -> str:
        attribute = f"message.{attribute_name(name)}"
        return f"max({attribute}, 0)" if name in self._signed else attribute


class Function(NamedTuple):
    """A guard or a step that rows refer to; a settling one is a host action without `raises` and `then`."""

    name: str
    parameter: str
    statement: str
    is_guard: bool
    is_settling: bool


class MachineView:
    """The variables of templates/machine.py.j2 for `machine`, which uses `protocol`."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = machine_plan(machine, protocol)
        self.role, self.source = pascal(machine.role.value), module_name(protocol.name)
        spelled = {form(name) for name in self.plan.names for form in (snake, attribute_name)}
        self.module = usable(self.source, "python", spelled)  # the name under which `source` is imported
        self.messages = {name: Message(self.plan.layouts[name]) for name in self.plan.fillable}
        """The messages with fields that the host fills."""
        self.timers = [(timer, spell(timer.milliseconds, _Spelling())) for timer in machine.timers]
        self._noted = set(self.plan.plans if self.plan.counts_sent else self.messages)
        self._failing = {action.name for action in self.plan.actions if action.raises or action.then}
        self._variables = {variable.name: variable for variable in machine.variables}
        functions, scope = Functions(self.plan), Scope("python")
        self.rows = functions.rows
        self.functions = [self._function(use, scope) for use in functions.uses]

    def carried(self, events: Iterable[str | None]) -> str:
        """The type of the data of any of `events`."""
        known = {event.name: event for event in self.plan.events}
        carriers = [known[name] if name is not None and self.plan.carries(name) else None for name in events]
        carried = [event.message for event in carriers if event and event.message]
        messages = [f"{self.module}.{class_name(message)}" for message in carried]
        if len(set(messages)) > 3:
            messages = [f"{self.module}.Message"]
        calls = [f"{pascal(event.name)}Call" for event in carriers if event and not event.message]
        return " | ".join(dict.fromkeys([*messages, *calls, *["None"] * (None in carriers)]))

    def _function(self, use: Use, scope: Scope) -> Function:
        fields = [field for event in use.events for field in self.plan.fields(event).values()]
        spelling = _Spelling(frozenset(field.name for field in fields if field.signed))
        is_settling, takes = False, reads(use.item)
        match use.item:
            case Send() as step:
                name, statement = show_step(step), self._send(step, spelling)
            case Assign(variable, value) as step:
                assigned = spell_assigned(self._variables[variable], value, spelling)
                name, statement = show_step(step), f"machine.{variable_name(variable)} = {assigned}"
            case Host(action):
                name, statement, takes = action, f"machine.host.{action_name(action)}(message)", True
                is_settling = action not in self._failing
            case Terminate():
                name, statement = "terminate", "machine._terminated = True"
            case guard:
                name, statement = f"when {show(guard)}", f"return {spell(guard, spelling)}"
        parameter = f"message: {self.carried(use.events)}" if takes else "_message: object"
        return Function(scope.name(f"_{snake(name)[:40]}"), parameter, statement, use.is_guard, is_settling)

    def _send(self, send: Send, spelling: _Spelling) -> str:
        kind = f"{self.module}.{class_name(send.message)}"
        values = [f"{attribute_name(name)}={spell(value, spelling)}" for name, value in send.fields]
        if send.filled:
            message = self.messages[send.message]
            names = {message.attribute(name): name for name in send.filled}
            zeros = f"{self.module}._{message.upper}_LAYOUT.zeros" if send.defaults else "{}"
            return f"machine._send_filled({', '.join([kind, repr(names), zeros, *values])})"
        sent = "message" if send.forward else f"{kind}({', '.join(values)})"
        return f"machine.{'_send' if send.message in self._noted else 'host.send'}({sent})"
