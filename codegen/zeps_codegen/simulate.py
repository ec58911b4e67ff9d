"""Reference implementation of machines: runs a machine directly from the IR.

A situation is immutable, and a step creates a new one. Of a state's rows for an event, the first with a true guard is
taken. A row without `next` keeps the state; one with `next` changes it before step number `before_at`. If a host action
fails, the rest of the row is skipped, and its event is handled next. An event that an action raises is handled after
the row, at most RAISES_MAX in turn. Timers count milliseconds of a clock that the host advances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .compose import EncodeFault, WireValue, encode_frames, shown_fields
from .ir import (
    COMPARISONS,
    RAISES_MAX,
    Assign,
    Binary,
    Bundle,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Message,
    Name,
    Send,
    Size,
    Step,
    Terminate,
    Type,
    Unary,
)

__all__ = ["Acted", "Carried", "Happened", "Simulation", "Situation", "zero_of"]

U64_MAX = 2**64 - 1

Value = int | bytes | bool


@dataclass(frozen=True, slots=True)
class Carried:
    """The data of an event, by name: the fields of `message`, or if that is None, a method's parameters or none."""

    message: Message | None
    values: Mapping[str, WireValue]


NOTHING = Carried(None, {})


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of a machine with its variables. `armed` are the host actions that will fail the next time, with their
    events; `raising` those that will raise one. `drafts` has the filled fields by message and field. `now` is None
    until the clock is first set; then `deadlines` has the running timers by number. Both are in milliseconds.
    """

    state: str
    variables: tuple[Value, ...]
    terminated: bool = False
    armed: tuple[tuple[str, str], ...] = ()
    raising: tuple[tuple[str, str], ...] = ()
    drafts: tuple[tuple[tuple[str, str], WireValue], ...] = ()
    now: int | None = None
    deadlines: tuple[tuple[int, int], ...] = ()

    @property
    def deadline(self) -> int | None:
        """When the next timer is due, in milliseconds; None if no timer runs."""
        return min((due for _, due in self.deadlines), default=None)


@dataclass(frozen=True, slots=True)
class Acted:
    """A request to the host: `send` with the message's frames (none if it cannot be encoded), or a host action."""

    name: str
    frames: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """The result of one step: its letter of the driver protocol, and the indices of the transitions taken, in order."""

    situation: Situation
    outcome: str
    actions: tuple[Acted, ...] = ()
    rows: tuple[int, ...] = ()
    guards: bool = False  # whether a guard was evaluated


class _Unhandled(Exception):  # noqa: N818
    """No row is taken for an event that is not a message.

    The state has no row for it; or an action failed with it or raised it, and all guards are false or it exceeds
    RAISES_MAX."""


class Simulation:
    """A simulation of one machine of a bundle."""

    def __init__(self, bundle: Bundle, machine: Machine) -> None:
        self.machine = machine
        self.protocol = bundle.protocol(machine.protocol)
        self.messages = {message.name: message for message in self.protocol.messages}
        self.events = {event.name: event for event in machine.events}
        self.variables = [variable.name for variable in machine.variables]
        self._greatest = {
            item.name: (1 << 8 * item.size) - 1 for item in machine.variables if item.type is Type.NUMBER
        }
        self._rows: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(machine.transitions):
            self._rows.setdefault((row.state, row.event), []).append(index)

    def initial(self) -> Situation:
        """The situation at the start: variables have their initial values, and no timer runs."""
        values = [_plain(variable.value) for variable in self.machine.variables]
        return Situation(self.machine.initial, tuple(values))

    def arrived(self, message: str) -> Event | None:
        """The event for the arrival of a message; None if the machine does not know the message."""
        for event in self.machine.events:
            if event.kind is EventKind.MESSAGE and event.message == message:
                return event
        return None

    def carried(self, event: Event, values: Sequence[WireValue]) -> Carried:
        """The event's data; `values` are in the order of its parameters or `shown_fields`. Raises ValueError for a
        wrong number of them.
        """
        message = None if event.message is None else self.messages[event.message]
        fields = event.parameters if message is None else shown_fields(self.protocol, message)
        return Carried(message, {f.name: value for f, value in zip(fields, values, strict=True)})

    def set(self, situation: Situation, variable: str, value: Value) -> Situation:
        """The situation with another value of a variable. Raises ValueError if the machine has no such variable."""
        values = list(situation.variables)
        values[self.variables.index(variable)] = value
        return replace(situation, variables=tuple(values))

    def arm(self, situation: Situation, action: str, event: str) -> Situation:
        """The situation in which the host action fails with `event` the next time that it runs."""
        return replace(situation, armed=tuple({**dict(situation.armed), action: event}.items()))

    def arm_raise(self, situation: Situation, action: str, event: str) -> Situation:
        """The situation in which the host action raises `event` the next time that it runs."""
        return replace(situation, raising=tuple({**dict(situation.raising), action: event}.items()))

    def fillable(self, message: str, field: str) -> bool:
        """Whether the host fills the field of a message that the machine sends."""
        steps = self.machine.steps(Send)
        return any(step.message == message and field in step.filled for step in steps)

    def fill(self, situation: Situation, message: str, field: str, value: WireValue) -> Situation:
        """The situation in which the host has filled a field of the next `message` that is sent."""
        drafts = {**dict(situation.drafts), (message, field): value}
        return replace(situation, drafts=tuple(drafts.items()))

    def advance(self, situation: Situation, now: int) -> Happened:
        """Sets the clock in milliseconds, which never goes back, and handles due timers, earliest first. The first call
        starts the timers. The outcome is `t`, `n` if no row was taken, `e` or `h` as in `step`.
        """
        run = _Run(self, situation)
        return run.result(((event, NOTHING) for event in run.due(now)), "n")

    def rows(self, state: str, event: str) -> list[int]:
        """The rows of the state and event, by index, in the order of the table."""
        return self._rows.get((state, event), [])

    def step(self, situation: Situation, event: Event, carried: Carried) -> Happened:
        """Handles `event`. The outcome is `t` if a row was taken, otherwise `n`, or `u` for a message; `e` if a message
        could not be encoded; `h` if the state has no row for an event that is not a message, or no row is taken for an
        event that an action fails with or raises.
        """
        run = _Run(self, situation)
        if event.kind is EventKind.MESSAGE:
            run.restart("received")
        return run.result([(event.name, carried)], "u" if event.kind is EventKind.MESSAGE else "n")


