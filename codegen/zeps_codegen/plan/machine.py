"""The language-independent plan of a machine: its events, the arguments of its callbacks, and shared functions.

Most languages generate either a function for each guard and step, which rows refer to (:class:`Functions`), or a
function for each state with cases for its events (:class:`StatePlan`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..ir import (
    Assign,
    Binary,
    Event,
    EventKind,
    Expression,
    Field,
    Host,
    Machine,
    Name,
    Protocol,
    Send,
    Size,
    State,
    Step,
    Terminate,
    Transition,
    Unary,
)
from .build import parameter_of, plans
from .layout import Layout, layouts
from .operations import Operation, Plan

__all__ = ["ActionPlan", "Case", "Functions", "MachinePlan", "StatePlan", "Use", "machine_plan", "reads"]
__all__ += ["subexpressions"]


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """A host action (a callback)."""

    name: str
    events: tuple[str, ...]
    """The events that call it, in the order of the table."""
    raises: tuple[str, ...]
    """The events that it may fail with."""
    carried: tuple[str | None, ...]
    """Its possible arguments: events with data, one for each message, and None for no argument."""
    then: tuple[str, ...] = ()
    """The events that it may raise."""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """The rows of a state for events that are handled alike; the first row with a true guard is taken."""

    events: tuple[str, ...]
    rows: tuple[Transition, ...]
    """Rows after a row without a guard are left out: they are never tried."""
    reads: bool
    """Whether a guard or a step reads the event's data, or forwards it. Then the case has only one event."""

    @property
    def may_decline(self) -> bool:
        """Whether it is possible that no row is taken."""
        return self.rows[-1].guard is not None


@dataclass(frozen=True, slots=True)
class StatePlan:
    state: State
    cases: tuple[Case, ...]
    is_whole: bool
    """Whether every event has a case."""


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """The plan of a machine, with the messages that its protocol's version includes."""

    machine: Machine
    protocol: Protocol
    layouts: Mapping[str, Layout]
    plans: Mapping[str, Plan]
    events: tuple[Event, ...]
    """The possible events: messages of other versions are left out."""
    rows: tuple[Transition, ...]
    actions: tuple[ActionPlan, ...]
    states: tuple[StatePlan, ...]
    fillable: Mapping[str, tuple[Operation, ...]]
    """The fields of sent messages that the host fills, by message, in the message's order."""
    internal: tuple[Event, ...]
    """The events that host actions may fail with or raise; they carry no data."""

    def event(self, name: str) -> Event:
        """Returns the event called `name`. Raises StopIteration if it does not exist."""
        return next(event for event in self.events if event.name == name)

    def fields(self, event: str) -> dict[str, Field]:
        """The event's fields by name: those of its message object without the topic, or its method's parameters."""
        definition = self.event(event)
        if definition.message is not None:
            return {field.name: field for field in self.layouts[definition.message].shown}
        return {field.name: field for field in definition.parameters}

    def operations(self, event: str) -> dict[str, Operation]:
        """The operations on the fields that the event carries, by name, without those that are separate frames."""
        definition = self.event(event)
        if definition.message is not None:
            fields = self.fields(event)
            return {op.name: op for op in self.plans[definition.message].operations if op.name in fields}
        return {field.name: parameter_of(field) for field in definition.parameters}

    def carries(self, event: str) -> bool:
        """Whether the event carries a message or parameters."""
        definition = self.event(event)
        return definition.message is not None or bool(definition.parameters)

    @property
    def received(self) -> tuple[Event, ...]:
        """The events for received messages."""
        return tuple(
            event for event in self.events if event.kind is EventKind.MESSAGE and event.message is not None
        )

    @property
    def called(self) -> tuple[Event, ...]:
        """The events that the host or the application raises by calling a method."""
        return tuple(event for event in self.events if event.kind is not EventKind.MESSAGE)

    @property
    def counts_sent(self) -> bool:
        """Whether any timer counts from the last message that the machine sent."""
        return any(timer.since == "sent" for timer in self.machine.timers)

    @property
    def names(self) -> frozenset[str]:
        """The names that users of the machine write: variables, methods, parameters, host actions, filled fields."""
        filled = [operation.name for fields in self.fillable.values() for operation in fields]
        parameters = [field.name for event in self.called for field in event.parameters]
        variables = [variable.name for variable in self.machine.variables]
        calls = [*(event.name for event in self.called), *(action.name for action in self.actions)]
        return frozenset((*filled, *parameters, *variables, *calls))


