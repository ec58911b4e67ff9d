"""All possible outcomes of one machine's table on abstract data.

An event takes the first of its state's rows whose guard is true. The steps run in order. A host action with `raises`
either returns, or the remaining steps are skipped and the raised event is handled next, in the machine's state at that
moment. An action with `then` may also raise an event that is handled after the row. A row without `next` keeps the
state. An action that handles a message with a reading (`read_as`) raises that event, or returns if it cannot. Each
alternative that the model leaves open is an outcome: the application's parameters, whether an action raises an event,
and the fields of a message that the host fills.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product

from ..ir import (
    COMPARISONS,
    RAISES_MAX,
    Assign,
    Binary,
    Event,
    EventKind,
    Expression,
    Host,
    Literal,
    Machine,
    Name,
    Send,
    Size,
    Step,
    Terminate,
    Transition,
    Unary,
)
from .abstraction import READING, SIZE_OF_A_MESSAGE, Abstraction, Bindings, Value

__all__ = ["THEN", "Configuration", "Kind", "LocalMachine", "Outcome", "Packet", "Regime", "evaluate"]

THEN = "then "
"""The prefix of an event that is raised for handling after the row."""

NUMBER_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Packet:
    """A message in transit, with its relevant fields."""

    message: str
    fields: Bindings = ()

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.fields)
        return f"{self.message}({values})" if values else self.message


@dataclass(frozen=True, slots=True)
class Configuration:
    """A machine's state, with the values of its relevant variables, in the model's order."""

    state: str
    values: tuple[Value, ...] = ()
    terminated: bool = False


class Kind(str, Enum):
    MOVE = "move"  # a row was taken
    UNSPECIFIED = "unspecified"  # a message arrives, and no row handles it
    UNHANDLED = "unhandled"  # a host action raises an event, and no row handles it
    CUT = "cut"  # a number would exceed the limit: not explored


@dataclass(frozen=True, slots=True)
class Outcome:
    """A possible outcome of an event with parameters or fields `inputs`. `raised` has an entry for each host action
    with `raises` or `then` that ran: its event, with the prefix :data:`THEN` if that is handled after the row, or None
    if it returned. `rows` are indices in the machine's table. `target` is None unless `kind` is MOVE.
    """

    kind: Kind
    event: str
    inputs: Bindings
    received: bool  # the event is a message from the channel
    target: Configuration | None = None
    sends: tuple[Packet, ...] = ()
    raised: tuple[str | None, ...] = ()
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """A row in progress: the current state, and the effects so far."""

    state: str
    values: Mapping[str, Value]
    terminated: bool
    sends: tuple[Packet, ...] = ()
    raised: tuple[str | None, ...] = ()
    rows: tuple[int, ...] = ()
    kind: Kind = Kind.MOVE
    pending: str | None = None
    """The event that is handled after the row."""


@dataclass(frozen=True, slots=True)
class Regime:
    """The faults that may occur during an exploration. `excluded` host events never occur. `timers` are events due to
    time; if `give_up` is false, they do not occur where they would change the state. If `refuse` is false, host actions
    fail only with events that are readings of messages.
    """

    excluded: frozenset[str] = frozenset({"malformed"})
    timers: frozenset[str] = frozenset({"expired", "heartbeat", "wakeup"})
    give_up: bool = True
    refuse: bool = True

    def of(self, machine: Machine) -> Regime:
        """The same regime, with the events of the machine's timers added."""
        return replace(self, timers=self.timers | {timer.event for timer in machine.timers})


