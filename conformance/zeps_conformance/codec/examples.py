"""Unlimited stream of examples: the same seed gives the same examples, whatever the drivers answer."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from zeps_conformance.codec.driver_protocol import (
    Advance,
    Arm,
    Arrive,
    Call,
    Decode,
    Encode,
    Example,
    Fill,
    Put,
    Step,
    Trace,
    tagged,
)
from zeps_conformance.codec.machines import Table
from zeps_conformance.codec.mutate import mutated, random_bytes
from zeps_conformance.codec.oracle import VARIABLE_TAGS, Oracle, parameter_fields
from zeps_conformance.codec.values import Values
from zeps_conformance.model.definitions import Message
from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError

__all__ = ["Examples"]

TRACE_STEPS_MAX = 20
RECENT = 31
_KINDS = ("valid", "mutated", "random", "encode", "unfitting", "trace")
_WEIGHTS = (15, 40, 5, 8, 17, 15)


class Examples:
    """Generator of examples for all protocols and machines of `oracle`. `drawn` counts them by kind."""

    def __init__(self, oracle: Oracle, seed: int) -> None:
        self.oracle, self.random = oracle, Random(seed)
        self.spoken = [_Spoken(codec, self.random) for codec in oracle.codecs.values()]
        self.spoken = [spoken for spoken in self.spoken if spoken.messages]
        self.by_name = {spoken.name: spoken for spoken in self.spoken}
        self.tables = [table for table in oracle.tables.values() if table.protocol in self.by_name]
        self.drawn: dict[str, int] = dict.fromkeys(_KINDS, 0)

    def next(self) -> Example:
        """Returns the next example."""
        kind = self.random.choices(_KINDS, _WEIGHTS)[0]
        if kind == "trace" and not self.tables:
            kind = "mutated"
        self.drawn[kind] += 1
        if kind == "trace":
            return self._trace(self.random.choice(self.tables))
        spoken = self.random.choice(self.spoken)
        match kind:
            case "valid":
                frames = spoken.frames()
            case "mutated":
                frames = spoken.mutated()
            case "random":
                frames = [spoken.random_frame()]
            case _:
                return spoken.encoding(kind == "unfitting")
        return Decode(spoken.name, tuple(frames), len(frames) != 1)

    # --- traces

    def _trace(self, table: Table) -> Trace:
        """Returns a walk of at most 20 steps that mostly uses the rows of the machine's current state."""
        walk = _Walk(self.oracle, table, self.by_name[table.protocol], self.random)
        return Trace(table.name, tuple(walk.steps(self.random.randint(1, TRACE_STEPS_MAX))))


def _arrive(frames: list[bytes]) -> Arrive:
    return Arrive(tuple(frames), len(frames) != 1)


class _Spoken:
    """Generator of frames of one protocol."""

    def __init__(self, codec: Interpreter, random: Random) -> None:
        self.codec, self.random = codec, random
        self.name = codec.model.name
        self.values = Values(codec.model, random)
        self.messages = list(codec.model.messages)
        self.recent: list[bytes] = []  # valid frames, to be mutated
        self.head = codec.head_size if codec.model.dispatch in ("signature", "octet", "pubsub") else 4

    def drawn(self, message: Message) -> list[Any]:
        return self.values.message(message, self.codec.visible_fields(message.name))

    def frames(self, message: Message | None = None) -> list[bytes]:
        """Returns the frames of a valid message, of `message` or of a random one; usually one frame."""
        message = message or self.random.choice(self.messages)
        fields = self.codec.visible_fields(message.name)
        values = self.values.message(message, fields)
        given = {spec.name: value for spec, value in zip(fields, values, strict=True)}
        for spec in message.fields:
            if spec.reserved and self.random.random() < 0.3:  # receivers ignore it
                given[spec.name] = self.random.randbytes(spec.size)
        frames = self.codec.encode_frames(message.name, **given)
        self.recent = [*self.recent[-RECENT:], frames[0]]
        return frames

    def mutated(self) -> list[bytes]:
        frame, *apart = self.frames()
        other = self.random.choice(self.recent)
        if apart and self.random.random() < 0.5:
            return self.random.choice([[frame, *apart[1:]], [frame, *apart, b""], [frame]])
        places: list[int] = []
        if self.random.random() < 0.3:
            try:
                places = [span.start for span in self.codec.layout(frame)]
            except MalformedFrameError:
                places = []
        return [mutated(self.random, frame, other, places, self.head), *apart]

    def random_frame(self) -> bytes:
        return random_bytes(self.random, self.frames()[0][: self.head])

    def encoding(self, unfitting: bool) -> Encode:
        """Returns a request to encode a random message, with one invalid value if `unfitting`, where possible."""
        message = self.random.choice(self.messages)
        fields = self.codec.visible_fields(message.name)
        if unfitting and not fields:
            message = max(self.messages, key=lambda candidate: len(self.codec.visible_fields(candidate.name)))
            fields = self.codec.visible_fields(message.name)
        values = self.values.message(message, fields)
        if unfitting and fields:
            at = self.random.randrange(len(fields))
            if fields[at].count is not None:
                values[at] = self.values.unfitting_items(message, fields[at], values[at])
            else:
                values[at] = self.values.unfitting(fields[at])
        tagged_values = tuple(tagged(s, v) for s, v in zip(fields, values, strict=True))
        return Encode(self.name, message.name, tagged_values, self.codec.is_multipart(message.name))


