"""Examples without end: the same seed gives the same ones, whatever the drivers answer."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from zeps_conformance.codec.machines import Table
from zeps_conformance.codec.mutate import mutated, random_octets
from zeps_conformance.codec.oracle import Oracle, parameter_fields
from zeps_conformance.codec.protocol import (
    Arm,
    Arrive,
    Call,
    Decode,
    Encode,
    Example,
    Put,
    Step,
    Trace,
    tagged,
)
from zeps_conformance.codec.values import Values
from zeps_conformance.interpreter import Interpreter, MalformedFrameError
from zeps_conformance.model import Message

__all__ = ["Examples"]

TRACE_STEPS_MAX = 20
RECENT = 31
_KINDS = ("valid", "mutated", "random", "encode", "unfitting", "trace")
_WEIGHTS = (15, 40, 5, 8, 17, 15)
_VARIABLES = {"number": "u", "boolean": "u", "string": "s", "octets": "b"}


class Examples:
    """Examples about all protocols and machines of `oracle`."""

    def __init__(self, oracle: Oracle, seed: int) -> None:
        self.oracle, self.random = oracle, Random(seed)
        self.spoken = [_Spoken(codec, self.random) for codec in oracle.codecs.values()]
        self.spoken = [one for one in self.spoken if one.messages]
        self.by_name = {one.name: one for one in self.spoken}
        self.tables = [table for table in oracle.tables.values() if table.protocol in self.by_name]
        self.drawn: dict[str, int] = dict.fromkeys(_KINDS, 0)

    def next(self) -> Example:
        """One more."""
        kind = self.random.choices(_KINDS, _WEIGHTS)[0]
        if kind == "trace" and not self.tables:
            kind = "mutated"
        self.drawn[kind] += 1
        if kind == "trace":
            return self._trace(self.random.choice(self.tables))
        spoken = self.random.choice(self.spoken)
        match kind:
            case "valid":
                return Decode(spoken.name, spoken.frame())
            case "mutated":
                return Decode(spoken.name, spoken.mutated())
            case "random":
                return Decode(spoken.name, spoken.octets())
            case _:
                return spoken.encoding(kind == "unfitting")

    # --- traces

    def _trace(self, table: Table) -> Trace:
        """A walk that mostly does what the state has rows for."""
        walk = _Walk(self.oracle, table, self.by_name[table.protocol], self.random)
        return Trace(table.name, tuple(walk.steps(self.random.randint(1, TRACE_STEPS_MAX))))


class _Spoken:
    """One protocol's frames."""

    def __init__(self, codec: Interpreter, random: Random) -> None:
        self.codec, self.random = codec, random
        self.name = codec.model.name
        self.values = Values(codec.model, random)
        self.messages = [one for one in codec.model.messages if not codec.is_multipart(one.name)]
        self.recent: list[bytes] = []  # good frames, to be mutated
        self.head = codec.head_size if codec.model.dispatch in ("signature", "octet", "pubsub") else 4

    def drawn(self, message: Message) -> list[Any]:
        return self.values.message(message, self.codec.shown(message.name))

    def frame(self, message: Message | None = None) -> bytes:
        """A good frame, of `message` or of any."""
        message = message or self.random.choice(self.messages)
        shown = self.codec.shown(message.name)
        values = self.values.message(message, shown)
        given = {spec.name: value for spec, value in zip(shown, values, strict=True)}
        for spec in message.fields:
            if spec.reserved and self.random.random() < 0.3:  # nobody looks at it
                given[spec.name] = self.random.randbytes(spec.size)
        found = self.codec.encode(message.name, **given)
        self.recent = [*self.recent[-RECENT:], found]
        return found

    def mutated(self) -> bytes:
        frame, other = self.frame(), self.random.choice(self.recent)
        places: list[int] = []
        if self.random.random() < 0.3:
            try:
                places = [span.start for span in self.codec.layout(frame)]
            except MalformedFrameError:
                places = []
        return mutated(self.random, frame, other, places, self.head)

    def octets(self) -> bytes:
        return random_octets(self.random, self.frame()[: self.head])

    def encoding(self, unfitting: bool) -> Encode:
        """A request to encode a message, with one value that does not fit if `unfitting`."""
        message = self.random.choice(self.messages)
        shown = self.codec.shown(message.name)
        if unfitting and not shown:
            message = max(self.messages, key=lambda one: len(self.codec.shown(one.name)))
            shown = self.codec.shown(message.name)
        values = self.values.message(message, shown)
        if unfitting and shown:
            at = self.random.randrange(len(shown))
            if shown[at].count is not None:
                values[at] = self.values.unfitting_items(message, shown[at], values[at])
            else:
                values[at] = self.values.unfitting(shown[at])
        return Encode(
            self.name, message.name, tuple(tagged(s, v) for s, v in zip(shown, values, strict=True))
        )


class _Walk:
    """A machine that is taken for a walk; the oracle's own goes along, to know where it is."""

    def __init__(self, oracle: Oracle, table: Table, spoken: _Spoken, random: Random) -> None:
        self.oracle, self.table, self.spoken, self.random = oracle, table, spoken, random
        self.running = oracle.start(table)
        self.messages = {one.name: one for one in spoken.messages}
        self.arrivals = [
            one
            for one in table.events.values()
            if one["message"] in self.messages and one["kind"] == "message"
        ]
        self.calls = [
            one for one in table.calls() if one["message"] is None or one["message"] in self.messages
        ]

    def steps(self, count: int) -> list[Step]:
        found: list[Step] = []
        for _ in range(count):
            step = self.step()
            if step is not None:
                found.append(step)
                self.oracle.advance(self.table, self.running, step)
        return found

    def step(self) -> Step | None:
        chance = self.random.random()
        if chance < 0.07:
            return Arrive(self.spoken.mutated())
        if chance < 0.12 and self.table.variables:
            variable = self.random.choice(self.table.variables)
            return Put(variable["name"], (_VARIABLES[variable["type"]], self.value(variable)))
        if chance < 0.20:
            return self.arm()
        known = {event for state, event in self.table.rows if state == self.running.state}
        choices = (
            [one for one in (*self.arrivals, *self.calls) if one["name"] in known] if chance < 0.75 else []
        )
        choices = choices or [*self.arrivals, *self.calls]
        return self.event(self.random.choice(choices)) if choices else None

    def event(self, event: Mapping[str, Any]) -> Step:
        if event["kind"] == "message":
            return Arrive(self.spoken.frame(self.messages[event["message"]]))
        if event["message"] is not None:
            message = self.messages[event["message"]]
            shown, values = self.spoken.codec.shown(message.name), self.spoken.drawn(message)
        else:
            shown = tuple(parameter_fields(event))
            values = [self.spoken.values.fitting(spec) for spec in shown]
        return Call(event["name"], tuple(tagged(s, v) for s, v in zip(shown, values, strict=True)))

    def arm(self) -> Step | None:
        able = [(action, raised) for action, names in self.table.actions.items() for raised in names]
        able = [one for one in able if one[0] not in self.running.armed]
        return Arm(*self.random.choice(able)) if able else None

    def value(self, variable: Mapping[str, Any]) -> Any:
        """A value that the variable can hold."""
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
