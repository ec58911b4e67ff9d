"""The view of a machine's module: what the template prints besides what the model says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set

from ...ir import Assign, Event, Host, Machine, Protocol, Send, Terminate, Transition, Type
from ...naming import Scope, pascal, snake
from ...plan.build import parameter_of
from ...plan.machine import Functions, Use, machine_plan, reads
from ...plan.operations import Number
from ..describe import show, show_step
from ..operators import spell, spell_assigned
from .names import action_name, attribute_name, call_name, class_name, literal, variable_name

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

    def __init__(self, signed: Set[str]) -> None:
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
        functions = Functions(self.plan)
        scope, self.rows = Scope("python"), functions.rows
        self.names = [scope.name(_name(use)) for use in functions.uses]
        self.functions = [
            (self._signature(use, name), self._statement(use))
            for use, name in zip(functions.uses, self.names, strict=True)
        ]

    def named(self, functions: Iterable[int]) -> list[str]:
        """What the functions of these numbers are called."""
        return [self.names[number] for number in functions]

    def carried(self, events: Iterable[str | None]) -> str:
        """The type of what any of `events` carries."""
        known = {one.name: one for one in self.plan.events}
        found = [known[name] if name is not None and self.plan.carries(name) else None for name in events]
        messages = [f"{self.module}.{class_name(one.message)}" for one in found if one and one.message]
        if len(set(messages)) > _PAYLOADS_MAX:
            messages = [f"{self.module}.Message"]
        calls = [call_name(one) for one in found if one and not one.message]
        return " | ".join(dict.fromkeys([*messages, *calls, *["None"] * (None in found)]))

    def raised(self, event: Event) -> str:
        """What the event's method passes on. A number is looked at; what messages hold is when they are encoded."""
        if event.message is not None:
            return "message"
        given = []
        for field in event.parameters:
            name, signed = attribute_name(field.name), ", signed=True" * field.signed
            is_number = isinstance(parameter_of(field), Number)
            given.append(f'number("{name}", {name}{signed})' if is_number else name)
        return f"{call_name(event)}({', '.join(given)})" if given else "None"

    def _signature(self, use: Use, name: str) -> str:
        takes = reads(use.item) or isinstance(use.item, Host)
        message = f"message: {self.carried(use.events)}" if takes else "_message: object"
        return f"{name}(machine: {self.role}Machine, {message}) -> {'bool' if use.is_guard else 'None'}"

    def _statement(self, use: Use) -> str:
        fields = [field for event in use.events for field in self.plan.fields(event).values()]
        spelling = Spelling(frozenset(field.name for field in fields if field.signed))
        match use.item:
            case Send(forward=True):
                return "machine.host.send(message)"
            case Send(message, given):
                values = ", ".join(
                    f"{attribute_name(name)}={spell(value, spelling)}" for name, value in given
                )
                return f"machine.host.send({self.module}.{class_name(message)}({values}))"
            case Assign(name, value):
                variable = next(one for one in self.plan.machine.variables if one.name == name)
                return f"machine.{variable_name(name)} = {spell_assigned(variable, value, spelling)}"
            case Host(action):
                return f"machine.host.{action_name(action)}(message)"
            case Terminate():
                return "machine._terminated = True"
            case guard:
                return f"return {spell(guard, spelling)}"

    @property
    def settled(self) -> list[tuple[Transition, Host]]:
        """The rows that do one host action and nothing else, whatever the variables hold."""
        alternatives = Counter((row.state, row.event) for row in self.plan.rows)
        found = []
        for row in self.plan.rows:
            match row:
                case Transition(guard=None, next=None, steps=(Host(raises=(), then=()) as action,)):
                    if alternatives[row.state, row.event] == 1:
                        found.append((row, action))
        return found


def _name(use: Use) -> str:
    """What a function is called, by what it does."""
    match use.item:
        case Send() | Assign() | Host() | Terminate() as step:
            return f"_{snake(show_step(step))[:_NAME_MAX]}"
        case guard:
            return f"_when_{snake(show(guard))[:_NAME_MAX]}"
