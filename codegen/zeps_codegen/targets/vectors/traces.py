"""Traces of a machine: paths to every state, and the effect of every event there.

A breadth-first search over about SITUATIONS_MAX situations (a state, with the values of all variables) that a few
values of each event lead to. The shortest trace is kept for each distinct result (state, event, whether it is handled
and by which rows; a failing action takes more than one). Situations that no guard distinguishes count as one.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...compose import EncodeFault, encode_frames, shown_fields
from ...ir import (
    Assign,
    Bundle,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Machine,
    Name,
    Timer,
    Type,
)
from ...plan.machine import subexpressions
from ...requests import (
    Advance,
    Arm,
    ArmRaise,
    Arrive,
    ArriveFrames,
    Call,
    Fill,
    Oracle,
    Put,
    Step,
    bare,
    value_bytes,
    variable_bytes,
)
from ...simulate import Carried, Simulation, Situation
from .frames import Messages
from .samples import Samples

__all__ = ["Trace", "traces"]

SITUATIONS_MAX = 120
WALKS = 4
WALK_STEPS = 40
_TEXT = b"because"


@dataclass(frozen=True, slots=True)
class Trace:
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Move:
    event: Event
    carried: Carried
    step: Step
    label: str


@dataclass(frozen=True, slots=True)
class _Place:
    situation: Situation
    steps: tuple[Step, ...]


def traces(bundle: Bundle, machine: Machine) -> list[Trace]:
    """The traces, each from a new machine: distinct results, others (see :meth:`_Search.others`), and seeded walks."""
    search = _Search(bundle, machine)
    return [*search.run(), *search.others(), *search.walks()]


class _Search:
    def __init__(self, bundle: Bundle, machine: Machine) -> None:
        self.bundle, self.machine = bundle, machine
        self.simulation: Simulation = Oracle(bundle).simulation(machine.name)
        self.moves = list(_moves(self.simulation))
        self.telling = _telling(machine)
        self.fills = list(_fills(self.simulation))
        self.traces: dict[tuple[str, str, str, tuple[int, ...]], Trace] = {}

    def start(self) -> _Place:
        """A new machine whose host has filled all fields, and has set the texts that no row assigns."""
        situation, steps = self.simulation.initial(), list[Step]()
        for fill in self.fills:
            situation = self.simulation.fill(situation, fill.message, fill.field, bare(fill.value))
            steps.append(fill)
        for name in _never_assigned_texts(self.machine):
            situation = self.simulation.set(situation, name, _TEXT)
            steps.append(Put(name, variable_bytes(Type.STRING, _TEXT)))
        return _Place(situation, tuple(steps))

    def run(self) -> list[Trace]:
        start = self.start()
        seen, waiting = {self.key(start.situation)}, deque([start])
        while waiting and len(seen) <= SITUATIONS_MAX:
            place = waiting.popleft()
            for following in self.continued(place):
                key = self.key(following.situation)
                if key not in seen and not following.situation.terminated:
                    seen.add(key)
                    waiting.append(following)
        return list(self.traces.values())

    def key(self, situation: Situation) -> tuple[object, ...]:
        values = zip(self.simulation.variables, situation.variables, strict=True)
        return (situation.state, *(value for name, value in values if name in self.telling))

    def continued(self, place: _Place) -> Iterator[_Place]:
        """The places that every event leads to; new results are recorded."""
        for move in self.moves:
            for arm in (None, *self.failures(place.situation.state, move.event.name)):
                situation, steps = self.armed(place, arm)
                happened = self.simulation.step(situation, move.event, move.carried)
                if arm is not None and (happened.situation.armed or happened.situation.raising):
                    continue  # the action did not run
                steps = (*steps, move.step)
                self.note(place, move, arm, happened.outcome, happened.rows, steps)
                yield _Place(happened.situation, steps)

    def armed(self, place: _Place, arm: Arm | ArmRaise | None) -> tuple[Situation, tuple[Step, ...]]:
        """The place after the host action is armed to fail, or to raise an event."""
        match arm:
            case Arm(action, event):
                return self.simulation.arm(place.situation, action, event), (*place.steps, arm)
            case ArmRaise(action, event):
                return self.simulation.arm_raise(place.situation, action, event), (*place.steps, arm)
            case _:
                return place.situation, place.steps

    def failures(self, state: str, event: str) -> list[Arm | ArmRaise]:
        """The events that the host actions in the rows of `event` may fail with or raise."""
        rows = [self.machine.transitions[index] for index in self.simulation.rows(state, event)]
        hosts = [step for row in rows for step in row.steps if isinstance(step, Host)]
        fails: list[Arm | ArmRaise] = [Arm(step.name, name) for step in hosts for name in step.raises]
        return list(dict.fromkeys([*fails, *(ArmRaise(step.name, n) for step in hosts for n in step.then)]))

    def note(
        self,
        place: _Place,
        move: _Move,
        arm: Arm | ArmRaise | None,
        outcome: str,
        rows: tuple[int, ...],
        steps: tuple[Step, ...],
    ) -> None:
        state = place.situation.state
        key = (state, move.event.name, outcome, rows)
        if key not in self.traces:
            count = sum(1 for other in self.traces if other[:2] == key[:2])
            verb = "fails with" if isinstance(arm, Arm) else "raises"
            label = f"{move.event.name}{f' {verb} {arm.event}' if arm is not None else ''}"
            self.traces[key] = Trace(f"{state}/{label}{f'/{count + 1}' if count else ''}", steps)

    def others(self) -> Iterator[Trace]:
        """Other traces: malformed frames, unknown names, limits, fields that the host does not fill, and timers."""
        yield Trace("malformed frame", (Arrive(b"\0"), Arrive(b"")))
        yield Trace(
            "unknown names", (Call("no such event"), Arm("no such action", self.machine.events[0].name))
        )
        for variable in self.machine.variables:
            edges: list[int | bytes] = [0, (1 << 8 * variable.size) - 1]
            if variable.type is Type.BOOLEAN:
                edges = [0, 1]
            elif variable.type is not Type.NUMBER:
                edges = [b"", "é".encode() * 20]
            puts = [Put(variable.name, variable_bytes(variable.type, value)) for value in edges]
            yield Trace(f"variable {variable.name}", tuple(puts))
        if self.fills:
            unknown = Fill("NOTHING", "nothing", self.fills[0].value)
            yield Trace(
                "fields that are not filled", (unknown, Fill(self.fills[0].message, "nothing", unknown.value))
            )
        for timer in self.machine.timers:
            yield Trace(f"time passes for {timer.event}", tuple(self.waiting(timer)))

    def waiting(self, timer: Timer) -> Iterator[Step]:
        """Steps that set the clock, lead to the timer's first state (by a trace that :meth:`run` found, if any), and
        then advance to up to three deadlines: each time first to the millisecond before.
        """
        place = self.start()
        yield from place.steps
        situation = self.simulation.advance(place.situation, 1000).situation
        yield Advance(1000)
        for trace in self.traces.values():
            if trace.name.startswith(f"{timer.states[0]}/"):
                for step in trace.steps[len(place.steps) : -1]:
                    situation = Oracle(self.bundle).step(self.simulation, situation, step).situation
                    yield step
                break
        for _ in range(3):
            if situation.deadline is None:
                return
            for now in (situation.deadline - 1, situation.deadline):
                situation = self.simulation.advance(situation, now).situation
                yield Advance(now)

    def walks(self) -> Iterator[Trace]:
        """Long pseudo-random traces with a fixed seed."""
        for number in range(WALKS):
            choose = random.Random(f"{self.machine.name} {number}")
            place = self.start()
            for _ in range(WALK_STEPS):
                move = choose.choice(self.moves)
                failures = self.failures(place.situation.state, move.event.name)
                situation, steps = place.situation, place.steps
                if failures and choose.random() < 0.3:
                    situation, steps = self.armed(place, choose.choice(failures))
                happened = self.simulation.step(situation, move.event, move.carried)
                place = _Place(happened.situation, (*steps, move.step))
            yield Trace(f"walk {number + 1}", place.steps)


def _fills(simulation: Simulation) -> Iterator[Fill]:
    """Ordinary values for the fields that the host fills."""
    messages = Messages(simulation.protocol)
    for message in messages.all:
        fields = shown_fields(simulation.protocol, message)
        for field, value in zip(fields, messages.ordinary(message), strict=True):
            if simulation.fillable(message.name, field.name):
                yield Fill(message.name, field.name, value_bytes(field, value))


def _never_assigned_texts(machine: Machine) -> list[str]:
    steps = [step for row in machine.transitions for step in row.steps]
    assigned = {step.variable for step in steps if isinstance(step, Assign)}
    return [item.name for item in machine.variables if item.type is Type.STRING and item.name not in assigned]


def _telling(machine: Machine) -> set[str]:
    """The variables that a guard reads, or that are assigned to one of these."""
    names: set[str] = set()
    for row in machine.transitions:
        if row.guard is not None:
            names |= _variables(row.guard)
    size = -1
    while size != len(names):
        size = len(names)
        for row in machine.transitions:
            for step in row.steps:
                if isinstance(step, Assign) and step.variable in names:
                    names |= _variables(step.value)
    return names


def _variables(expression: Expression) -> set[str]:
    names = (part for part in subexpressions(expression) if isinstance(part, Name))
    return {name.name for name in names if name.scope == "variable"}


def _moves(simulation: Simulation) -> Iterator[_Move]:
    """Every event with a few values: ordinary ones, the least and the greatest, if they can be encoded."""
    messages = Messages(simulation.protocol)
    for event in simulation.machine.events:
        if event.message is None:
            yield from _calls(simulation, event, event.parameters)
            continue
        message = simulation.messages[event.message]
        if message not in messages.all:
            continue
        fields = shown_fields(simulation.protocol, message)
        ordinary = messages.ordinary(message)
        for label, values in _distinct(messages.samples, fields, ordinary):
            carried = simulation.carried(event, values)
            try:
                encode_frames(simulation.protocol, message, values)
            except EncodeFault:  # the numbers violate a relation
                continue
            frames = encode_frames(simulation.protocol, message, values)
            step: Step = Arrive(frames[0]) if len(frames) == 1 else ArriveFrames(tuple(frames))
            if event.kind is not EventKind.MESSAGE:
                encoded = [value_bytes(f, value) for f, value in zip(fields, values, strict=True)]
                step = Call(event.name, tuple(encoded))
            yield _Move(event, carried, step, label)


def _calls(simulation: Simulation, event: Event, fields: tuple[Field, ...]) -> Iterator[_Move]:
    samples = Samples(simulation.protocol)
    ordinary = [samples.ordinary(field) for field in fields]
    for label, values in _distinct(samples, fields, ordinary):
        encoded = [value_bytes(field, value) for field, value in zip(fields, values, strict=True)]
        yield _Move(event, simulation.carried(event, values), Call(event.name, tuple(encoded)), label)


def _distinct(samples: Samples, fields: Sequence[Field], ordinary: list[Any]) -> list[tuple[str, list[Any]]]:
    """Ordinary, least and ordinary values with the greatest numbers, each with its label, without repetitions."""
    labelled = [("ordinary", ordinary)]
    least = [_edge(samples, field, min, None) for field in fields]
    most = [_edge(samples, field, max, value) for field, value in zip(fields, ordinary, strict=True)]
    for label, values in (("least", least), ("greatest", most)):
        if values not in [other for _, other in labelled]:
            labelled.append((label, values))
    return labelled


def _edge(samples: Samples, field: Field, choose: Callable[[list[Any]], Any], otherwise: Any) -> Any:
    """The least or the greatest number; for other types `otherwise`, or the shortest value instead of None."""
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        return choose([value for _, value in samples.edges(field)])
    if otherwise is not None:
        return otherwise
    if field.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH):
        return []
    return samples.edges(field)[0][1]
