"""Advanced features in every language: several frames, filled messages, raised events, timers, extensions, relations.

Answers of each language's driver to random requests are compared with those of the IR (:mod:`zeps_codegen.requests`).
"""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from built_models import DRIVERS, grouped, handmade
from campaigns import random_of, sized
from damage import damaged
from driver_processes import Process
from programs import vectors_of

from zeps_codegen.compose import EncodeFault, encode_frames, is_multipart, shown_fields
from zeps_codegen.generate import generate
from zeps_codegen.ir import Enumeration, EventKind, Field, FieldType, Machine, Message, Protocol, Text, Type
from zeps_codegen.requests import (
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
    decode_frames_request,
    decode_request,
    encode_frames_request,
    encode_request,
    machine_request,
    value_bytes,
    variable_bytes,
)
from zeps_codegen.targets.vectors import FOLDER, render
from zeps_conformance.codec.campaign import DriverCommand
from zeps_conformance.codec.driver_protocol import parse_example
from zeps_conformance.codec.oracle import Oracle as SuiteOracle
from zeps_conformance.model.definitions import load_models

TRACES, FRAMES = sized(300, 5000), sized(600, 10_000)
BUNDLE = handmade("features")
ORACLE = Oracle(BUNDLE)
Asked = Sequence[tuple[bytes, bytes]]
"""Requests, each with its answer."""


class Values:
    """Random values for a protocol's fields: mostly valid ones, with a preference for edges."""

    def __init__(self, source: random.Random, enumerations: Sequence[Enumeration], faults: float) -> None:
        self.source, self.enumerations, self.faults = source, enumerations, faults
        self.members = {
            enumeration.name: [member.value for member in enumeration.members] for enumeration in enumerations
        }

    def message(self, protocol: Protocol, message: Message) -> list[Any]:
        """Values that can be encoded, unless faults are requested."""
        while True:
            values = self._message(protocol, message)
            try:
                encode_frames(protocol, message, values)
            except EncodeFault:
                if not self.faults:
                    continue
            return values

    def _message(self, protocol: Protocol, message: Message) -> list[Any]:
        values = [self.value(field) for field in shown_fields(protocol, message)]
        counted = [i for i, field in enumerate(shown_fields(protocol, message)) if field.count is not None]
        for index in counted[1:]:
            values[index] = values[counted[0]]
        return values

    def value(self, field: Field) -> Any:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                return self.number(field)
            case FieldType.UUID:
                return self.random_bytes(16, 16)
            case FieldType.OCTETS if field.length is None:
                return self.random_bytes(field.size, field.size)
            case FieldType.STRINGS:
                return self.items(Field("item", FieldType.STRING, size=4, text=field.text), 3)
            case FieldType.HASH:
                parts = self.items(Field("part", FieldType.STRING, size=1, text=field.text), 6)
                return list(zip(parts[::2], parts[1::2], strict=False))
            case FieldType.LIST:
                assert field.items is not None
                return self.items(field.items, field.max or 4)
            case FieldType.MSG:
                return [self.random_bytes(0, 5) for _ in range(self.source.randint(1, 3))]
            case FieldType.STRING:
                return self.text(field)
            case _:
                return self.random_bytes(0, min(field.max or 30, 30))

    def items(self, item: Field, most: int) -> list[Any]:
        """Items of a list with at most one error."""
        good = Values(self.source, self.enumerations, 0.0)
        values = [good.value(item) for _ in range(self.source.randint(0, most))]
        if self.source.random() < self.faults:
            if values and self.source.random() < 0.5:
                values[self.source.randrange(len(values))] = self.value(item)
            else:
                values += [good.value(item) for _ in range(most - len(values) + 1)]
        return values

    def number(self, field: Field) -> int:
        bits = 64 if field.type is FieldType.VARINT else 8 * field.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if field.signed else (0, (1 << bits) - 1)
        if field.enumeration is not None and self.source.random() >= self.faults:
            return self.source.choice(self.members[field.enumeration])  # type: ignore[return-value]
        edges = [
            low,
            high,
            0,
            1,
            2,
            3,
            9,
            10,
            13,
            min(field.max or high, high),
            self.source.randint(low, high),
        ]
        value = self.source.choice(edges)
        fits = self.source.random() < self.faults or field.max is None
        return value if fits else min(value, field.max or 0)

    def random_bytes(self, least: int, most: int) -> bytes:
        return self.source.randbytes(self.source.randint(least, most + (self.source.random() < self.faults)))

    def text(self, field: Field) -> bytes:
        if field.text is Text.OCTETS:
            return self.random_bytes(0, 10)
        words = ["", "none", "héllo", "x" * 20, "日本"]
        if self.source.random() < self.faults:
            words += ["x" * 256, "a\tb"]
        return self.source.choice(words).encode()


def frames_of(protocol: Protocol, source: random.Random, faults: float = 0.1) -> Iterator[list[bytes]]:
    """Random frames of messages: complete, cut, extended, or with a changed byte."""
    values = Values(source, protocol.enumerations, 0.0)
    while True:
        message = source.choice(protocol.current)
        frames = encode_frames(protocol, message, values.message(protocol, message))
        if source.random() < faults:
            frames[0] = damaged(frames[0], source)
        if len(frames) > 1 and source.random() < faults:
            frames = source.choice([frames[:-1], [*frames, b""], frames[:1]])
        yield frames