class LocalMachine:
    """The outcomes of a machine's events that `regime` (None: Regime()) allows, with the data of `abstraction`."""

    def __init__(self, machine: Machine, abstraction: Abstraction, regime: Regime | None = None) -> None:
        self.machine = machine
        self.abstraction = abstraction
        self.regime = regime = (regime or Regime()).of(machine)
        self._variables = tuple(item.name for item in abstraction.variables(machine))
        self._initial = {item.name: item.value for item in machine.variables if item.name in self._variables}
        self._rows: dict[tuple[str, str], list[tuple[int, Transition]]] = {}
        for index, row in enumerate(machine.transitions):
            self._rows.setdefault((row.state, row.event), []).append((index, row))
        raised = {name for step in machine.steps(Host) for name in step.events}
        happening = tuple(
            event
            for event in machine.events
            if event.kind in (EventKind.METHOD, EventKind.HOST)
            and event.name not in regime.excluded
            # an event that an action raises occurs only there, unless it is also a timer's event
            and (event.name not in raised or event.name in regime.timers)
        )
        self._spontaneous = {
            state.name: tuple(event for event in happening if self._may_happen(state.name, event))
            for state in machine.states
        }
        kinds = {event.name: event.kind for event in machine.events}
        self.messages = frozenset(name for name, kind in kinds.items() if kind is EventKind.MESSAGE)
        with_message = {row.state for row in machine.transitions if kinds.get(row.event) is EventKind.MESSAGE}
        self._inner = {
            row.state
            for row in machine.transitions
            if kinds.get(row.event) is EventKind.HOST and row.event not in regime.timers
        } - with_message

    @property
    def initial(self) -> Configuration:
        """The initial configuration. A session does not exist until a message begins it: it is `terminated` before."""
        return self._configuration(_Run(self.machine.initial, self._initial, self.machine.session))

    def listens(self, at: Configuration) -> bool:
        """Whether the machine takes messages. Like zproto's engines, it takes none in a state with rows for host events
        other than timers and without rows for messages.
        """
        return at.terminated or at.state not in self._inner

    def receive(self, at: Configuration, packet: Packet) -> list[Outcome]:
        """The outcomes of a message: a session begins anew after its end; other terminated machines do not change."""
        if at.terminated and not self.machine.session:
            return [Outcome(Kind.MOVE, packet.message, packet.fields, True, at)]
        return self.fire(at, packet.message, packet.fields, received=True)

    def act(self, at: Configuration) -> list[Outcome]:
        """The outcomes of the application's calls and the host's events, in the model's order; empty if terminated."""
        if at.terminated:
            return []
        return [
            outcome
            for event in self.spontaneous(at.state)
            for inputs in self.abstraction.inputs(self.machine, event)
            for outcome in self.fire(at, event.name, inputs, received=False)
            if not self._gives_up(at, outcome)
        ]

    def spontaneous(self, state: str) -> tuple[Event, ...]:
        """The application's calls and the host's events that may come in the state, in the order of the model."""
        return self._spontaneous[state]

    def _may_happen(self, state: str, event: Event) -> bool:
        """Whether a row handles the event. A host raises no event that only `*` handles, except timers' events."""
        rows = self._rows.get((state, event.name), ())
        foreseen = event.kind is EventKind.METHOD or event.name in self.regime.timers
        return any(foreseen or not row.covered_by_star for _, row in rows)

    def _gives_up(self, at: Configuration, outcome: Outcome) -> bool:
        if self.regime.give_up or outcome.event not in self.regime.timers or outcome.target is None:
            return False
        return outcome.target.terminated or outcome.target.state != at.state

    def fire(self, at: Configuration, event: str, inputs: Bindings, received: bool) -> list[Outcome]:
        """The different outcomes of `event`. If no row applies: empty, or UNSPECIFIED if `received` as a message."""
        start = _Run(at.state, dict(zip(self._variables, at.values, strict=True)), False)
        taken = self._row(start, event, dict(inputs))
        if taken is None:
            return [Outcome(Kind.UNSPECIFIED, event, inputs, True)] if received else []
        runs = {_end(run): run for run in self._take(start, taken, dict(inputs), 0)}
        return [
            Outcome(
                kind=run.kind,
                event=event,
                inputs=inputs,
                received=received,
                target=self._configuration(run) if run.kind is Kind.MOVE else None,
                sends=run.sends,
                raised=run.raised,
                rows=run.rows,
            )
            for run in runs.values()
        ]

    def _row(self, run: _Run, event: str, inputs: Mapping[str, Value]) -> tuple[int, Transition] | None:
        for index, row in self._rows.get((run.state, event), ()):
            if row.guard is None or evaluate(row.guard, run.values, inputs):
                return index, row
        return None

    def _take(
        self, run: _Run, taken: tuple[int, Transition], inputs: Mapping[str, Value], depth: int
    ) -> Iterator[_Run]:
        index, row = taken
        run = replace(run, rows=(*run.rows, index))
        yield from self._steps(run, row, 0, inputs, depth)

    def _steps(
        self, run: _Run, row: Transition, at: int, inputs: Mapping[str, Value], depth: int
    ) -> Iterator[_Run]:
        if row.next is not None and at == row.before_at:
            run = replace(run, state=row.next)
        if run.kind is not Kind.MOVE:
            yield run
            return
        if at == len(row.steps):
            yield from self._ended(run, depth)
            return
        step = row.steps[at]
        if isinstance(step, Host) and step.events:
            reading = inputs.get(READING)
            raised, then = step.raises if self.regime.refuse else (), step.then
            if reading is not None:
                raised, then = (
                    tuple(name for name in names if name == reading) for names in (step.raises, step.then)
                )
            for name in raised:
                failed = replace(run, raised=(*run.raised, name), pending=None)
                yield from self._handle(failed, name, depth)
            for name in then:
                later = replace(run, raised=(*run.raised, f"{THEN}{name}"), pending=name)
                yield from self._steps(later, row, at + 1, inputs, depth)
            if reading is not None and (raised or then):
                return
            run = replace(run, raised=(*run.raised, None))
        for after in self._step(run, step, inputs):
            yield from self._steps(after, row, at + 1, inputs, depth)

    def _ended(self, run: _Run, depth: int) -> Iterator[_Run]:
        """Yields the run, or, if an event is to be handled after the row, the runs after that event."""
        event, run = run.pending, replace(run, pending=None)
        if event is None or run.terminated:
            yield run
        else:
            yield from self._handle(run, event, depth)

    def _handle(self, run: _Run, event: str, depth: int) -> Iterator[_Run]:
        declared = self.abstraction.event(self.machine, event)
        choices = self.abstraction.inputs(self.machine, declared) if declared else ((),)
        for inputs in choices:
            taken = self._row(run, event, dict(inputs))
            if taken is None or depth == RAISES_MAX:
                yield replace(run, kind=Kind.UNHANDLED)
            else:
                yield from self._take(run, taken, dict(inputs), depth + 1)

    def _step(self, run: _Run, step: Step, inputs: Mapping[str, Value]) -> Iterator[_Run]:
        match step:
            case Assign(variable, value) if self.abstraction.matters(self.machine, variable):
                stored = self.abstraction.store(self.machine, variable, evaluate(value, run.values, inputs))
                if stored is None:
                    yield replace(run, kind=Kind.CUT)
                else:
                    yield replace(run, values={**run.values, variable: stored})
            case Send():
                for packet in self._packets(run, step, inputs):
                    yield replace(run, sends=(*run.sends, packet))
            case Terminate():
                yield replace(run, terminated=True)
            case _:
                yield run

    def _packets(self, run: _Run, step: Send, inputs: Mapping[str, Value]) -> Iterator[Packet]:
        given = dict(step.fields)
        choices: list[tuple[tuple[str, Value], ...]] = []
        for item in self.abstraction.carried(step.message):
            if item.name == READING:
                values: tuple[Value, ...] = (step.read_as or "",)
            elif item.name in given:
                values = (evaluate(given[item.name], run.values, inputs),)
            elif step.forward and item.name in inputs:
                values = (inputs[item.name],)
            else:
                values = self.abstraction.domain(item)
            choices.append(tuple((item.name, value) for value in values))
        for choice in product(*choices):
            yield Packet(step.message, choice)

    def _configuration(self, run: _Run) -> Configuration:
        live = self.abstraction.live(self.machine, run.state)
        values = tuple(
            run.values[name] if name in live and not run.terminated else self._initial[name]
            for name in self._variables
        )
        is_over = run.terminated and self.machine.session
        return Configuration(self.machine.initial if is_over else run.state, values, run.terminated)


