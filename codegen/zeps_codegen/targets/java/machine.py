"""The code of one machine: its names, and the spelling of its guards and steps over its variables and `carried`."""

from __future__ import annotations

from ...ir import Assign, Event, EventKind, Expression, Field, FieldType, Host, Send, Step, Type
from ...naming import Scope, camel, pascal, screaming
from ...plan.build import parameter_of
from ...plan.layout import number_range
from ...plan.machine import ActionPlan, Functions, MachinePlan, reads
from ...plan.operations import Topic
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .message import Message, Slot
from .names import OBJECT, ProtocolNames, is_member, literal, long_literal, unsigned

__all__ = ["TYPES", "MachineCode"]

#: The types of variables.
TYPES = {Type.NUMBER: "long", Type.STRING: "String", Type.OCTETS: "Octets", Type.BOOLEAN: "boolean"}
#: What a machine's methods may not be called: those of every machine and of every object.
_MEMBERS = {*OBJECT, "accept", "fail", "holds", "isTerminated", "raise", "receive", "send", "state", "step"}
_MEMBERS |= {"terminate"}
_NEVER = {"==": "", "!=": "!"}


class MachineCode(CLike):
    """What the templates of a machine's package print, and a :class:`..operators.Spelling`."""

    def __init__(self, package: str, plan: MachinePlan, protocol: ProtocolNames, messages: list[Message]):
        self.package, self.plan, self.machine, self.protocol = package, plan, plan.machine, protocol
        self._messages = {one.plan.name: one for one in messages}
        role = pascal(self.machine.role.value)
        scope = Scope("java", {"State", "Event", "Machine", "Object", "String", "Table", "Row", "Override"})
        self.main, self.host = scope.name(f"{role}Machine"), scope.name(f"{role}Host")
        with_parameters = [event.name for event in self.machine.events if event.parameters]
        self.calls = {name: scope.name(f"{pascal(name)}Call") for name in with_parameters}
        self._own = {"State", "Event", self.main, self.host, *self.calls.values()}
        states, events, actions = Scope("java"), Scope("java"), Scope("java", OBJECT | {"send", "unsendable"})
        self.states = {one.name: states.name(screaming(one.name)) for one in self.machine.states}
        self.events = {one.name: events.name(_member(one)) for one in self.machine.events}
        self.actions = {one.name: actions.name(camel(one.name)) for one in plan.actions}
        fields, accessors = Scope("java", {"host", "carried"}), Scope("java", _MEMBERS)
        self.variables = {one.name: fields.name(camel(one.name)) for one in self.machine.variables}
        self.getters, self.setters = {}, {}
        for one in self.machine.variables:
            verb = "is" if one.type is Type.BOOLEAN else "get"
            self.getters[one.name] = accessors.name(f"{verb}{pascal(one.name)}")
            self.setters[one.name] = accessors.name(f"set{pascal(one.name)}")
        methods = Scope("java", {*_MEMBERS, *self.getters.values(), *self.setters.values()})
        self.methods = {one.name: methods.name(camel(one.name)) for one in plan.called}
        functions = Functions(plan, by_event=True)
        self.rows = functions.rows
        self.guards, self.steps = {}, {}
        for number, use in enumerate(functions.uses):
            self._event = plan.event(use.events[0])  # whose rows are spelled
            if isinstance(use.item, Step):
                self.steps[number] = self._step(use.item)
            else:
                self.guards[number] = spell(use.item, self)
        self.refuses = any(step.startswith("send(") for step in self.steps.values())

    @property
    def imports(self) -> list[str]:
        """The classes of the protocol that none of the package's own hides."""
        names = {"Message", *self.protocol.messages.values(), *self.protocol.enumerations.values()}
        return [f"{self.protocol.package}.{name}" for name in sorted(names - self._own)]

    def type(self, name: str) -> str:
        """A class of the protocol as this package has to call it."""
        return f"{self.protocol.package}.{name}" if name in self._own else name

    def carried(self, event: Event) -> str:
        """The type of what an event carries."""
        if event.message is None:
            return self.calls.get(event.name, "Object")
        return self.type(self.protocol.messages[event.message])

    def given(self, action: ActionPlan) -> str:
        """The type of all that an action may be given; empty if that is nothing."""
        events = [self.plan.event(name) for name in action.carried if name is not None]
        if len(events) == 1:
            return self.carried(events[0])
        if any(event.parameters for event in events):
            return "Object"
        return self.type("Message") if events else ""

    def components(self, event: Event) -> list[tuple[str, str, Field]]:
        """Type and name of each parameter of a method; its call's record has them as well."""
        scope, found = Scope("java", OBJECT), []
        for field in event.parameters:
            kind = self.protocol.type_of(parameter_of(field))
            found.append((self.type(kind), scope.name(camel(field.name)), field))
        return found

    def _step(self, step: Step) -> str:
        match step:
            case Send(forward=True):
                return f"host.send(({self.type('Message')}) carried);"
            case Send(message, fields):
                slots, values = self._messages[message].shown, dict(fields)
                arguments = [self._argument(message, one, values.get(one.field.name)) for one in slots]
                made = f"new {self.type(self.protocol.messages[message])}({', '.join(arguments)})"
                return f"send(() -> {made});" if "Fit." in made else f"host.send({made});"
            case Assign(name, value):
                variable = next(one for one in self.machine.variables if one.name == name)
                spelled = spell_assigned(variable, value, self)
                if variable.type is Type.OCTETS and reads(value):  # which are of a frame
                    spelled = f"Octets.wrap({spelled}.toByteArray())"
                return f"{self.variables[name]} = {spelled};"
            case Host(name):
                given = self.given(next(one for one in self.plan.actions if one.name == name))
                return f"host.{self.actions[name]}({f'({given}) carried' if given else ''});"
            case _:
                return "terminate();"

    def _argument(self, message: str, slot: Slot, value: Expression | None) -> str:
        """The value of a component. What the field may be unable to hold is looked at when the message is made."""
        if value is None:
            nothing = {"int": "0", "long": "0", "String": '""', "Octets": "Octets.EMPTY"}
            return "null" if slot.is_member else nothing.get(slot.type, "List.of()")
        spelled, field = spell(value, self), slot.field
        carried = self.plan.fields(self._event.name) if self._event.message is not None else {}
        if not isinstance(slot.operation, Topic) and misfits(field, value, carried):
            place = f"{literal(message)}, {literal(field.name)}, {spelled}"
            code = "BAD_CONSTANT" if field.enumeration is not None and field.max is None else "TOO_LONG"
            if field.type is FieldType.OCTETS:
                spelled = f"Fit.octets({place}, {field.size})"
            else:
                spelled = f"Fit.number({place}, {unsigned(number_range(field)[1])}, ErrorCode.{code})"
        if slot.is_member:
            return f"{self.type(slot.type)}.of({spelled})"
        return f"Math.toIntExact({spelled})" if slot.type == "int" else spelled

    def variable(self, name: str) -> str:
        return self.variables[name]

    def parameter(self, name: str, kind: Type) -> str:
        """A field of what the event carries. A negative number counts as 0."""
        if self._event.message is not None:
            member = self._messages[self._event.message].slots[name].component
        else:
            member = next(title for _, title, field in self.components(self._event) if field.name == name)
        value = f"(({self.carried(self._event)}) carried).{member}()"
        value += ".value()" if is_member(self.plan.operations(self._event.name)[name]) else ""
        signed = self.plan.fields(self._event.name)[name].signed and kind is Type.NUMBER
        return f"Math.max(0L, {value})" if signed else value

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
            return f"{_NEVER[operator]}{left}.equals({right})"
        if operator in _NEVER:
            return f"{left} {operator} {right}"
        return f"Long.compareUnsigned({left}, {right}) {operator} 0"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"Unsigned.add({left}, {right}, {long_literal(greatest)})"

    def subtract(self, left: str, right: str) -> str:
        return f"Unsigned.subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"Unsigned.min({value}, {long_literal(greatest)})"


def _member(event: Event) -> str:
    """The event's name in the enumeration: a message's own, ``ON_…`` for the host's and the application's."""
    return f"{'' if event.kind is EventKind.MESSAGE else 'ON_'}{screaming(event.name)}"
