"""Conversion of a trace of client and server to requests of the driver protocol, one for each machine.

A trace has only the relevant data, in abstract form (:mod:`.passes.abstraction`): one unit of credit is one message
of any length. This module makes the data concrete again. Numbers that are compared with `size(MESSAGE)`, directly or
through assignments and messages, are multiplied by the size of that message; values that the trace does not specify
are plain values of their type. Both machines run from the IR meanwhile (:mod:`.simulate`), so that each receives the
frames that the other sent, and every step is confirmed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .compose import WireValue, encode, shown_fields
from .interpret import decode
from .ir import (
    Assign,
    Binary,
    Bundle,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Machine,
    Message,
    Name,
    Protocol,
    Send,
    Size,
    Text,
    Unary,
    walk,
)
from .passes.abstraction import Value
from .passes.local import THEN
from .passes.traces import Trace, TraceStep, pairs
from .requests import Arm, ArmRaise, Arrive, ArriveFrames, Call, Oracle, Step, machine_request, value_bytes
from .simulate import Happened, Simulation, zero_of

__all__ = ["Playback", "PlaybackError", "playbacks"]


class PlaybackError(ValueError):
    """The trace cannot be replayed with concrete data; the text says why, and at which step if it is a step's fault."""


@dataclass(slots=True)
class Playback:
    """One machine's part of a trace: its requests, and the answer that every driver must give."""

    machine: str
    steps: list[Step] = field(default_factory=list)
    answer: bytes = b""

    @property
    def request(self) -> bytes:
        """The request of the driver protocol."""
        return machine_request(self.machine, self.steps)


def playbacks(bundle: Bundle, trace: Trace, protocol: str | None = None) -> tuple[Playback, Playback]:
    """The parts of client and server. Raises PlaybackError if the machines do not do what the trace says, if one number
    measures the sizes of two messages, or if not exactly one pair of client and server has the `protocol` (None: any).
    """
    matches = [item for item in pairs(bundle) if protocol in (None, item[0].name)]
    if len(matches) != 1:
        raise PlaybackError(f"the trace needs one pair of client and server, not {len(matches)}")
    return _Player(bundle, *matches[0]).play(trace)


class _Player:
    def __init__(self, bundle: Bundle, protocol: Protocol, client: Machine, server: Machine) -> None:
        self.protocol = protocol
        self.oracle = Oracle(bundle)
        self.machines = {"client": client, "server": server}
        self.scale = _scales(protocol, (client, server))
        self.inbox: dict[str, deque[tuple[bytes, ...]]] = {"client": deque(), "server": deque()}
        self.parts = {actor: Playback(machine.name) for actor, machine in self.machines.items()}
        self.at = {actor: self.simulation(actor).initial() for actor in self.machines}

    def simulation(self, actor: str) -> Simulation:
        return self.oracle.simulation(self.machines[actor].name)

    def play(self, trace: Iterable[TraceStep]) -> tuple[Playback, Playback]:
        for number, step in enumerate(trace, 1):
            self._step(number, step)
        for part in self.parts.values():
            part.answer = self.oracle.run(part.machine, part.steps)
        return self.parts["client"], self.parts["server"]

    def _step(self, number: int, step: TraceStep) -> None:
        actor = step.actor
        if step.message is not None:
            if not self.inbox[actor]:
                raise PlaybackError(f"step {number}: no message has arrived: {step}")
            frames = self.inbox[actor].popleft()
            asked: Step = Arrive(frames[0]) if len(frames) == 1 else ArriveFrames(frames)
        else:
            asked = self._call(actor, step)
        arms = self._arms(number, step, asked)
        happened = self._happened(actor, [*arms, asked])
        sent = [item.frames for item in happened.actions if item.name == "send"]
        names = [self._name(frames) for frames in sent]
        expected = ("t", step.state_after) if step.state_after else (happened.outcome, step.state_before)
        refused = step.state_after is None and happened.outcome == "t"
        if (happened.outcome, happened.situation.state) != expected or refused:
            raise PlaybackError(f"step {number}: the machine has another outcome, {happened.outcome}: {step}")
        if step.state_after is not None and names != [packet.message for packet in step.sends]:
            raise PlaybackError(f"step {number}: the machine sends {names} instead: {step}")
        self.parts[actor].steps += [*arms, asked]
        self.at[actor] = happened.situation
        self.inbox["server" if actor == "client" else "client"].extend(sent)

    def _happened(self, actor: str, steps: Iterable[Step]) -> Happened:
        happened = Happened(self.at[actor], "v")
        for step in steps:
            happened = self.oracle.step(self.simulation(actor), happened.situation, step)
        return happened

    def _arms(self, number: int, step: TraceStep, asked: Step) -> list[Arm | ArmRaise]:
        """The requests before `asked` that make actions fail or raise as traced. Raises PlaybackError if impossible."""
        arms: list[Arm | ArmRaise] = []
        for place, event in enumerate(step.raised):
            if event is None:
                continue
            reached = list(self._reached(step.actor, self._happened(step.actor, [*arms, asked])))
            if place >= len(reached) or any(arm.action == reached[place] for arm in arms):
                raise PlaybackError(f"step {number}: no action raises {event}: {step}")
            if reached[place] in reached[:place]:
                raise PlaybackError(
                    f"step {number}: {reached[place]} returns without an event first, and raises one later: {step}"
                )
            later = event.startswith(THEN)
            arms.append(
                ArmRaise(reached[place], event.removeprefix(THEN)) if later else Arm(reached[place], event)
            )
        return arms

    def _reached(self, actor: str, happened: Happened) -> Iterator[str]:
        """The actions that may raise an event, in the order in which they ran."""
        may = {
            (row, item.name)
            for row, transition in enumerate(self.machines[actor].transitions)
            for item in transition.steps
            if isinstance(item, Host) and item.events
        }
        names = {name for row in happened.rows for at, name in may if at == row}
        yield from (item.name for item in happened.actions if item.name in names)

    def _name(self, frames: Sequence[bytes]) -> str:
        return decode(self.protocol, frames).message.name

    def _call(self, actor: str, step: TraceStep) -> Call:
        event = next(item for item in self.machines[actor].events if item.name == step.event)
        given = dict(step.inputs)
        if event.message is not None:
            message = self.protocol.message(event.message)
            fields = shown_fields(self.protocol, message)
        else:
            fields = event.parameters
        place = f"{self.machines[actor].name}.{event.name}"
        values = [self._value(item, given, self.scale.get(("event", place, item.name), 1)) for item in fields]
        return Call(event.name, tuple(value_bytes(*pair) for pair in zip(fields, values, strict=True)))

    def _value(self, item: Field, given: Mapping[str, Value], scale: int) -> WireValue:
        if item.name not in given:
            return _plain(item, self.protocol)
        value = given[item.name]
        return value.encode() if isinstance(value, str) else int(value) * scale


