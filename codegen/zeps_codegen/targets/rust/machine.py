"""A machine's module: what its states, events and actions are called, and what each state does at each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ir import Assign, EventKind, Host, Machine, Name, Protocol, Send, Step, Transition, Type, Variable
from ...naming import Scope, pascal, snake
from ...plan.enumerations import enumeration_plans
from ...plan.machine import ActionPlan, StatePlan, machine_plan
from ...plan.operations import Operation
from ..errors import UnsupportedByTarget
from .expressions import Expressions
from .literals import octets, quoted
from .names import built, field_name, kind, message_type, module_name, structs

__all__ = ["Arm", "MachineModule"]

#: Methods that every machine has.
METHODS = frozenset({"new", "handle", "receive", "recover", "state", "terminated"})
#: Types that stand beside those of what methods are called with.
TYPES = frozenset({"State", "Event", "Input", "Context", "Host", "Machine"})
_TYPES = {Type.STRING: "alloc::string::String", Type.OCTETS: "alloc::vec::Vec<u8>", Type.BOOLEAN: "bool"}


@dataclass(slots=True)
class Arm:
    """What is done at one event, or at several that do the same."""

    patterns: list[str]
    body: list[str]


class MachineModule:
    """What templates/machine.rs.j2 and the driver ask. UnsupportedByTarget if the host is to fill in a message."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = plan = machine_plan(machine, protocol)
        self.name, self.protocol = module_name(machine.name), module_name(protocol.name)
        self.path = f"{self.protocol}::"
        self.structs = {one.plan.name: one for one in structs(protocol)}
        fields, states, variants = (
            Scope("rust", {"state", "terminated", "failed"}),
            Scope("rust"),
            Scope("rust"),
        )
        hosts = Scope("rust", {"send", "unsendable", "self", "context", "message"})
        methods, calls = Scope("rust", METHODS), Scope("rust", TYPES)
        self.variables = {one.name: (fields.name(snake(one.name)), one) for one in machine.variables}
        self.actions = {name: hosts.name(snake(name)) for name in machine.host_actions()}
        self.states = {one.name: states.name(pascal(one.name)) for one in machine.states}
        self.within = {one.name: methods.name(f"in_{snake(one.name)}") for one in machine.states}
        self.variants: dict[str, str] = {}
        self.methods: dict[str, str] = {}
        self.calls: dict[str, str] = {}
        for event in plan.events:
            is_message = event.kind is EventKind.MESSAGE
            self.variants[event.name] = variants.name(f"{'' if is_message else 'On'}{pascal(event.name)}")
            if event.message is None and event.parameters:
                self.calls[event.name] = calls.name(f"{pascal(event.name)}Call")
            if not is_message:
                self.methods[event.name] = methods.name(snake(event.name))
        borrows = any("'a" in self.payload(event.name) for event in plan.events)
        self.generic, self.elided = ("<'a>", "<'_>") if borrows else ("", "")
        self.message = self.path + message_type(self.structs.values())
        self.received = {event.message: event.name for event in plan.received}
        self.refuses = False
        """Whether a message may turn out to be one that its format cannot carry: known once there are arms."""
        self._signed = {one.enumeration.name for one in enumeration_plans(protocol) if one.is_signed}
        self._arguments = {one.name: self.argument(one)[0] for one in plan.actions}
        self.arms = {one.state.name: self._arms(one) for one in plan.states}
        self.fails = any(
            isinstance(step, Host)
            for state in plan.states
            for case in state.cases
            for row in case.rows
            for step in row.steps
        )

    @property
    def bare(self) -> dict[str, str]:
        """The events that host actions may fail with, since they carry no value; and the expression for each."""
        found = {}
        for event in self.plan.events:
            struct = self.structs.get(event.message or "")
            if not self.plan.carries(event.name):
                found[event.name] = f"Input::{self.variants[event.name]}"
            elif struct is not None and not struct.shown:
                found[event.name] = f"Input::{self.variants[event.name]}({self.path}{struct.name})"
        return found

    # --- types

    def parameters(self, event: str) -> list[tuple[str, str, Operation]]:
        """The name, type and operation of each parameter of the event's method."""
        if event not in self.calls:
            return []
        found = self.plan.operations(event).items()
        return [(field_name(name), kind(operation, self.path), operation) for name, operation in found]

    def payload(self, event: str) -> str:
        """The type of what the event carries; empty if that is nothing."""
        message = self.plan.event(event).message
        if message is not None:
            return self.path + self.structs[message].typed
        borrows = any("'a" in kind for _, kind, _ in self.parameters(event))
        return self.calls.get(event, "") + ("<'a>" if borrows else "")

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

    def _arms(self, state: StatePlan) -> list[Arm]:
        """One for each event that looks into what it carries; others that do the same have one together."""
        arms: list[Arm] = []
        for case in state.cases:
            steps = [step for row in case.rows for step in row.steps]
            uses = case.reads or any(
                isinstance(step, Host) and self._arguments[step.name] == "message" for step in steps
            )
            for event in case.events:
                carried = "message" if uses else "_"
                pattern = f"Input::{self.variants[event]}{f'({carried})' * self.plan.carries(event)}"
                body = self._body(event, case.rows)
                known = next((arm for arm in arms if not uses and arm.body == body), None)
                if known is None:
                    arms.append(Arm([pattern], body))
                else:
                    known.patterns.append(pattern)
        return arms

    def _body(self, event: str, rows: Sequence[Transition]) -> list[str]:
        """The statements for rows that are tried in order."""
        spelling = Expressions(self.variables, self.plan.operations(event), self.path, self._signed)
        found: list[str] = []
        for row in rows:
            steps: list[str] = []
            for index, step in enumerate([*row.steps, None]):
                if row.next is not None and index == min(row.before_at, len(row.steps)):
                    steps.append(f"self.context.state = State::{self.states[row.next]};")
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
                argument = self._arguments[name]
                call = (
                    f"self.host.{self.actions[name]}(&mut self.context{f', {argument}' if argument else ''});"
                )
                return [call, "self.context.failure()?;"]
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
        ok, refused = (
            f"Ok(sent) => self.host.send({wrapped}(sent)),",
            "Err(error) => self.host.unsendable(error),",
        )
        return [f"match {message} {{", ok, refused, "}"]
