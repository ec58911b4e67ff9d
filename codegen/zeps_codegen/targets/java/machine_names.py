"""What things are called in one machine's package, and what its events carry."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Event, EventKind, Expression, Field, Send, Transition, Type
from ...naming import Scope, camel, pascal, screaming
from ...plan.build import part_of
from ...plan.machine import ActionPlan, MachinePlan
from ..fitting import misfits
from .message import Message
from .names import OBJECT, Imports, ProtocolNames, is_member

__all__ = ["Action", "MachineNames", "call_components", "event_member"]

#: What a machine's methods may not be called: those of every machine and of every object.
_MACHINE = "accept fail holds isTerminated raise receive state step terminate"
_MEMBERS = OBJECT | frozenset(_MACHINE.split())


@dataclass(frozen=True, slots=True)
class Action:
    """A host action: its name in the model and in Java, and what it is given (None: nothing)."""

    name: str
    method: str
    parameter: str | None
    raises: tuple[str, ...]


class MachineNames:
    """The names in one machine's package, and the types of what its events carry."""

    def __init__(self, package: str, plan: MachinePlan, protocol: ProtocolNames, plans: list[Message]):
        self.plan = plan
        self.machine = machine = plan.machine
        self.package = package
        self.protocol = protocol
        self.plans = {plan.name: plan for plan in plans}
        role = pascal(machine.role.value)
        scope = Scope("java", {"State", "Event", "Machine", "Object", "String", "Table", "Row", "Override"})
        self.machine_class = scope.name(f"{role}Machine")
        self.host_class = scope.name(f"{role}Host")
        self.calls = {e.name: scope.name(f"{pascal(e.name)}Call") for e in machine.events if e.parameters}
        self.own = {"State", "Event", self.machine_class, self.host_class, *self.calls.values()}
        states, events = Scope("java"), Scope("java")
        self.states = {one.name: states.name(screaming(one.name)) for one in machine.states}
        self.events = {one.name: events.name(event_member(one)) for one in machine.events}
        self.kinds = {one.name: one for one in machine.events}
        self.variables, self.accessors = self._variables()
        methods = Scope("java", _MEMBERS | {name for pair in self.accessors.values() for name in pair})
        self.methods = {one.name: methods.name(camel(one.name)) for one in plan.called}
        self._actions = Scope("java", OBJECT | {"send", "unsendable"})
        self._host_methods = {name: self._actions.name(camel(name)) for name in machine.host_actions()}
        #: Whether a step may come to a value that the message to be sent cannot hold.
        self.refuses = any(self._refuses(row) for row in machine.transitions)

    def _refuses(self, row: Transition) -> bool:
        for step in row.steps:
            if isinstance(step, Send):
                fields = {slot.field.name: slot.field for slot in self.plans[step.message].shown}
                if any(self.misfits(row.event, fields[name], value) for name, value in step.fields):
                    return True
        return False

    def misfits(self, event: str, field: Field, value: Expression) -> bool:
        """Whether `field` may be unable to hold `value`, an expression of the event's rows."""
        message = self.kinds[event].message
        shown = self.plans[message].shown if message is not None else ()
        return misfits(field, value, {slot.field.name: slot.field for slot in shown})

    def _variables(self) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
        fields, accessors = Scope("java", {"host", "carried"}), Scope("java", _MEMBERS)
        names = {one.name: fields.name(camel(one.name)) for one in self.machine.variables}
        return names, {
            one.name: (
                accessors.name(f"{'is' if one.type is Type.BOOLEAN else 'get'}{pascal(one.name)}"),
                accessors.name(f"set{pascal(one.name)}"),
            )
            for one in self.machine.variables
        }

    def message(self, name: str | None, imports: Imports) -> str:
        """The class of a message, or of all messages, as this package has to call it."""
        found = "Message" if name is None else self.protocol.messages[name]
        if found in self.own:
            return f"{self.protocol.package}.{found}"
        return imports.use(f"{self.protocol.package}.{found}")

    def carried(self, event: str, imports: Imports) -> str | None:
        """The type of what an event carries."""
        found = self.kinds[event]
        if found.message is not None:
            return self.message(found.message, imports)
        return self.calls.get(event)

    def actions(self, imports: Imports) -> list[Action]:
        """The host's actions, in the order of their first use."""
        return [
            Action(one.name, self._host_methods[one.name], self._given(one, imports), one.raises)
            for one in self.plan.actions
        ]

    def _given(self, action: ActionPlan, imports: Imports) -> str | None:
        """The type of all that an action may be given; None if that is nothing."""
        events = [event for event in action.carried if event is not None]
        if len(events) == 1:
            return self.carried(events[0], imports)
        if any(event in self.calls for event in events):
            return "Object"
        return self.message(None, imports) if events else None

    def parameter_type(self, field: Field, imports: Imports) -> str:
        """The type of a method's parameter."""
        part = part_of(field)
        kind = self.protocol.java_type(part, imports)
        if is_member(part):
            imports.use(f"{self.protocol.package}.{kind}")
        return kind


def event_member(event: Event) -> str:
    """The event's name in the enumeration: a message's own, ``ON_…`` for the host's and the application's."""
    name = screaming(event.name)
    return name if event.kind is EventKind.MESSAGE else f"ON_{name}"


def call_components(event: Event) -> dict[str, str]:
    """The components of a call's record."""
    scope = Scope("java", OBJECT)
    return {field.name: scope.name(camel(field.name)) for field in event.parameters}
