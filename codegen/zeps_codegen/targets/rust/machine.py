"""The view of a machine's module: states, events, the host's trait, and what each state does at each event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import (
    Assign,
    Event,
    EventKind,
    Field,
    Host,
    Machine,
    Name,
    Protocol,
    Send,
    State,
    Step,
    Transition,
    Type,
)
from ...naming import Scope, pascal, snake
from ..describe import show, show_step
from ..errors import UnsupportedByTarget
from ..operators import uses_message
from .docs import lines, sentence
from .expressions import Expressions
from .lines import Lines, octets, quoted
from .names import module_name
from .plan import MessagePlan, Names, field_name, normal, plan_messages

__all__ = ["EventView", "HostAction", "MachineView", "VariableView", "view_machine"]

#: Methods that every machine has.
METHODS = frozenset({"new", "handle", "receive", "recover", "state", "terminated"})
_TYPES = {Type.STRING: "alloc::string::String", Type.OCTETS: "alloc::vec::Vec<u8>", Type.BOOLEAN: "bool"}


@dataclass(frozen=True, slots=True)
class FieldView:
    name: str
    kind: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EventView:
    """`payload` is what its input carries; `call` the struct of a method's parameters."""

    name: str  # the model's
    variant: str
    doc: list[str]
    kind: EventKind
    payload: str | None
    message: str | None  # the struct of the message it carries
    call: str | None
    parameters: list[FieldView]
    method: str | None
    bare: bool  # whether a host action may fail with it
    empty: bool  # whether its payload has no fields

    @property
    def elided(self) -> str:
        return (self.payload or "").replace("'a", "'_")


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    model_name: str
    kind: str
    value: str
    doc: list[str]
    type: Type


@dataclass(frozen=True, slots=True)
class HostAction:
    """`parameter` is the type of what it gets as its `argument`; None if no event carries anything."""

    name: str
    model_name: str
    parameter: str | None
    argument: str
    path: str  # the parameter's type, as it is called outside the module
    doc: list[str]


@dataclass(frozen=True, slots=True)
class ArmView:
    """What is done at one event, or at several that do the same."""

    pattern: str
    body: list[str]


@dataclass(frozen=True, slots=True)
class StateView:
    name: str  # the model's
    variant: str
    doc: list[str]
    method: str | None
    arms: list[ArmView]
    whole: bool  # whether every event has an arm


@dataclass(frozen=True, slots=True)
class MachineView:
    module: str
    protocol: str
    protocol_name: str
    name: str
    doc: list[str]
    states: list[StateView]
    events: list[EventView]
    variables: list[VariableView]
    actions: list[HostAction]
    rows: list[str]
    initial: str
    generic: str
    elided: str
    message: str  # the protocol's message type, with its lifetime
    fails: bool  # whether a host action may fail
    refuses: bool  # whether a message may turn out to be one that its format cannot carry
    receives: list[tuple[str, str | None]]  # each message of the protocol, and the variant of its event


def view_machine(machine: Machine, protocol: Protocol) -> MachineView:
    """What templates/machine.rs.j2 prints. UnsupportedByTarget if the host is to fill in a message."""
    return _View(machine, protocol).view()