def _end(run: _Run) -> Hashable:
    """A key that is equal for runs with the same effects."""
    values = tuple(sorted(run.values.items()))
    return (run.kind, run.state, values, run.terminated, run.sends, run.raised, run.rows)


def evaluate(expression: Expression, variables: Mapping[str, Value], inputs: Mapping[str, Value]) -> Value:
    """The expression's value; `+` and `-` saturate, and the size of every message is one unit."""
    match expression:
        case Literal(value):
            return value
        case Name(name, scope):
            return variables[name] if scope == "variable" else inputs[name]
        case Size():
            return SIZE_OF_A_MESSAGE
        case Unary(_, operand):
            return not evaluate(operand, variables, inputs)
        case Binary(operator, left, right):
            return _binary(operator, left, right, variables, inputs)


def _binary(
    operator: str,
    left: Expression,
    right: Expression,
    variables: Mapping[str, Value],
    inputs: Mapping[str, Value],
) -> Value:
    first = evaluate(left, variables, inputs)
    if operator == "and":
        return bool(first) and bool(evaluate(right, variables, inputs))
    if operator == "or":
        return bool(first) or bool(evaluate(right, variables, inputs))
    second = evaluate(right, variables, inputs)
    if operator in COMPARISONS:
        return COMPARISONS[operator](first, second)
    if operator == "+":
        return min(_number(first) + _number(second), NUMBER_MAX)
    return max(_number(first) - _number(second), 0)


def _number(value: Value) -> int:
    if isinstance(value, int):
        return value
    raise TypeError(f"{value!r} is not a number")