class _Run:
    """The mutable state of a step in progress."""

    def __init__(self, simulation: Simulation, situation: Situation) -> None:
        self.of = simulation
        self.state, self.terminated = situation.state, situation.terminated
        self.values = dict(zip(simulation.variables, situation.variables, strict=True))
        self.armed, self.raising = dict(situation.armed), dict(situation.raising)
        self.drafts = dict(situation.drafts)
        self.now, self.deadlines = situation.now, dict(situation.deadlines)
        self.raised: str | None = None
        self.actions: list[Acted] = []
        self.taken: list[int] = []
        self.refused = self.guards = False

    def result(self, events: Iterable[tuple[str, Carried]], otherwise: str) -> Happened:
        """Handles the events in order. The outcome is `otherwise` if no row was taken, and `e` or `h` as in `step`."""
        outcome = otherwise
        try:
            for event, carried in events:
                outcome = "t" if self.handle(event, carried) else outcome
        except _Unhandled:
            outcome = "h"
        return self.happened("e" if self.refused else outcome)

    def happened(self, outcome: str) -> Happened:
        situation = Situation(
            self.state,
            tuple(self.values.values()),
            self.terminated,
            tuple(self.armed.items()),
            tuple(self.raising.items()),
            tuple(self.drafts.items()),
            self.now,
            tuple(sorted(self.deadlines.items())),
        )
        return Happened(situation, outcome, tuple(self.actions), tuple(self.taken), self.guards)

    def handle(self, event: str, carried: Carried) -> bool:
        """Handles the event and those of its actions. Returns whether it took a row. Raises _Unhandled."""
        rows = self.of.rows(self.state, event)
        if not rows and self.of.events[event].kind is not EventKind.MESSAGE:
            raise _Unhandled
        row = self.row(rows, carried)
        if row is None:
            return False
        following, count = self.take(row, carried), 0
        while following is not None:
            row = self.row(self.of.rows(self.state, following), NOTHING)
            if row is None or count == RAISES_MAX:
                raise _Unhandled
            following, count = self.take(row, NOTHING), count + 1
        return True

    def row(self, rows: Sequence[int], carried: Carried) -> int | None:
        """The first of the rows without a guard or with a true one; None if every guard is false."""
        for index in rows:
            guard = self.of.machine.transitions[index].guard
            self.guards = self.guards or guard is not None
            if guard is None or self.value(guard, carried):
                return index
        return None

    def take(self, index: int, carried: Carried) -> str | None:
        """Executes the row's steps. Returns the event that a host action fails with or raises, if any."""
        row = self.of.machine.transitions[index]
        self.taken.append(index)
        self.raised = None
        for number, step in enumerate(row.steps):
            if row.next is not None and number == row.before_at:
                self.enter(row.next)
            failed = self.do(step, carried)
            if failed is not None:
                return failed
        if row.next is not None and row.before_at == len(row.steps):
            self.enter(row.next)
        return None if self.terminated else self.raised

    # --- timers

    def enter(self, state: str) -> None:
        """Changes the state: starts timers of the new state, and stops those of other states."""
        before, self.state = self.state, state
        for number, timer in enumerate(self.of.machine.timers):
            if state not in timer.states:
                self.deadlines.pop(number, None)
            elif before not in timer.states or timer.since == "entered":
                self.start(number)

    def start(self, number: int) -> None:
        """Starts or restarts a timer."""
        self.deadlines.pop(number, None)
        milliseconds = self.value(self.of.machine.timers[number].milliseconds, NOTHING)
        if self.now is not None and milliseconds and self.now + milliseconds < U64_MAX:
            self.deadlines[number] = self.now + milliseconds

    def restart(self, since: str) -> None:
        """Restarts the state's timers that count from the last message `sent` or `received`, as `since` says."""
        for number, timer in enumerate(self.of.machine.timers):
            if timer.since == since and self.state in timer.states:
                self.start(number)

    def due(self, now: int) -> Iterator[str]:
        """Sets the clock, unless `now` is earlier, restarts each due timer and yields its event before the next."""
        first, self.now = self.now is None, max(now, self.now or 0)
        for number, timer in enumerate(self.of.machine.timers if first else ()):
            if self.state in timer.states:
                self.start(number)
        while self.deadlines:
            number = min(self.deadlines, key=lambda index: (self.deadlines[index], index))
            if self.deadlines[number] > self.now:
                return
            self.start(number)
            yield self.of.machine.timers[number].event

    # --- steps

    def do(self, step: Step, carried: Carried) -> str | None:
        """Executes one step. Returns the event that a host action fails with, if any."""
        match step:
            case Send():
                self.send(step, carried)
            case Assign(name, value):
                result = self.value(value, carried)
                self.values[name] = (
                    min(result, self.of._greatest[name]) if name in self.of._greatest else result
                )
            case Host(name):
                self.actions.append(Acted(name))
                self.raised = self.raising.pop(name, self.raised)
                return self.armed.pop(name, None)
            case Terminate():
                self.terminated = True
        return None

    def send(self, step: Send, carried: Carried) -> None:
        message = self.of.messages[step.message]
        fields = shown_fields(self.of.protocol, message)
        given = dict(carried.values) if step.forward else {}
        given |= {name: self.value(value, carried) for name, value in step.fields}
        for field in fields:
            filled = self.drafts.pop((message.name, field.name), None)
            if field.name in step.filled and (filled is not None or step.defaults):
                given[field.name] = zero_of(field) if filled is None else filled
        try:
            frames = encode_frames(self.of.protocol, message, [given[field.name] for field in fields])
        except (EncodeFault, KeyError):  # a value that does not fit, or a missing value
            self.refused = True
            self.actions.append(Acted("send"))
            return
        self.actions.append(Acted("send", tuple(frames)))
        self.restart("sent")

    def value(self, expression: Expression, carried: Carried) -> Any:
        match expression:
            case Name(name, "variable"):
                return self.values[name]
            case Name(name):
                value = carried.values[name]
                return max(value, 0) if isinstance(value, int) else value
            case Literal(value):
                return _plain(value)
            case Size():
                assert carried.message is not None
                fields = shown_fields(self.of.protocol, carried.message)
                values = [carried.values[field.name] for field in fields]
                return sum(map(len, encode_frames(self.of.protocol, carried.message, values)))
            case Unary(_, operand):
                return not self.value(operand, carried)
            case Binary("and", left, right):
                return self.value(left, carried) and self.value(right, carried)
            case Binary("or", left, right):
                return self.value(left, carried) or self.value(right, carried)
            case Binary(operator, left, right):
                return _apply(operator, self.value(left, carried), self.value(right, carried))


def zero_of(field: Field) -> WireValue:
    """zproto's value of an unset field: 0, zero bytes if the size is fixed, an empty frame for `msg`, else empty."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return 0
        case FieldType.LIST | FieldType.STRINGS | FieldType.HASH:
            return []
        case FieldType.MSG:
            return [b""]
        case FieldType.OCTETS if field.length is None:
            return bytes(field.size)
        case FieldType.UUID:
            return bytes(16)
        case _:
            return b""


def _plain(value: int | str | bool) -> Value:
    return value.encode() if isinstance(value, str) else value


def _apply(operator: str, left: Any, right: Any) -> Any:
    match operator:
        case "+":
            return min(left + right, U64_MAX)
        case "-":
            return max(left - right, 0)
        case _:
            return COMPARISONS[operator](left, right)