def machine_plan(machine: Machine, protocol: Protocol) -> MachinePlan:
    """The plan of a machine that uses `protocol`."""
    known = {layout.message.name: layout for layout in layouts(protocol)}
    events = tuple(event for event in machine.events if event.message is None or event.message in known)
    names = {event.name for event in events}
    rows = tuple(row for row in machine.transitions if row.event in names)
    by_name = {plan.name: plan for plan in plans(protocol)}
    docs = {action.name: action.doc for action in machine.action_docs}
    actions = [_action(name, rows, events) for name in machine.host_actions()]
    return MachinePlan(
        machine,
        protocol,
        known,
        by_name,
        events,
        rows,
        tuple(replace(action, doc=docs.get(action.name, "")) for action in actions),
        tuple(_state(state, rows, events) for state in machine.states),
        _fillable(rows, by_name),
        tuple(event for event in events if event.name in machine.internal),
    )


def _fillable(rows: tuple[Transition, ...], known: Mapping[str, Plan]) -> dict[str, tuple[Operation, ...]]:
    steps = [step for row in rows for step in row.steps if isinstance(step, Send) and step.filled]
    filled: dict[str, set[str]] = {}
    for step in steps:
        filled.setdefault(step.message, set()).update(step.filled)
    return {
        message: tuple(operation for operation in known[message].all if operation.name in names)
        for message, names in filled.items()
    }


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all operands in it, each before its own operands."""
    yield expression
    match expression:
        case Unary(_, operand):
            yield from subexpressions(operand)
        case Binary(_, left, right):
            yield from subexpressions(left)
            yield from subexpressions(right)


def reads(item: Expression | Step) -> bool:
    """Whether a guard or a step reads its event's message or parameters, or forwards the message."""
    match item:
        case Send(_, fields, forward):
            return forward or any(reads(value) for _, value in fields)
        case Assign(_, value):
            return reads(value)
        case Host() | Terminate():
            return False
    inner = subexpressions(item)
    return any(isinstance(sub, Size) or (isinstance(sub, Name) and sub.scope == "message") for sub in inner)


@dataclass(slots=True)
class Use:
    """A guard or a step, and the events of its rows."""

    item: Expression | Step
    is_guard: bool
    events: list[str]


class Functions:
    """The functions for distinct guards and steps by first use; with `by_event`, one for each event that they read."""

    def __init__(self, plan: MachinePlan, by_event: bool = False) -> None:
        self.uses: list[Use] = []
        self._by_event = by_event
        self._known: dict[object, int] = {}
        self.rows: list[tuple[Transition, int | None, list[int]]] = []
        """Each row with the numbers of its guard and its steps in :attr:`uses`."""
        for row in plan.rows:
            steps = [self._use(step, row.event, False) for step in row.steps]
            guard = None if row.guard is None else self._use(row.guard, row.event, True)
            self.rows.append((row, guard, steps))

    def _use(self, item: Expression | Step, event: str, is_guard: bool) -> int:
        plain = replace(item, raises=(), then=()) if isinstance(item, Host) else item
        key = (is_guard, plain, event if self._by_event and reads(item) else None)
        if key not in self._known:
            self._known[key] = len(self.uses)
            self.uses.append(Use(plain, is_guard, []))
        number = self._known[key]
        self.uses[number].events.append(event)
        return number


def _action(name: str, rows: tuple[Transition, ...], events: tuple[Event, ...]) -> ActionPlan:
    by_name = {event.name: event for event in events}
    at: dict[str, None] = {}
    raises: dict[str, None] = {}
    then: dict[str, None] = {}
    for row in rows:
        for step in row.steps:
            if isinstance(step, Host) and step.name == name:
                at[row.event] = None
                raises |= dict.fromkeys(step.raises)
                then |= dict.fromkeys(step.then)
    carried: dict[object, str | None] = {}
    for event in at:
        definition = by_name[event]
        payload = definition.message or (event if definition.parameters else None)
        carried.setdefault(payload, None if payload is None else event)
    return ActionPlan(name, tuple(at), tuple(raises), tuple(carried.values()), tuple(then))


def _state(state: State, rows: tuple[Transition, ...], events: tuple[Event, ...]) -> StatePlan:
    by_event: dict[str, list[Transition]] = {}
    for row in rows:
        if row.state == state.name:
            tried = by_event.setdefault(row.event, [])
            if not tried or tried[-1].guard is not None:
                tried.append(row)
    groups: dict[object, list[str]] = {}
    for event, event_rows in by_event.items():
        alike = tuple((row.guard, row.steps, row.next, row.before_at) for row in event_rows)
        groups.setdefault(event if _any_reads(event_rows) else alike, []).append(event)
    cases = tuple(
        Case(tuple(names), tuple(by_event[names[0]]), _any_reads(by_event[names[0]]))
        for names in groups.values()
    )
    return StatePlan(state, cases, len(by_event) == len(events))


def _any_reads(rows: list[Transition]) -> bool:
    return any(
        (row.guard is not None and reads(row.guard)) or any(reads(step) for step in row.steps) for row in rows
    )
