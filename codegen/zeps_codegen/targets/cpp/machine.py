"""What a machine's templates print besides its plan: what guards and steps are in C++, and what events carry."""

from __future__ import annotations

from functools import cached_property

from ...ir import Assign, Event, Host, Machine, Protocol, Send, Step, Transition, Type
from ...naming import pascal, snake
from ...plan.machine import ActionPlan, Functions, Use, machine_plan, reads
from ...plan.operations import Operation
from ..describe import show_step
from ..fitting import misfits
from ..operators import spell
from .expressions import Spelled, as_field
from .kinds import value_type
from .names import MachineNames, MessageNames, class_name, member_names, namespace
from .text import literal, octets

__all__ = ["MachineView"]

VARIABLES = {
    Type.NUMBER: "std::uint64_t",
    Type.STRING: "std::string",
    Type.OCTETS: "std::vector<std::uint8_t>",
    Type.BOOLEAN: "bool",
}


class MachineView:
    """A machine, its plan and its names; `namespace` is its own, `protocol` that of its messages."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.machine, self.names = machine, MachineNames(machine)
        self.plan = machine_plan(machine, protocol)
        self.namespace, self.protocol = namespace(machine.name), namespace(protocol.name)
        role = pascal(machine.role.value)
        self.class_name, self.host = f"{role}Machine", f"{role}Host"
        self.functions = Functions(self.plan, by_event=True)
        self.messages = {name: MessageNames(layout) for name, layout in self.plan.layouts.items()}
        self.actions = {one.name: one for one in self.plan.actions}
        self.calls = [one for one in self.plan.called if one.message is None and one.parameters]
        #: What rows share: the texts of their steps, and the numbers of the functions that these are.
        self.texts = list(dict.fromkeys(tuple(map(show_step, row.steps)) for row in self.plan.rows))
        self.lists = list(map(list, dict.fromkeys(tuple(steps) for _, _, steps in self.functions.rows)))

    def payload(self, event: Event) -> str:
        """The type of what the event carries; nothing if it carries nothing."""
        if event.message is not None:
            return f"{self.protocol}::{class_name(event.message)}"
        return f"{pascal(event.name)}Call" if event.parameters else ""

    def fields(self, event: Event) -> dict[str, tuple[Operation, str]]:
        """The operations on what the event carries, by the fields' names, each with the member that holds it."""
        if event.message is not None:
            message = self.messages[event.message]
            return {one.name: (one, message.member(one)) for one in message.shown}
        operations = self.plan.operations(event.name)
        return {
            name: (operations[name], member)
            for name, member in zip(operations, member_names(event), strict=True)
        }

    def given(self, action: ActionPlan) -> str:
        """The parameter of a host action: what its events carry, if that is always the same; else the message, if there
        is one.
        """
        match action.carried:
            case (None,):
                return ""
            case (str(event),):
                return f"const {self.payload(self.plan.event(event))}& message"
            case _:
                return f"const {self.protocol}::Message* message"

    def parameters(self, event: Event) -> str:
        """The parameters of the method that raises the event."""
        if event.message is not None:
            return f"const {self.payload(event)}& message"
        given = self.fields(event).values()
        return ", ".join(f"{value_type(operation, self.protocol)} {member}" for operation, member in given)

    def steps(self, row: Transition) -> str:
        """The array of what the row's steps are called."""
        return f"steps_{self.texts.index(tuple(map(show_step, row.steps))) + 1}" if row.steps else "{}"

    def name(self, use: int) -> str:
        """What the function of a guard or a step is called."""
        match self.functions.uses[use].item:
            case Send(message):
                stem = f"send_{snake(message)}"
            case Assign(variable):
                stem = f"set_{snake(variable)}"
            case Host(name):
                stem = f"do_{snake(name)}"
            case _:
                stem = "holds" if self.functions.uses[use].is_guard else "terminate"
        return f"{stem}_{use + 1}"

    def body(self, use: Use) -> list[str]:
        """The statements of a guard or a step."""
        item, event = use.item, self.plan.event(use.events[0])
        spelled = Spelled(self.machine, self.names.variables, self.fields(event))
        lines = self._step(item, spelled) if isinstance(item, Step) else [f"return {spell(item, spelled)};"]
        is_given = isinstance(item, Host) and "&" in self.given(self.actions[item.name])
        if is_given or (reads(item) and not (isinstance(item, Send) and item.forward)):
            carried = self.payload(event)
            found = f"*std::get_if<{carried}>(carried.message)"
            found = f"*static_cast<const {carried}*>(carried.call)" if event.message is None else found
            lines.insert(0, f"const auto& message = {found};")
        return lines

    def _step(self, step: Step, spelled: Spelled) -> list[str]:
        match step:
            case Send(forward=True):
                return ["machine.host().send(*carried.message);"]
            case Send():
                return self._send(step, spelled)
            case Assign(name):
                target, value = f"machine.{self.names.variables[name]}", spelled.assigned(step)
                is_octets = VARIABLES[Type.OCTETS] == self.variable(name)
                return [f"zeps_wire::assign({target}, {value});" if is_octets else f"{target} = {value};"]
            case Host(name):
                given = self.given(self.actions[name])
                argument = "carried.message" if "*" in given else "message" if given else ""
                return [f"machine.host().{self.names.actions[name]}({argument});"]
            case _:
                return ["machine.terminate_();"]

    def _send(self, step: Send, spelled: Spelled) -> list[str]:
        message = self.messages[step.message]
        operations = {one.name: one for one in message.shown}
        lines = [f"{self.protocol}::{message.class_name} sent;"]
        for name, expression in step.fields:
            operation, value = operations[name], spell(expression, spelled)
            if misfits(message.fields[name], expression, {}):
                lines.append(f"if (!set<{message.place(name)}>(sent, {value}, machine.host())) {{ return; }}")
            else:
                lines.append(
                    f"sent.{message.member(operation)} = {as_field(value, operation, self.protocol)};"
                )
        return [*lines, "machine.host().send(sent);"]

    def variable(self, name: str) -> str:
        """The type of a variable."""
        return VARIABLES[next(one.type for one in self.machine.variables if one.name == name)]

    @cached_property
    def may_misfit(self) -> bool:
        """Whether there are values that messages may be unable to hold."""
        return any("!set<" in line for use in self.functions.uses for line in self.body(use))

    @staticmethod
    def initial(value: int | str | bool, kind: Type) -> str:
        """What a variable is initialised with."""
        match kind:
            case Type.NUMBER:
                return literal(int(value))
            case Type.BOOLEAN:
                return "true" if value else "false"
            case Type.STRING:
                return literal(str(value)) if value else ""
            case Type.OCTETS:
                return octets(value) if isinstance(value, str) else ""