def decode_requests(protocol: Protocol, source: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Requests, with their answers."""
    made = frames_of(protocol, source, 0.5)
    for _ in range(FRAMES):
        frames = next(made)
        if len(frames) == 1:
            yield decode_request(protocol.name, frames[0]), ORACLE.decode(protocol.name, frames[0])
        yield decode_frames_request(protocol.name, frames), ORACLE.decode_frames(protocol.name, frames)


def encode_requests(protocol: Protocol, source: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Requests with at most one invalid value, with their answers."""
    good, bad = Values(source, protocol.enumerations, 0.0), Values(source, protocol.enumerations, 1.0)
    for _ in range(FRAMES):
        message = source.choice(protocol.current)
        values, fields = good.message(protocol, message), shown_fields(protocol, message)
        if values and source.random() < 0.5:
            index = source.randrange(len(values))
            values[index] = bad.value(fields[index])
        if is_multipart(message):
            request = encode_frames_request(protocol, message, values)
            yield request, ORACLE.encode_frames(protocol.name, message, values)
        else:
            yield encode_request(protocol, message, values), ORACLE.encode(protocol.name, message, values)


def traces(machine: Machine, source: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Random steps of a machine, with their results."""
    protocol = BUNDLE.protocol(machine.protocol)
    arriving = frames_of(protocol, source)
    values = Values(source, protocol.enumerations, 0.1)
    fields = {message.name: shown_fields(protocol, message) for message in protocol.current}
    fillable = [
        (message, field)
        for message, message_fields in fields.items()
        for field in message_fields
        if ORACLE.simulation(machine.name).fillable(message, field.name)
    ]
    for _ in range(TRACES):
        steps, now = list[Step](), 0
        if source.random() < 0.7:
            steps += [
                Fill(name, field.name, value_bytes(field, values.value(field))) for name, field in fillable
            ]
        for _ in range(source.randint(1, 12)):
            now += source.choice([0, 1, 99, 199, 500, 3000]) - (source.random() < 0.05)
            steps.append(_step(machine, source, arriving, values, fillable, max(now, 0)))
        yield machine_request(machine.name, steps), ORACLE.run(machine.name, steps)


def _step(
    machine: Machine,
    source: random.Random,
    arriving: Iterator[list[bytes]],
    values: Values,
    fillable: Sequence[tuple[str, Field]],
    now: int,
) -> Step:
    actions = [*machine.host_actions(), "nothing"]
    events = [candidate for candidate in machine.events if candidate.kind is not EventKind.MESSAGE]
    kind = source.choices(
        ["arrive", "call", "put", "arm", "raise", "fill", "advance"], [6, 4, 1, 2, 3, 3, 4]
    )[0]
    if kind == "arrive":
        frames = next(arriving)
        return Arrive(frames[0]) if len(frames) == 1 else ArriveFrames(tuple(frames))
    if kind == "put" and machine.variables:
        variable = source.choice(machine.variables)
        value = source.choice([0, 1, 150, (1 << 8 * variable.size) - 1])
        return Put(
            variable.name, variable_bytes(variable.type, value if variable.type is Type.NUMBER else b"x")
        )
    if kind in ("arm", "raise"):
        names = [*machine.internal, events[0].name, machine.events[0].name]
        return (Arm if kind == "arm" else ArmRaise)(source.choice(actions), source.choice(names))
    if kind == "fill" and fillable:
        message, field = source.choice(fillable)
        return Fill(message, field.name, value_bytes(field, values.value(field)))
    if kind == "fill":
        return Fill(machine.events[0].name, "number", value_bytes(Field("number", FieldType.NUMBER), 1))
    if kind == "advance":
        return Advance(now)
    event = source.choice(events)
    return Call(
        event.name, tuple(value_bytes(parameter, values.value(parameter)) for parameter in event.parameters)
    )


@pytest.fixture(scope="module")
def asked(built: Callable[..., Path]) -> Mapping[str, Asked]:
    """The requests of each protocol and machine, drawn once for all languages."""

    def draw(folder: Path) -> None:
        drawn: dict[str, Asked] = {}
        for protocol in BUNDLE.protocols:
            source = random_of(1)
            drawn[protocol.name] = [*decode_requests(protocol, source), *encode_requests(protocol, source)]
        for machine in BUNDLE.machines:
            drawn[machine.name] = list(traces(machine, random_of(2)))
        (folder / "requests").write_bytes(pickle.dumps(drawn))

    drawn: dict[str, Asked] = pickle.loads((built("feature-requests", draw) / "requests").read_bytes())
    return drawn


def test_two_oracles_agree(tmp_path: Path) -> None:
    """The generator's and the suite's oracles, which share no code."""
    generate(BUNDLE, tmp_path, ["model"])
    suite, source = SuiteOracle(*load_models(tmp_path / "generated" / "model.json")), random_of(3)
    vectors = vectors_of(render(BUNDLE)[FOLDER / "requests.tsv"])
    asked = [((request, answer) for _, request, answer in vectors)]
    asked += [traces(machine, source) for machine in BUNDLE.machines]
    for protocol in BUNDLE.protocols:
        asked += [decode_requests(protocol, source), encode_requests(protocol, source)]
    for request, answer in itertools.chain(*asked):
        assert suite.answer(parse_example(request)) == answer, request.hex()


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_codecs_and_machines(language: str, driver: DriverCommand, asked: Mapping[str, Asked]) -> None:
    """One process of a driver answers everything."""
    requests, expected = zip(*itertools.chain(*asked.values()), strict=True)
    for request, seen, answer in zip(
        requests, Process(driver.words).answers(requests), expected, strict=True
    ):
        assert seen == answer, f"request {request.hex()}: {seen.hex()} instead of {answer.hex()}"
