"""Conversion of a machine model to a machine of the IR: a flat table, one row per state, event and guard."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..diagnostics import Location, error, remark, warning
from ..ir import (
    ActionDoc,
    Event,
    EventKind,
    Expression,
    Host,
    Machine,
    Protocol,
    Role,
    State,
    Transition,
    Type,
    Variable,
)
from ..model import Dialect, RawClass, RawEvent, RawState, RawStep, fold, snake, truth
from ..report import Place, Report, did_you_mean
from .constants import BAD_ATTRIBUTE
from .coverage import reached_states
from .events import STAR, Events, resolve_methods
from .expressions import Scope, resolve_expression
from .inheritance import Inherited, check_orders, flatten
from .names import check_names
from .rules import RuleBook
from .star import covered_events
from .steps import PlacedStep, StepContext, resolve_steps
from .timers import resolve_timers
from .types import FieldContext
from .variables import resolve_variables

__all__ = ["resolve_machine"]

UNKNOWN_NEXT = error("ZC317", "an event whose next state does not exist or is abstract")
RAISES_UNHANDLED = error("ZC318", "an action that raises an event that the state does not handle")
RAISES_CARRYING = error(
    "ZC330", "an action that raises an event with a message or parameters, which it cannot supply"
)
GUARDED_STAR = error("ZC319", "a guard on `*`")
SUPERSTATE = remark("ZC128", "a state that others inherit from, and that is not marked as abstract")
UNUSED_ACTION = warning("ZC331", "a host action that is declared twice, or not used")
UNDECLARED_ACTION = remark("ZC335", "an undeclared host action in a class that declares others")
NO_STATES = error("ZC320", "a machine without states that can be entered")


@dataclass(frozen=True, slots=True)
class _Row:
    """A transition with the places of its steps."""

    transition: Transition
    places: tuple[Place, ...]
    place: Place


def resolve_machine(
    raw: RawClass, protocol: Protocol, book: RuleBook, places: dict[str, Location], report: Report
) -> Machine:
    """Resolves the machine that the model describes, with the messages of `protocol`. Adds the places of its parts."""
    check_names(raw, report)
    return _Builder(raw, protocol, book, places, report).build()


class _Builder:
    def __init__(
        self, raw: RawClass, protocol: Protocol, book: RuleBook, places: dict[str, Location], report: Report
    ) -> None:
        self.raw, self.protocol = raw, protocol
        self.written = book.of(raw, protocol)
        self.places, self.report = places, report
        self.name = snake(raw.name)
        self.constants = {item.name: item.value for item in protocol.constants}
        enumerations = frozenset(item.name for item in protocol.enumerations)
        context = FieldContext(self.constants, {}, enumerations, dialect=raw.dialect, number_size=4)
        self.methods = resolve_methods(raw, places, context, report)
        self.events = Events(raw, protocol, self.methods, report)
        self.left_to_star = self.events.left_to_star()
        self.variables = resolve_variables(raw, self.constants, places, report)
        self.states = {fold(state.name): state for state in raw.states}

    def build(self) -> Machine:
        rows_of = flatten(self.raw.states, self.key, self.report)
        check_orders(self.raw.states, rows_of, self.key, self.report)
        table = {fold(state.name): self.rows(state, rows_of[fold(state.name)]) for state in self.raw.states}
        left_out = {fold(state.name) for state in self.raw.states if truth(state.abstract)}
        left_out |= self.superstates(table, left_out)
        rows = [row for name, some in table.items() if name not in left_out for row in some]
        self.check_raises(rows)
        self.check_declared(rows)
        states = tuple(self.state(state) for state in self.raw.states if fold(state.name) not in left_out)
        if not states:
            self.report.add(NO_STATES, self.raw.place, f"{self.raw.name} has no state that can be entered")
        self.places[f"class:{self.name}"] = self.raw.place.location
        for index, row in enumerate(rows):
            self.places[f"transition:{self.name}.{index}"] = row.place.location
            transition = row.transition
            key = f"event:{self.name}.{transition.state}.{transition.event}"
            self.places.setdefault(key, row.place.location)
        for item in (*self.raw.events, *self.raw.sends):
            self.places[f"event:{self.name}.{item.name}"] = item.place.location
        timers = resolve_timers(self, tuple(row.transition for row in rows), left_out)
        machine = Machine(
            name=self.name,
            title=self.raw.get("title") or self.raw.name,
            role=self.role(),
            protocol=self.protocol.name,
            states=states,
            events=self.events.all(),
            transitions=tuple(row.transition for row in rows),
            variables=self.variables,
            methods=self.methods,
            rules=self.written.resolve(self.raw.rules, "class"),
            doc=self.raw.doc,
            internal=self.internal([row.transition for row in rows]),
            timers=timers,
            session=self.raw.dialect is not Dialect.ZEPS and self.role() is Role.SERVER,
            terms=self.written.terms,
            references=self.written.references,
        )
        return replace(machine, action_docs=self.action_docs(machine.host_actions()))

    def internal(self, rows: list[Transition]) -> tuple[str, ...]:
        """The events that host actions fail with or raise; zproto does not declare them: there, all without data."""
        steps = [step for row in rows for step in row.steps if isinstance(step, Host)]
        named = {name for step in steps for name in step.events}
        if self.raw.dialect is not Dialect.ZEPS and steps:
            named |= {event.name for event in self.events.all() if event.kind is EventKind.HOST}
        plain = [event for event in self.events.all() if event.message is None and not event.parameters]
        return tuple(event.name for event in plain if event.name in named)

    def action_docs(self, actions: tuple[str, ...]) -> tuple[ActionDoc, ...]:
        """The documentation of the host actions, in the order of their first use. Unused declarations are reported."""
        docs: dict[str, str] = {}
        for item in self.raw.actions:
            name = snake(item.name)
            if name not in actions or name in docs:
                text = f"{item.name} is declared {'twice' if name in docs else 'but not used'}"
                self.report.add(UNUSED_ACTION, item.place, text, attribute="name")
            docs.setdefault(name, item.doc)
        return tuple(ActionDoc(name, docs[name]) for name in actions if name in docs)

    def check_declared(self, rows: list[_Row]) -> None:
        """Reports undeclared actions, if the class declares any."""
        declared = {snake(item.name) for item in self.raw.actions}
        used: dict[str, Place] = {}
        for row in rows if declared else ():
            for step, place in zip(row.transition.steps, row.places, strict=True):
                if isinstance(step, Host):
                    used.setdefault(step.name, place)
        for name in used.keys() - declared:
            hint = did_you_mean(
                name, [item.name for item in self.raw.actions], f'<action name="{name}">description</action>'
            )
            text = f"the class does not declare the action {name}"
            self.report.add(UNDECLARED_ACTION, used[name], text, hint=hint, attribute="name")

    def superstates(self, table: dict[str, list[_Row]], abstract: set[str]) -> set[str]:
        """The folded names of zproto's superstates, each reported: unreachable states that others inherit from."""
        parents = {fold(state.inherit) for state in self.raw.states if state.inherit}
        entered = [state for state in self.raw.states if fold(state.name) not in abstract]
        if not entered:
            return set()
        edges = [(row.transition.state, row.transition.next) for rows in table.values() for row in rows]
        reached = {fold(name) for name in reached_states(snake(entered[0].name), edges)}
        supers = {fold(state.name): state for state in entered if fold(state.name) in parents - reached}
        for state in supers.values():
            text = f"the state {state.name} is unreachable, and others inherit from it; it is treated as abstract"
            self.report.add(
                SUPERSTATE, state.place, text, hint='mark it with abstract="true"', attribute="name"
            )
        return set(supers)

    def role(self) -> Role:
        name = self.raw.get("role")
        if name is not None:
            try:
                return Role(name.lower())
            except ValueError:
                message = f"role={name!r} is neither server nor client"
                self.report.add(BAD_ATTRIBUTE, self.raw.place, message, attribute="role")
        client = "client" in (self.raw.get("script") or "").lower() or bool(self.raw.methods)
        return Role.CLIENT if client else Role.SERVER

    def key(self, event: RawEvent) -> str:
        return self.events.resolve(event.name, event.place)

    def state(self, raw: RawState) -> State:
        name = snake(raw.name)
        self.places[f"state:{self.name}.{name}"] = raw.place.location
        return State(name, raw.doc, self.written.resolve(raw.rules, f"state:{name}"))

    def rows(self, state: RawState, inherited: tuple[Inherited, ...]) -> list[_Row]:
        """The rows with explicit events (own, inherited, then those of <send>), then one for each event of `*`."""
        named = [(self.key(item.event), item) for item in (*inherited, *map(Inherited, self.raw.sends))]
        rows = [self.row(state, event, item) for event, item in named if event != STAR]
        star = next((item for event, item in named if event == STAR), None)
        if star is None:
            return rows
        pairs = [(row.transition.event, row.transition.guard is not None) for row in rows]
        if star.event.guard is not None:
            text = "`*` is the else branch and cannot have a guard"
            self.report.add(GUARDED_STAR, star.event.place, text, attribute="guard")
        covered = covered_events(pairs, self.left_to_star)
        rows.extend(self.row(state, name, star, star=True) for name in covered)
        return rows

    def row(self, state: RawState, name: str, item: Inherited, star: bool = False) -> _Row:
        raw = item.event
        event = None if star else self.events.event(name)
        context = self.context(event)
        guard: Expression | None = None
        if raw.guard is not None and not star:
            guard = resolve_expression(
                raw.guard, Type.BOOLEAN, context.scope, raw.place, "guard", self.report
            )
        steps = resolve_steps(raw.steps, context)
        target = self.target(raw) if raw.next is not None else None
        before_at = len(steps)
        if target is not None:
            steps += self.edge(state.after)
            before_at = len(steps)
            steps += self.edge(target.before)
        transition = Transition(
            state=snake(state.name),
            event=name,
            guard=guard,
            steps=tuple(placed.step for placed in steps),
            next=None if target is None else snake(target.name),
            before_at=before_at,
            covered_by_star=star,
            inherited_from=item.origin,
        )
        return _Row(transition, tuple(placed.place for placed in steps), raw.place)

    def edge(self, steps: tuple[RawStep, ...]) -> tuple[PlacedStep, ...]:
        """Resolves the steps that run on entry or exit, where no message is in scope."""
        return resolve_steps(steps, self.context(None))

    def context(self, event: Event | None) -> StepContext:
        variables: dict[str, Variable] = {item.name: item for item in self.variables}
        scope = Scope(variables, self.constants, event.name if event else None)
        if event is not None and event.message is not None:
            message = self.protocol.message(event.message)
            fields = {item.name: item for item in message.fields}
            scope = Scope(variables, self.constants, event.name, fields, message, self.protocol)
        elif event is not None and event.kind is EventKind.METHOD:
            fields = {item.name: item for item in event.parameters}
            scope = Scope(variables, self.constants, event.name, fields)
        return StepContext(self.events, scope, event, self.raw.dialect, self.report)

    def target(self, raw: RawEvent) -> RawState | None:
        state = self.states.get(fold(raw.next or ""))
        if state is None:
            message = f"{raw.name} leads to {raw.next!r}, which is not a state"
            self.report.add(UNKNOWN_NEXT, raw.place, message, attribute="next")
            return None
        if truth(state.abstract):
            message = f"{raw.name} leads to {raw.next!r}, which is abstract"
            self.report.add(UNKNOWN_NEXT, raw.place, message, attribute="next")
            return None
        return state

    def check_raises(self, rows: list[_Row]) -> None:
        """Reports events that a host action may raise without a row in its state, or that carry data."""
        handled = {(row.transition.state, row.transition.event) for row in rows}
        for row in rows:
            transition = row.transition
            for index, (step, place) in enumerate(zip(transition.steps, row.places, strict=True)):
                if not isinstance(step, Host):
                    continue
                entered = transition.next is not None and index >= transition.before_at
                reached = transition.next or transition.state
                state = reached if entered else transition.state
                raised = [(name, state, "raises") for name in step.raises]
                for name, state, attribute in [*raised, *((name, reached, "then") for name in step.then)]:
                    if (state, name) not in handled:
                        text = f"{step.name} may raise {name}, but the state {state} has no row for it"
                        self.report.add(RAISES_UNHANDLED, place, text, attribute=attribute)
                        continue
                    event = self.events.event(name)
                    if event.message is not None or event.parameters:
                        text = f"{step.name} may raise {name}, but cannot supply its message or parameters"
                        self.report.add(RAISES_CARRYING, place, text, attribute=attribute)
