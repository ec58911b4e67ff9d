"""A machine's module: the statements for each state and event."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...ir import Assign, Event, Host, Machine, Name, Send, Step
from ...plan.machine import ActionPlan, Case, machine_plan
from ...plan.operations import Apart, Content, Fixed, Number, Operation
from .codec import Protocol
from .expressions import Expressions
from .names import MachineNames, field_name, module_name, quoted, rust_type

__all__ = ["MachineModule"]


class MachineModule:
    """The view of a machine for templates/machine.rs.j2 and templates/mod.rs.j2."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = plan = machine_plan(machine, protocol.model)
        self.name, self.protocol = module_name(machine.name, protocol.crate), protocol
        self.names, self.path = MachineNames(plan), f"{protocol.module}::"
        borrows = any("'a" in self.payload(event) for event in plan.events)
        self.generic, self.elided = ("<'a>", "<'_>") if borrows else ("", "")
        self.message = f"{self.path}Message{protocol.elided}"
        self.received = {event.message: event.name for event in plan.received}
        durations = Expressions(self.names.variables, {}, self.path)
        self.timers = [(timer, durations.value(timer.milliseconds)) for timer in machine.timers]
        self.refuses = False
        """Whether a value may not fit its field, or a field may be unfilled. Set together with `arms`."""
        self._arguments = {action.name: self.argument(action)[0] for action in plan.actions}
        self.arms = {
            state_plan.state.name: [self._arm(case) for case in state_plan.cases]
            for state_plan in plan.states
        }

    # --- types

    def parameters(self, event: Event) -> list[tuple[str, str, Operation]]:
        """The name, type and operation of each parameter of the event's method."""
        operations = self.plan.operations(event.name) if event.name in self.names.calls else {}
        return [
            (field_name(name), rust_type(operation, self.path).kind, operation)
            for name, operation in operations.items()
        ]

    def payload(self, event: Event) -> str:
        """The type of the message or the parameters of the event; empty if it has none."""
        if event.message is not None:
            return self.path + self.protocol.by_name[event.message].typed
        borrows = any("'a" in kind for _, kind, _ in self.parameters(event))
        return self.names.calls.get(event.name, "") + ("<'a>" if borrows else "")

    def argument(self, action: ActionPlan) -> tuple[str, str]:
        """The argument's name and type: the data if all events carry the same, else `Input`; empty without any data."""
        match action.carried:
            case (None,):
                return "", ""
            case (str(event),):
                return "message", f"&{self.payload(self.plan.event(event))}".replace("'a", "'_")
            case _:
                return "input", f"&Input{self.elided}"

    # --- statements

    def _arm(self, case: Case) -> tuple[str, list[str]]:
        """The pattern of the events and the statements of their rows."""
        steps = [step for row in case.rows for step in row.steps]
        given = any(isinstance(step, Host) and self._arguments[step.name] == "message" for step in steps)
        carried = "(message)" if case.reads or given else "(_)"
        variants = [self.names.variants[event] + carried * self.plan.carries(event) for event in case.events]
        spelling = Expressions(self.names.variables, self.plan.operations(case.events[0]), self.path)
        lines: list[str] = []
        for row in case.rows:
            done = self._steps(row.steps[: row.before_at], spelling)
            if row.next is not None:
                enter = "machine::enter(self, {});" if self.timers else "self.context.state = {};"
                done.append(enter.format(f"State::{self.names.states[row.next]}"))
            done += self._steps(row.steps[row.before_at :], spelling)
            if row.guard is not None:
                done = [f"if {spelling.value(row.guard)} {{", *done, "return Ok(Verdict::Taken);", "}"]
            lines += done
        verdict = "NotTaken" if case.may_decline else "Taken"
        return " | ".join(f"Input::{variant}" for variant in variants), [*lines, f"Ok(Verdict::{verdict})"]

    def _steps(self, steps: Sequence[Step], spelling: Expressions) -> list[str]:
        lines: list[str] = []
        for step in steps:
            match step:
                case Send():
                    lines += self._send(step, spelling)
                case Assign(variable, Name(name, "variable")) if name == variable:
                    pass  # clippy reports self-assignments
                case Assign(variable, value):
                    lines.append(spelling.assignment(variable, value))
                case Host(name):
                    lines.append(self._call(self.names.actions[name], self._arguments[name]))
                case _:
                    lines.append("self.context.terminated = true;")
        return lines

    def _call(self, action: str, argument: str) -> str:
        """The call of a host action. It may fail if the machine has internal events."""
        more = f", {argument}" if argument else ""
        if self.plan.internal:
            return f"self.act(|host, context| host.{action}(context{more}))?;"
        return f"self.host.{action}(&mut self.context{more});"

    def _send(self, send: Send, spelling: Expressions) -> list[str]:
        struct, values, before = self.protocol.by_name[send.message], dict(send.fields), list[str]()
        if send.message in self.plan.fillable:
            draft = f"self.context.drafts.{self.names.drafts[send.message]}"
            taken = f"let {'mut ' * send.defaults}draft = core::mem::take(&mut {draft});"
            before.append(taken if send.filled else f"{draft} = Default::default();")
        parts = []
        for slot in struct.shown if not send.forward else ():
            operation, filled = slot.operation, f"draft.{slot.name}"
            if operation.name not in send.filled:
                spelled = spelling.field(send.message, values[operation.name], operation)
            else:
                before += [f"{filled}.get_or_insert({_zero(operation)});"] * send.defaults
                place = f"({quoted(send.message)}, {quoted(operation.name)})"
                lend = {"{}": "*{}", "&{}": "{}"}.get(slot.type.lend, slot.type.lend)
                spelled = lend.replace("{}", f"machine::filled(&{filled}, {place})?")
            parts.append(f"{slot.name}: {spelled}")
        fields = f" {{ {', '.join(parts)} }}" if parts else ""
        message = f"{self.path}Message::{struct.name}({self.path}{struct.name}{fields})"
        message = f"{self.path}Message::{struct.name}(*message)" if send.forward else message
        for text in dict.fromkeys(re.findall(r"self\.context\.(\w+)\.as_", message)):  # actions may change it
            before.append(f"let sent_{text} = self.context.{text}.clone();")
        message = re.sub(r"self\.context\.(\w+)\.as_", r"sent_\1.as_", message)
        sent = [self._call("send", "sent")]
        if self.plan.counts_sent:
            sent.insert(0, "machine::sent(self, &sent);")
        if not any("?" in part for part in parts):
            return [*before, f"let sent = {message};", *sent]
        self.refuses = True
        refused = "Err(error) => self.host.unsendable(error),"
        sent = ["match build() {", "Ok(sent) => {", *sent, "}", refused, "}"]
        return [*before, f"let build = || Ok({message});", *sent]


def _zero(operation: Operation) -> str:
    """The value (a Result) of a field that the host has not filled, in machines whose model allows that."""
    if isinstance(operation, Number | Content) and operation.enumeration is not None:
        zero = "Numbered::of_number(0)" if isinstance(operation, Number) else 'Worded::of_text("")'
        return f"list::{zero}.ok_or(crate::Code::BadConstant)"
    if isinstance(operation, Fixed):
        return f"Ok([0; {operation.size}])"
    is_msg = isinstance(operation, Apart) and operation.is_rest
    return "Ok(alloc::vec![Vec::new()])" if is_msg else "Ok(Default::default())"