def _plain(item: Field, protocol: Protocol) -> WireValue:
    """A plain value: the first number of the field's enumeration, 1, the text `a`, or else zero bytes or nothing."""
    if item.enumeration is not None and not item.flags:
        members = next(enum.members for enum in protocol.enumerations if enum.name == item.enumeration)
        return next(member.value for member in members if isinstance(member.value, int))
    if item.type in (FieldType.NUMBER, FieldType.VARINT):
        return 1
    return b"a" if item.type is FieldType.STRING and item.text is not Text.OCTETS else zero_of(item)


# --- numbers that measure the bytes of a message

_Place = tuple[str, str, str]  # as in passes/abstraction.py


def _scales(protocol: Protocol, machines: tuple[Machine, Machine]) -> dict[_Place, int]:
    """The message's size in bytes for each parameter compared with it. Raises PlaybackError if there are two sizes."""
    groups = _Groups()
    for machine in machines:
        events = {event.name: event for event in machine.events}
        for row in machine.transitions:
            event = events.get(row.event)
            if row.guard is not None:
                _measured(row.guard, machine, event, groups)
            for step in row.steps:
                if isinstance(step, Assign):
                    target = ("variable", machine.name, step.variable)
                    groups.join([target, *_places(step.value, machine, event)])
                elif isinstance(step, Send):
                    for name, value in step.fields:
                        groups.join([("field", step.message, name), *_places(value, machine, event)])
    scales: dict[_Place, int] = {}
    for members in groups.all():
        sizes = {name for kind, name, _ in members if kind == "size"}
        if len(sizes) > 1:
            raise PlaybackError(f"one number measures the sizes of {' and '.join(sorted(sizes))}")
        for name in sizes:
            size = _size(protocol, protocol.message(name))
            scales |= {place: size for place in members if place[0] == "event"}
    return scales


def _size(protocol: Protocol, message: Message) -> int:
    values = [_plain(item, protocol) for item in shown_fields(protocol, message)]
    return len(encode(protocol, message, values))


def _measured(expression: Expression, machine: Machine, event: Event | None, groups: _Groups) -> None:
    """Joins the operands of each comparison, which have one unit, into one group; those of `and` and `or` do not."""
    match expression:
        case Unary(_, operand):
            _measured(operand, machine, event, groups)
        case Binary("and" | "or", left, right):
            _measured(left, machine, event, groups)
            _measured(right, machine, event, groups)
        case _:
            groups.join(list(_places(expression, machine, event)))


def _places(expression: Expression, machine: Machine, event: Event | None) -> Iterator[_Place]:
    for part in walk(expression):
        match part:
            case Name(name, "variable"):
                yield ("variable", machine.name, name)
            case Name(name):
                if event is not None and event.kind is EventKind.MESSAGE:
                    yield ("field", event.message or event.name, name)
                elif event is not None:
                    yield ("event", f"{machine.name}.{event.name}", name)
            case Size(message):
                yield ("size", message, "")


class _Groups:
    """Places that hold numbers of one kind."""

    def __init__(self) -> None:
        self._of: dict[_Place, set[_Place]] = {}

    def join(self, places: list[_Place]) -> None:
        group = {place for given in places for place in self._of.get(given, {given})}
        for place in group:
            self._of[place] = group

    def all(self) -> list[set[_Place]]:
        return list({id(group): group for group in self._of.values()}.values())
