"""A machine's module: what its states, events and actions are called, and what each state does at each event."""

from __future__ import annotations

from ...ir import Assign, Host, Machine, Name, Send, Step, Type, Variable
from ...plan.machine import ActionPlan, Case, machine_plan
from ...plan.operations import Operation
from ..errors import UnsupportedByTarget
from .codec import Protocol
from .expressions import Expressions
from .names import MachineNames, built, field_name, kind, module_name, octets, quoted

__all__ = ["MachineModule"]

_TYPES = {Type.STRING: "String", Type.OCTETS: "Vec<u8>", Type.BOOLEAN: "bool"}


class MachineModule:
    """What templates/machine.rs.j2 and the driver ask. UnsupportedByTarget if the host is to fill in a message."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = plan = machine_plan(machine, protocol.model)
        self.name, self.protocol, self.path = module_name(machine.name), protocol, f"{protocol.module}::"
        self.names = MachineNames(plan)
        borrows = any("'a" in self.payload(event.name) for event in plan.events)
        self.generic, self.elided = ("<'a>", "<'_>") if borrows else ("", "")
        self.message = f"{self.path}Message{protocol.elided}"
        self.received = {event.message: event.name for event in plan.received}
        self.refuses = False
        """Whether a message may turn out to be one that its format cannot carry: known once there are arms."""
        self._arguments = {one.name: self.argument(one)[0] for one in plan.actions}
        self.arms = {one.state.name: [self._arm(case) for case in one.cases] for one in plan.states}

    @property
    def bare(self) -> dict[str, str]:
        """The events that host actions may fail with, since they carry no value; and the expression for each."""
        found = {}
        for event in self.plan.events:
            struct = self.protocol.by_name.get(event.message or "")
            if not self.plan.carries(event.name):
                found[event.name] = f"Input::{self.names.variants[event.name]}"
            elif struct is not None and not struct.shown:
                found[event.name] = f"Input::{self.names.variants[event.name]}({self.path}{struct.name})"
        return found

    # --- types

    def parameters(self, event: str) -> list[tuple[str, str, Operation]]:
        """The name, type and operation of each parameter of the event's method."""
        if event not in self.names.calls:
            return []
        found = self.plan.operations(event).items()
        return [(field_name(name), kind(operation, self.path), operation) for name, operation in found]

    def payload(self, event: str) -> str:
        """The type of what the event carries; empty if that is nothing."""
        message = self.plan.event(event).message
        if message is not None:
            return self.path + self.protocol.by_name[message].typed
        borrows = any("'a" in kind for _, kind, _ in self.parameters(event))
        return self.names.calls.get(event, "") + ("<'a>" if borrows else "")

    def argument(self, action: ActionPlan) -> tuple[str, str]:
        """Name and type of what the action gets beside the context; empty if no event carries anything."""
        match action.carried:
            case (None,):
                return "", ""
            case (str(event),):
                return "message", f"&{self.payload(event)}".replace("'a", "'_")
            case _:
                return "input", f"&Input{self.elided}"

    def variable(self, variable: Variable) -> tuple[str, str]:
        """The variable's type and what it begins with."""
        match variable.value:
            case bool() as value:
                spelled = str(value).lower()
            case str() as value if variable.type is Type.OCTETS:
                spelled = f"{octets(value.encode())}.to_vec()" if value else "Vec::new()"
            case str() as value:
                text = f"String::from({quoted(value)})"
                spelled = text if value else "String::new()"
            case value:
                spelled = str(value)
        return _TYPES.get(variable.type, f"u{8 * variable.size}"), spelled

    # --- what is done

    def _arm(self, case: Case) -> tuple[str, list[str]]:
        """The pattern of the events, and the statements for rows that are tried in order."""
        steps = [step for row in case.rows for step in row.steps]
        given = any(isinstance(step, Host) and self._arguments[step.name] == "message" for step in steps)
        carried = "(message)" if case.reads or given else "(_)"
        variants = [self.names.variants[one] + carried * self.plan.carries(one) for one in case.events]
        spelling = Expressions(self.names.variables, self.plan.operations(case.events[0]), self.path)
        found: list[str] = []
        for row in case.rows:
            done = [line for step in row.steps[: row.before_at] for line in self._step(step, spelling)]
            if row.next is not None:
                done.append(f"self.context.state = State::{self.names.states[row.next]};")
            done += [line for step in row.steps[row.before_at :] for line in self._step(step, spelling)]
            if row.guard is not None:
                done = [f"if {spelling.guard(row.guard)} {{", *done, "return Ok(Verdict::Taken);", "}"]
            found += done
        verdict = "NotTaken" if case.may_decline else "Taken"
        return " | ".join(f"Input::{one}" for one in variants), [*found, f"Ok(Verdict::{verdict})"]

    def _step(self, step: Step, spelling: Expressions) -> list[str]:
        match step:
            case Send(message, forward=True):
                sent = f"{self.path}Message::{self.protocol.by_name[message].name}(*message)"
                return [f"self.host.send({sent});"]
            case Send():
                return self._send(step, spelling)
            case Assign(variable, Name(name, "variable")) if name == variable:
                return []  # Rust takes that for a slip
            case Assign(variable, value):
                return [spelling.assignment(variable, value)]
            case Host(name):
                arguments = ", ".join(filter(None, ("&mut self.context", self._arguments[name])))
                return [
                    f"self.host.{self.names.actions[name]}({arguments});",
                    "machine::done(&mut self.context.failed)?;",
                ]
            case _:
                return ["self.context.terminated = true;"]

    def _send(self, send: Send, spelling: Expressions) -> list[str]:
        struct, values, parts = self.protocol.by_name[send.message], dict(send.fields), []
        for slot in struct.shown:
            field = slot.operation.name
            if field not in values:
                raise UnsupportedByTarget("rust", send.message, field, "the host would have to fill it in")
            parts.append((slot.name, spelling.field(send.message, values[field], slot.operation)))
        message = f"{self.path}Message::{struct.name}({built(self.path + struct.name, parts)})"
        if not any(value.endswith("?") for _, value in parts):
            return [f"self.host.send({message});"]
        self.refuses = True
        return [
            f"let build = || Ok({message});",
            "match build() {",
            "Ok(message) => self.host.send(message),",
            "Err(error) => self.host.unsendable(error),",
            "}",
        ]
