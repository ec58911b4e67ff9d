"""The variables of a machine's templates: its plan, its guards and steps in C++, and the types of events' data."""

from __future__ import annotations

from functools import cached_property

from ...ir import Assign, Event, Host, Machine, Protocol, Send, Step, Timer, Transition
from ...naming import pascal, snake
from ...plan.machine import ActionPlan, Functions, Use, machine_plan, reads
from ...plan.operations import Operation
from ..describe import show_step
from ..fitting import misfits
from ..operators import spell
from .expressions import Spelled
from .kinds import as_field, value_type
from .names import MachineNames, MessageNames, class_name, member_names, namespace

__all__ = ["MachineView"]


class MachineView:
    """A machine, its plan and its names; `protocol` is the namespace of its messages, `outer` that of the package."""

    def __init__(self, machine: Machine, protocol: Protocol, outer: str) -> None:
        self.machine, self.plan = machine, machine_plan(machine, protocol)
        self.names = MachineNames(self.plan)
        self.namespace, self.protocol = (namespace(model.name, outer) for model in (machine, protocol))
        role = pascal(machine.role.value)
        self.class_name, self.host = f"{role}Machine", f"{role}Host"
        self.functions = Functions(self.plan, by_event=True)
        self.messages = {name: MessageNames(layout) for name, layout in self.plan.layouts.items()}
        self.actions = {action.name: action for action in self.plan.actions}
        self.calls = [event for event in self.plan.called if event.message is None and event.parameters]
        #: Shared by all rows: the texts of their steps, and the numbers of the steps' functions.
        self.texts = list(dict.fromkeys(tuple(map(show_step, row.steps)) for row in self.plan.rows))
        self.lists = list(map(list, dict.fromkeys(tuple(steps) for _, _, steps in self.functions.rows)))

    def payload(self, event: Event) -> str:
        """The type of the event's data; empty if it carries no data."""
        if event.message is not None:
            return f"{self.protocol}::{class_name(event.message)}"
        return f"{pascal(event.name)}Call" if event.parameters else ""

    def fields(self, event: Event) -> dict[str, tuple[Operation, str]]:
        """The operations on the event's data, each with its C++ member, by the model's names of the fields."""
        if event.message is not None:
            message = self.messages[event.message]
            return {operation.name: (operation, message.member(operation)) for operation in message.shown}
        operations = self.plan.operations(event.name)
        pairs = zip(operations.values(), member_names(event), strict=True)
        return dict(zip(operations, pairs, strict=True))

    def given(self, action: ActionPlan) -> str:
        """The parameter of a host action: the event's data, if all events that call it carry the same message or are
        one event; else a pointer to the event's message, null without one. Empty if no event carries data.
        """
        match action.carried:
            case (None,):
                return ""
            case (str(event),):
                return f"const {self.payload(self.plan.event(event))}& message"
            case _:
                return f"const {self.protocol}::Message* message"

    def arguments(self, event: Event) -> list[str]:
        """The parameters' names for the method that raises the event, with an underscore if a variable has the name."""
        variables = self.names.variables.values()
        return [f"{name}_" if name in variables else name for name in member_names(event)]

    def parameters(self, event: Event) -> str:
        """The declarations of the parameters of the method that raises the event, separated by commas."""
        if event.message is not None:
            return f"const {self.payload(event)}& message"
        pairs = zip(self.fields(event).values(), self.arguments(event), strict=True)
        return ", ".join(f"{value_type(operation, self.protocol)} {name}" for (operation, _), name in pairs)

    def steps(self, row: Transition) -> str:
        """The name of the array of the texts of a row's steps; ``{}`` without steps."""
        return f"steps_{self.texts.index(tuple(map(show_step, row.steps))) + 1}" if row.steps else "{}"

    def milliseconds(self, timer: Timer) -> str:
        """The duration of a timer."""
        return spell(timer.milliseconds, Spelled(self.machine, self.names.variables, {}))

    def name(self, use: int) -> str:
        """The name of the function of a guard or a step; `use` is its index in `functions.uses`."""
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
            lines.insert(0, f"const auto& message = carried.as<{self.payload(event)}>();")
        return lines

    def _step(self, step: Step, spelled: Spelled) -> list[str]:
        match step:
            case Send():
                return self._send(step, spelled)
            case Assign(name):
                return [f"machine.{self.names.variables[name]} = {spelled.assigned(step)};"]
            case Host(name):
                given = self.given(self.actions[name])
                argument = "carried.message" if "*" in given else "message" if given else ""
                return [f"machine.host().{self.names.actions[name]}({argument});"]
            case _:
                return ["machine.terminate_();"]

    def _send(self, step: Send, spelled: Spelled) -> list[str]:
        """The statements that send a message or report an unfilled or unfit field, and clear the filled fields."""
        message, given = self.messages[step.message], dict(step.fields)
        draft = self.names.drafts.get(step.message)
        lines = [f"{'const auto draft = ' if step.filled else ''}machine.{draft}.take();"] if draft else []
        if step.forward:
            return [*lines, "machine.send_(*carried.message);"]
        lines.append(f"{self.protocol}::{message.class_name} sent;")
        checks = []
        for place, operation in enumerate(message.operations):
            if operation.name in step.filled:
                given_by = "copy_or_zero<{}>(sent)" if step.defaults else "copy<{}>(sent, machine.host())"
                checks.append(f"draft.{given_by.format(place)}")
            elif operation.name in given and operation in message.shown:
                expression = given[operation.name]
                value = spell(expression, spelled)
                if misfits(message.fields[operation.name], expression, {}):
                    checks.append(f"set<{place}>(sent, {value}, machine.host())")
                else:
                    target = f"sent.{message.member(operation)}"
                    lines.append(f"{target} = {as_field(value, operation, self.protocol)};")
        send = "machine.send_(sent);"
        return [*lines, f"if ({' && '.join(checks)}) {{ {send} }}" if checks else send]

    @cached_property
    def may_misfit(self) -> bool:
        """Whether a send may fail, because of an unfilled field or an unfit value; the host gets the error then."""
        return any(
            "(sent, machine.host())" in line or "set<" in line
            for use in self.functions.uses
            for line in self.body(use)
        )
