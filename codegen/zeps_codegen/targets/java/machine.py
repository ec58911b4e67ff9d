"""The code of a machine: its names, and its guards and steps over its variables and `carried`."""

from __future__ import annotations

from ...ir import Assign, Event, EventKind, Field, FieldType, Host, Send, Step, Type
from ...naming import Scope, camel, pascal, screaming
from ...plan.build import parameter_of
from ...plan.layout import number_range
from ...plan.machine import ActionPlan, Functions, MachinePlan, reads
from ...plan.operations import Topic
from ...plan.run import zero_of
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .message import Message, Slot
from .names import OBJECT, ProtocolNames, is_member, literal, long_literal

__all__ = ["TYPES", "MachineCode"]

#: The types of variables.
TYPES = {Type.NUMBER: "long", Type.STRING: "String", Type.OCTETS: "Octets", Type.BOOLEAN: "boolean"}
#: Names that a machine's methods cannot have: members of every machine and of every object.
_ENGINE = """accept advance deadline fail failWith handle holds isTerminated milliseconds raise raiseLater receive
send sent state step taken terminate"""
_MEMBERS = OBJECT | frozenset(_ENGINE.split())


class MachineCode(CLike):
    """The variables of the templates of a machine's package, and a :class:`..operators.Spelling`."""

    subtract = staticmethod("Unsigned.subtract({}, {})".format)

    def __init__(self, package: str, plan: MachinePlan, protocol: ProtocolNames, messages: list[Message]):
        self.package, self.plan, self.machine, self.protocol = package, plan, plan.machine, protocol
        self.is_multipart = any(message.is_multipart for message in messages)
        self._messages = {message.plan.name: message for message in messages}
        role = pascal(self.machine.role.value)
        own = {"State", "Event", "InternalEvent"}
        scope = Scope("java", {*own, "Machine", "Object", "String", "Table", "Row", "Override"})
        self.main, self.host = scope.name(f"{role}Machine"), scope.name(f"{role}Host")
        called = [event.name for event in self.machine.events if event.parameters]
        self.calls = {name: scope.name(f"{pascal(name)}Call") for name in called}
        self._own = {*own, self.main, self.host, *self.calls.values()}
        names = {"Message", *protocol.messages.values(), *protocol.enumerations.values()} - self._own
        self.imports = [f"{protocol.package}.{name}" for name in sorted(names)]
        states, events, internal = Scope("java"), Scope("java"), Scope("java")
        actions = Scope("java", OBJECT | {"onTransition", "send", "unsendable"})
        self.states = {state.name: states.name(screaming(state.name)) for state in self.machine.states}
        arrives = {event.name: event.kind is EventKind.MESSAGE for event in self.machine.events}
        self.events = {name: events.name("ON_" * (not arrives[name]) + screaming(name)) for name in arrives}
        self.internal = {event.name: internal.name(screaming(event.name)) for event in plan.internal}
        self.actions = {action.name: actions.name(camel(action.name)) for action in plan.actions}
        fields, accessors = Scope("java", {"host", "carried"}), Scope("java", _MEMBERS)
        variables = [variable.name for variable in self.machine.variables]
        self.variables = {name: fields.name(camel(name)) for name in variables}
        self.getters, self.setters = {}, {}
        for variable in self.machine.variables:
            verb = "is" if variable.type is Type.BOOLEAN else "get"
            self.getters[variable.name] = accessors.name(f"{verb}{pascal(variable.name)}")
            self.setters[variable.name] = accessors.name(f"set{pascal(variable.name)}")
        methods = Scope("java", {*_MEMBERS, *self.getters.values(), *self.setters.values()})
        self.methods = {event.name: methods.name(camel(event.name)) for event in plan.called}
        self.drafts = {name: fields.name(f"draft{protocol.messages[name]}") for name in plan.fillable}
        self.fills = {
            (name, operation.name): methods.name(f"fill{protocol.messages[name]}{pascal(operation.name)}")
            for name, operations in plan.fillable.items()
            for operation in operations
        }
        self.durations = [spell(timer.milliseconds, self) for timer in self.machine.timers]
        functions = Functions(plan, by_event=True)
        self.rows = functions.rows
        self.guards, self.steps = {}, {}
        for number, use in enumerate(functions.uses):
            self._event = plan.event(use.events[0])  # the event whose rows are generated
            if isinstance(use.item, Step):
                self.steps[number] = self._step(use.item)
            else:
                self.guards[number] = spell(use.item, self)
        self.refuses = bool(self.drafts) or any("Fit." in step for step in self.steps.values())

    def type(self, name: str) -> str:
        """A class of the protocol, with its package if a class of the machine's package has the same name."""
        return f"{self.protocol.package}.{name}" if name in self._own else name

    def carried(self, event: Event) -> str:
        """The type of an event's data."""
        if event.message is None:
            return self.calls.get(event.name, "Object")
        return self.type(self.protocol.messages[event.message])

    def given(self, action: ActionPlan) -> str:
        """The type of an action's argument: that of its events' data, ``Message`` for several types, ``Object`` with
        parameters; null for events without data. Empty if no event has data.
        """
        events = [self.plan.event(name) for name in action.carried if name is not None]
        if len(events) == 1:
            return self.carried(events[0])
        several = "Object" if any(event.parameters for event in events) else self.type("Message")
        return several if events else ""

    def components(self, event: Event) -> list[tuple[str, str, Field]]:
        """Type, name and field of each parameter of a method; the record of its call has the same components."""
        scope, components = Scope("java", OBJECT), []
        for field in event.parameters:
            kind = self.protocol.type_of(parameter_of(field))
            components.append((self.type(kind), scope.name(camel(field.name)), field))
        return components

    def _step(self, step: Step) -> str:
        match step:
            case Send(message, forward=forward):
                slots = self._messages[message].shown
                arguments = ", ".join(self._argument(step, slot) for slot in slots) if not forward else ""
                made = f"new {self.type(self.protocol.messages[message])}({arguments})"
                made = f"({self.type('Message')}) carried" if forward else made
                draft = self.drafts.get(message, "null")
                looked = draft != "null" or self.plan.counts_sent or "Fit." in made
                return f"send(() -> {made}, {draft});" if looked else f"host.send({made});"
            case Assign(name, value):
                variable = next(candidate for candidate in self.machine.variables if candidate.name == name)
                spelled = spell_assigned(variable, value, self)
                if variable.type is Type.OCTETS and reads(value):  # bytes of a frame, which are copied
                    spelled = f"Octets.wrap({spelled}.toByteArray())"
                return f"{self.variables[name]} = {spelled};"
            case Host(name):
                given = self.given(next(action for action in self.plan.actions if action.name == name))
                return f"host.{self.actions[name]}({f'({given}) carried' if given else ''});"
            case _:
                return "terminate();"

    def _argument(self, send: Send, slot: Slot) -> str:
        """A component of a sent message: filled, given, zero or empty. `Fit` checks values that may not fit."""
        value, message, field = dict(send.fields).get(slot.field.name), send.message, slot.field
        nothing = self.protocol.value_of(slot.operation, zero_of(slot.operation))
        if field.name in send.filled:
            number = [operation.name for operation in self.plan.fillable[message]].index(field.name)
            return f"{self.drafts[message]}.get({number}{f', {nothing}' if send.defaults else ''})"
        if value is None:
            return nothing
        spelled = spell(value, self)
        carried = {} if self._event.message is None else self.plan.fields(self._event.name)
        if not isinstance(slot.operation, Topic) and misfits(field, value, carried):
            place = f"{literal(message)}, {literal(field.name)}, {spelled}"
            code = "BAD_CONSTANT" if field.enumeration is not None and field.max is None else "TOO_LONG"
            if field.type is FieldType.OCTETS:
                spelled = f"Fit.octets({place}, {field.size})"
            else:
                spelled = f"Fit.number({place}, {long_literal(number_range(field)[1])}, ErrorCode.{code})"
        if slot.is_member:
            return f"{self.type(slot.type)}.of({spelled})"
        return f"Math.toIntExact({spelled})" if slot.type == "int" else spelled

    def variable(self, name: str) -> str:
        return self.variables[name]

    def parameter(self, name: str, kind: Type) -> str:
        """A field of the event's data. A negative number counts as 0."""
        event = self._event
        if event.message is not None:
            shown = self._messages[event.message].shown
            slots = [(slot.component, slot.field, slot.operation) for slot in shown]
        else:
            slots = [(title, field, parameter_of(field)) for _, title, field in self.components(event)]
        member, field, operation = next(slot for slot in slots if slot[1].name == name)
        value = f"(({self.carried(event)}) carried).{member}(){'.value()' * is_member(operation)}"
        return f"Math.max(0L, {value})" if field.signed and kind is Type.NUMBER else value

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return long_literal(min(max(value, 0), U64_MAX))
        return f"Octets.utf8({literal(value)})" if kind is Type.OCTETS else literal(value)

    def size(self, message: str) -> str:
        return f"(({self.type('Message')}) carried).encodedSize()"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind in (Type.STRING, Type.OCTETS):
            return f"{'!' if operator == '!=' else ''}{left}.equals({right})"
        if operator in ("==", "!="):
            return f"{left} {operator} {right}"
        return f"Long.compareUnsigned({left}, {right}) {operator} 0"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"Unsigned.add({left}, {right}, {long_literal(greatest)})"

    def least(self, value: str, greatest: int) -> str:
        return f"Unsigned.min({value}, {long_literal(greatest)})"