class _View:
    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.machine, self.protocol = machine, protocol
        self.module = module_name(protocol.name)
        self.names = Names(protocol.enumerations, self.module)
        self.plans = {plan.name: plan for plan in plan_messages(protocol)}
        scope = Scope("rust", {"state", "terminated", "failed"})
        self.variables = {one.name: (scope.name(snake(one.name)), one) for one in machine.variables}
        hosts = Scope("rust", {"send", "unsendable", "self", "context", "message"})
        self.actions = {name: hosts.name(snake(name)) for name in machine.host_actions()}
        states = Scope("rust")
        self.states = {one.name: states.name(pascal(one.name)) for one in machine.states}
        self._methods = Scope("rust", METHODS)
        self.within = {one.name: self._methods.name(f"in_{snake(one.name)}") for one in machine.states}
        self.events = self._events()
        borrows = any("'a" in (event.payload or "") for event in self.events.values())
        self.elided = "<'_>" if borrows else ""
        self.refuses = False

    def view(self) -> MachineView:
        events = list(self.events.values())
        actions = [self._action(name) for name in self.actions]
        states = [
            self._state(one, {action.model_name: action for action in actions}) for one in self.machine.states
        ]
        any_borrows = any(plan.borrows for plan in self.plans.values())
        received = {
            e.message: self.events[e.name] for e in self.machine.events if e.kind is EventKind.MESSAGE
        }
        return MachineView(
            module_name(self.machine.name),
            self.module,
            self.protocol.name,
            self.machine.name,
            lines(sentence(self.machine.title), self.machine.doc),
            states,
            events,
            self._variables(),
            actions,
            [self._row(one) for one in self.machine.transitions],
            self.states[self.machine.initial],
            self.elided.replace("'_", "'a"),
            self.elided,
            self.module + ("::Message<'_>" if any_borrows else "::Message"),
            any("failure()?" in line for state in states for arm in state.arms for line in arm.body),
            self.refuses,
            [
                (plan.class_name, received[plan.name].variant if plan.name in received else None)
                for plan in self.plans.values()
            ],
        )

    # --- events

    def _events(self) -> dict[str, EventView]:
        variants, calls = (
            Scope("rust"),
            Scope("rust", {"State", "Event", "Input", "Context", "Host", "Machine"}),
        )
        found = {}
        for event in self.machine.events:
            if event.message is not None and event.message not in self.plans:
                continue  # of another version
            name = pascal(event.name) if event.kind is EventKind.MESSAGE else f"On{pascal(event.name)}"
            found[event.name] = self._event(event, variants.name(name), calls)
        return found

    def _event(self, event: Event, variant: str, calls: Scope) -> EventView:
        plan = self.plans.get(event.message or "")
        payload = call = None
        parameters: list[FieldView] = []
        if plan is not None:
            payload = f"{self.module}::{plan.typed()}"
        elif event.parameters:
            parameters = [self._parameter(field) for field in event.parameters]
            call = calls.name(f"{pascal(event.name)}Call")
            payload = f"{call}<'a>" if any("'a" in one.kind for one in parameters) else call
        received = event.kind is EventKind.MESSAGE
        return EventView(
            event.name,
            variant,
            lines(sentence(event.doc), default=f"{event.name}."),
            event.kind,
            payload,
            None if plan is None else plan.class_name,
            call,
            parameters,
            None if received else self._methods.name(snake(event.name)),
            payload is None,
            plan is not None and not plan.shown,
        )

    def _parameter(self, field: Field) -> FieldView:
        doc = lines(sentence(field.doc) or f"The parameter `{field.name}`.")
        return FieldView(field_name(field.name), self.names.kind(normal(field)), doc)

    def _fields(self, event: str) -> Mapping[str, Field]:
        """The fields of the event's message or method."""
        found = next(one for one in self.machine.events if one.name == event)
        if found.message is not None:
            return {slot.field.name: slot.field for slot in self.plans[found.message].slots}
        return {field.name: normal(field) for field in found.parameters}

    # --- what the host offers

    def _action(self, name: str) -> HostAction:
        events: dict[str, None] = {}
        raises: list[str] = []
        for transition in self.machine.transitions:
            for step in transition.steps:
                if isinstance(step, Host) and step.name == name:
                    events[transition.event] = None
                    raises += step.raises
        payloads = {self.events[event].payload for event in events if event in self.events}
        if payloads == {None}:
            parameter, argument = None, ""
        elif len(payloads) == 1:
            parameter, argument = f"&{payloads.pop()}".replace("'a", "'_"), "message"
        else:
            parameter, argument = f"&Input{self.elided}", "input"
        doc = lines(
            f"The action `{name}`.",
            f"May fail with {', '.join(f'`{one}`' for one in dict.fromkeys(raises))}." if raises else "",
        )
        here = not (parameter or "").startswith(f"&{self.module}::")
        path = (
            (parameter or "").replace("&", f"&{module_name(self.machine.name)}::", 1)
            if here
            else str(parameter)
        )
        return HostAction(self.actions[name], name, parameter, argument, path, doc)

    def _variables(self) -> list[VariableView]:
        found = []
        for name, one in self.variables.values():
            kind = _TYPES.get(one.type, f"u{8 * one.size}")
            match one.value:
                case bool():
                    value = str(one.value).lower()
                case str() if one.type is Type.OCTETS:
                    value = (
                        f"{octets(one.value.encode())}.to_vec()" if one.value else "alloc::vec::Vec::new()"
                    )
                case str():
                    text = f"alloc::string::String::from({quoted(one.value)})"
                    value = text if one.value else "alloc::string::String::new()"
                case _:
                    value = str(one.value)
            doc = lines(sentence(one.doc), default=f"The variable `{one.name}`.")
            found.append(VariableView(name, one.name, kind, value, doc, one.type))
        return found

    # --- what is done

    def _state(self, state: State, actions: Mapping[str, HostAction]) -> StateView:
        rows: dict[str, list[Transition]] = {}
        for transition in self.machine.transitions:
            if transition.state == state.name and transition.event in self.events:
                rows.setdefault(transition.event, []).append(transition)
        arms: list[ArmView] = []
        alike: dict[tuple[str, ...], int] = {}
        for event, alternatives in rows.items():
            body, uses = self._body(event, alternatives, actions)
            pattern = self._pattern(self.events[event], uses)
            known = alike.get(tuple(body))
            if uses or known is None:
                alike.setdefault(tuple(body), len(arms))
                arms.append(ArmView(pattern, body))
            else:
                arms[known] = ArmView(f"{arms[known].pattern} | {pattern}", body)
        return StateView(
            state.name,
            self.states[state.name],
            lines(sentence(state.doc), default=f"{state.name}."),
            self.within[state.name] if arms else None,
            arms,
            len(rows) == len(self.events),
        )

    def _pattern(self, event: EventView, uses: bool) -> str:
        if event.payload is None:
            return f"Input::{event.variant}"
        return f"Input::{event.variant}({'message' if uses else '_'})"

    def _body(
        self, event: str, rows: list[Transition], actions: Mapping[str, HostAction]
    ) -> tuple[list[str], bool]:
        """The statements for rows that are tried in order, and whether they use the event's message."""
        spelling = Expressions(self.variables, self._fields(event), self.names)
        out = Lines()
        uses = False
        for row in rows:
            steps, used = self._steps(row, spelling, actions)
            uses = uses or used or (row.guard is not None and uses_message(row.guard))
            if row.guard is None:
                out.put(*steps, "Ok(Verdict::Taken)")
                return out.lines, uses
            with out.block(f"if {spelling.guard(row.guard)}"):
                out.put(*steps, "return Ok(Verdict::Taken);")
        out.put("Ok(Verdict::NotTaken)")
        return out.lines, uses

    def _steps(
        self, row: Transition, spelling: Expressions, actions: Mapping[str, HostAction]
    ) -> tuple[list[str], bool]:
        found: list[str] = []
        uses = False
        for index, step in enumerate([*row.steps, None]):
            if row.next is not None and index == min(row.before_at, len(row.steps)):
                found.append(f"self.context.state = State::{self.states[row.next]};")
            if step is not None:
                lines_, used = self._step(step, row.event, spelling, actions)
                found += lines_
                uses = uses or used
        return found, uses

    def _step(
        self, step: Step, event: str, spelling: Expressions, actions: Mapping[str, HostAction]
    ) -> tuple[list[str], bool]:
        match step:
            case Send():
                return self._send(step, event, spelling)
            case Assign(variable, Name(name, "variable")) if name == variable:
                return [], False  # Rust takes that for a slip
            case Assign(variable, value):
                return [spelling.assignment(variable, value)], uses_message(value)
            case Host(name):
                action = actions[name]
                argument = f", {action.argument}" if action.argument else ""
                call = f"self.host.{action.name}(&mut self.context{argument});"
                return [call, "self.context.failure()?;"], action.argument == "message"
            case _:
                return ["self.context.terminated = true;"], False

    def _send(self, step: Send, event: str, spelling: Expressions) -> tuple[list[str], bool]:
        plan = self.plans[step.message]
        wrapped = f"{self.module}::Message::{plan.class_name}"
        if step.forward:
            return [f"self.host.send({wrapped}(*message));"], True
        values = dict(step.fields)
        built, late = self._built(plan, values, spelling)
        uses = any(uses_message(value) for value in values.values())
        if not late:
            return [f"self.host.send({wrapped}({built}));"], uses
        self.refuses = True
        for name, shown, value in reversed(late):
            method = "map" if (name, shown, value) == late[-1] else "and_then"
            error = f"EncodeError::new(code, {quoted(plan.name)}, {quoted(shown)})"
            built = f"({value}).map_err(|code: Code| {error}).{method}(|{name}| {built})"
        return [
            f"match {built} {{",
            f"Ok(sent) => self.host.send({wrapped}(sent)),",
            "Err(error) => self.host.unsendable(error),",
            "}",
        ], uses

    def _built(
        self, plan: MessagePlan, values: Mapping[str, object], spelling: Expressions
    ) -> tuple[str, list[tuple[str, str, str]]]:
        """The message, and those of its fields whose values may not fit: (local, field, Result)."""
        parts, late = [], []
        locals_ = Scope("rust", {"message"})  # which the values that follow may look at
        for slot in plan.shown:
            value = values.get(slot.field.name)
            if value is None:
                raise UnsupportedByTarget(
                    "rust", plan.name, slot.field.name, "the host would have to fill it in"
                )
            spelled, fails = spelling.field(value, slot.field)  # type: ignore[arg-type]
            if fails:
                local = locals_.name(str(slot.name))
                late.append((local, slot.field.name, spelled))
                spelled = local
            parts.append(str(slot.name) if spelled == slot.name else f"{slot.name}: {spelled}")
        fields = f" {{ {', '.join(parts)} }}" if parts else ""
        return f"{self.module}::{plan.class_name}{fields}", late

    def _row(self, row: Transition) -> str:
        event = self.events.get(row.event)
        guard = f"Some({quoted(show(row.guard))})" if row.guard is not None else "None"
        steps = ", ".join(quoted(show_step(step)) for step in row.steps)
        following = f"Some(State::{self.states[row.next]})" if row.next is not None else "None"
        variant = event.variant if event is not None else ""
        return (
            f"Row {{ state: State::{self.states[row.state]}, event: Event::{variant}, guard: {guard}, "
            f"steps: &[{steps}], next: {following}, before_at: {row.before_at} }},"
        )