class _Walk:
    """Random walk through a machine; the oracle's own machine follows it, to know the current state."""

    def __init__(self, oracle: Oracle, table: Table, spoken: _Spoken, random: Random) -> None:
        self.oracle, self.table, self.spoken, self.random = oracle, table, spoken, random
        self.running = oracle.start(table)
        self.messages = {message.name: message for message in spoken.messages}
        self.arrivals = [
            event
            for event in table.events.values()
            if event["message"] in self.messages and event["kind"] == "message"
        ]
        self.calls = [
            event for event in table.calls() if event["message"] is None or event["message"] in self.messages
        ]
        self.fillable = [
            (message, spec)
            for message, names in table.filled.items()
            for spec in spoken.codec.visible_fields(message)
            if spec.name in names
        ]
        self.now = 0

    def steps(self, count: int) -> list[Step]:
        steps: list[Step] = []
        for _ in range(count):
            step = self.step()
            if step is not None:
                steps.append(step)
                self.oracle.advance(self.table, self.running, step)
        return steps

    def step(self) -> Step | None:
        chance = self.random.random()
        if chance < 0.07:
            return _arrive(self.spoken.mutated())
        if chance > 0.9 and self.table.timers:
            self.now += self.random.choice((0, 1, 10, 100, 1000, 60_000))
            return Advance(self.now)
        if chance > 0.75 and self.fillable:
            message, spec = self.random.choice(self.fillable)
            return Fill(message, spec.name, tagged(spec, self.spoken.values.fitting(spec)))
        if chance < 0.12 and self.table.variables:
            variable = self.random.choice(self.table.variables)
            return Put(variable["name"], (VARIABLE_TAGS[variable["type"]], self.value(variable)))
        if chance < 0.20:
            return self.arm()
        known = {event for state, event in self.table.rows if state == self.running.state}
        choices = (
            [event for event in (*self.arrivals, *self.calls) if event["name"] in known]
            if chance < 0.75
            else []
        )
        choices = choices or [*self.arrivals, *self.calls]
        return self.event(self.random.choice(choices)) if choices else None

    def event(self, event: Mapping[str, Any]) -> Step:
        if event["kind"] == "message":
            return _arrive(self.spoken.frames(self.messages[event["message"]]))
        if event["message"] is not None:
            message = self.messages[event["message"]]
            fields, values = self.spoken.codec.visible_fields(message.name), self.spoken.drawn(message)
        else:
            fields = tuple(parameter_fields(event))
            values = [self.spoken.values.fitting(spec) for spec in fields]
        return Call(event["name"], tuple(tagged(s, v) for s, v in zip(fields, values, strict=True)))

    def arm(self) -> Step | None:
        able: list[Step] = [
            Arm(action, event)
            for action, names in self.table.actions.items()
            if action not in self.running.armed
            for event in names
        ]
        able += [Arm(action, event, True) for action, names in self.table.raised.items() for event in names]
        return self.random.choice(able) if able else None

    def value(self, variable: Mapping[str, Any]) -> Any:
        """Returns a random value that the variable can hold, text as bytes."""
        match variable["type"]:
            case "number":
                most = (1 << 8 * variable["size"]) - 1
                return (
                    self.random.choice((0, 1, 2, 3, 7, 100, most - 1, most, self.random.randint(0, most)))
                    & most
                )
            case "boolean":
                return self.random.randint(0, 1)
            case "string":
                return self.random.choice((b"", b"x", "é\t".encode(), b"y" * 255, b"z" * 256))
            case _:
                return self.random.randbytes(self.random.randint(0, 9))
