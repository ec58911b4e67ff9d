"""A machine's module: what its states, events and actions are called, and what each state does at each event."""

from __future__ import annotations

from ...ir import Assign, Host, Machine, Name, Protocol, Send, Step, Type, Variable
from ...naming import Scope
from ...plan.enumerations import enumeration_plans
from ...plan.machine import ActionPlan, Case, StatePlan, machine_plan
from ...plan.operations import Operation
from ..errors import UnsupportedByTarget
from .expressions import Expressions
from .literals import octets, quoted
from .names import MachineNames, built, field_name, kind, message_type, module_name, structs

__all__ = ["MachineModule"]

_TYPES = {Type.STRING: "alloc::string::String", Type.OCTETS: "alloc::vec::Vec<u8>", Type.BOOLEAN: "bool"}


class MachineModule:
    """What templates/machine.rs.j2 and the driver ask. UnsupportedByTarget if the host is to fill in a message."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = plan = machine_plan(machine, protocol)
        self.name, self.protocol = module_name(machine.name), module_name(protocol.name)
        self.path = f"{self.protocol}::"
        self.structs = {one.plan.name: one for one in structs(protocol)}
        self.names = MachineNames(plan)
        borrows = any("'a" in self.payload(event.name) for event in plan.events)
        self.generic, self.elided = ("<'a>", "<'_>") if borrows else ("", "")
        self.message = self.path + message_type(self.structs.values())
        self.received = {event.message: event.name for event in plan.received}
        self.refuses = self.fails = False
        """Whether a message may turn out to be one that its format cannot carry, and whether there are actions that may
        fail: known once there are arms.
        """
        self._signed = {one.enumeration.name for one in enumeration_plans(protocol) if one.is_signed}
        self._arguments = {one.name: self.argument(one)[0] for one in plan.actions}
        self.arms = {one.state.name: self._arms(one) for one in plan.states}

    @property
    def bare(self) -> dict[str, str]:
        """The events that host actions may fail with, since they carry no value; and the expression for each."""
        found = {}
        for event in self.plan.events:
            struct = self.structs.get(event.message or "")
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
            return self.path + self.structs[message].typed
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
                spelled = f"{octets(value.encode())}.to_vec()" if value else "alloc::vec::Vec::new()"
            case str() as value:
                text = f"alloc::string::String::from({quoted(value)})"
                spelled = text if value else "alloc::string::String::new()"
            case value:
                spelled = str(value)
        return _TYPES.get(variable.type, f"u{8 * variable.size}"), spelled

    # --- what is done

    def _arms(self, state: StatePlan) -> list[tuple[list[str], list[str]]]:
        """Patterns and statements: an arm for each event whose message is used; others with the same body share one."""
        arms: dict[object, tuple[list[str], list[str]]] = {}
        for case in state.cases:
            body = self._body(case)
            steps = [step for row in case.rows for step in row.steps]
            given = any(isinstance(step, Host) and self._arguments[step.name] == "message" for step in steps)
            is_used = case.reads or given
            for event in case.events:
                carried = ("(message)" if is_used else "(_)") * self.plan.carries(event)
                patterns, _ = arms.setdefault(event if is_used else tuple(body), ([], body))
                patterns.append(f"Input::{self.names.variants[event]}{carried}")
        return list(arms.values())

    def _body(self, case: Case) -> list[str]:
        """The statements for rows that are tried in order."""
        fields = self.plan.operations(case.events[0])
        spelling = Expressions(self.names.variables, fields, self.path, self._signed)
        found: list[str] = []
        for row in case.rows:
            steps: list[str] = []
            for index, step in enumerate([*row.steps, None]):
                if row.next is not None and index == min(row.before_at, len(row.steps)):
                    steps.append(f"self.context.state = State::{self.names.states[row.next]};")
                if step is not None:
                    steps += self._step(step, spelling)
            if row.guard is None:
                return [*found, *steps, "Ok(Verdict::Taken)"]
            found += [f"if {spelling.guard(row.guard)} {{", *steps, "return Ok(Verdict::Taken);", "}"]
        return [*found, "Ok(Verdict::NotTaken)"]

    def _step(self, step: Step, spelling: Expressions) -> list[str]:
        match step:
            case Send():
                return self._send(step, spelling)
            case Assign(variable, Name(name, "variable")) if name == variable:
                return []  # Rust takes that for a slip
            case Assign(variable, value):
                return [spelling.assignment(variable, value)]
            case Host(name):
                self.fails = True
                arguments = ", ".join(filter(None, ("&mut self.context", self._arguments[name])))
                return [f"self.host.{self.names.actions[name]}({arguments});", "self.context.failure()?;"]
            case _:
                return ["self.context.terminated = true;"]

    def _send(self, send: Send, spelling: Expressions) -> list[str]:
        struct = self.structs[send.message]
        wrapped = f"{self.path}Message::{struct.name}"
        if send.forward:
            return [f"self.host.send({wrapped}(*message));"]
        values, parts = dict(send.fields), []
        results: list[tuple[str, str, str]] = []  # local, Result and error of what may not fit
        locals_ = Scope("rust", {"message"})  # which the values that follow may look at
        for slot in struct.shown:
            field = slot.operation.name
            if field not in values:
                raise UnsupportedByTarget("rust", send.message, field, "the host would have to fill it in")
            spelled, may_fail = spelling.field(values[field], slot.operation)
            if may_fail:
                local = locals_.name(str(slot.name))
                error = f"EncodeError::new(code, {quoted(send.message)}, {quoted(field)})"
                results.append((local, spelled, error))
                spelled = local
            parts.append(str(slot.name) if spelled == slot.name else f"{slot.name}: {spelled}")
        message = built(self.path + struct.name, parts)
        if not results:
            return [f"self.host.send({wrapped}({message}));"]
        self.refuses = True
        method = "map"  # the innermost one, the others have a Result inside
        for local, result, error in reversed(results):
            message = f"({result}).map_err(|code: Code| {error}).{method}(|{local}| {message})"
            method = "and_then"
        sent = f"Ok(sent) => self.host.send({wrapped}(sent)),"
        return [f"match {message} {{", sent, "Err(error) => self.host.unsendable(error),", "}"]
