"""The driver protocol (conformance/drivers/README.md), answered from the IR with `interpret`, `compose` and `simulate`
only: the expected answers of every driver, to compare generated packages with the model.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .compose import EncodeFault, WireValue, encode, encode_frames, shown_fields, wire_values
from .interpret import DecodeFault, decode
from .ir import Bundle, EventKind, Field, FieldType, Message, Protocol, Type
from .simulate import Happened, Simulation, Situation, Value

__all__ = [
    "Advance",
    "Arm",
    "ArmRaise",
    "Arrive",
    "ArriveFrames",
    "Call",
    "Fill",
    "Oracle",
    "Put",
    "Step",
    "bare",
    "decode_frames_request",
    "decode_request",
    "encode_frames_request",
    "encode_request",
    "machine_request",
    "sent_bytes",
    "value_bytes",
    "variable_bytes",
]


@dataclass(frozen=True, slots=True)
class Arrive:
    """A frame arrives."""

    frame: bytes


@dataclass(frozen=True, slots=True)
class ArriveFrames:
    """A message of several frames arrives."""

    frames: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """The host or the application raises an event."""

    event: str
    values: tuple[bytes, ...] = ()  # as the driver protocol encodes them: see value_bytes


@dataclass(frozen=True, slots=True)
class Put:
    """The host sets a variable."""

    variable: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Arm:
    """The host action fails with the event the next time it runs."""

    action: str
    event: str


@dataclass(frozen=True, slots=True)
class ArmRaise:
    """The host action raises the event the next time it runs."""

    action: str
    event: str


@dataclass(frozen=True, slots=True)
class Fill:
    """A step: the host fills a field of the next `message` that the machine sends."""

    message: str
    field: str
    value: bytes  # as the driver protocol encodes it: see value_bytes


@dataclass(frozen=True, slots=True)
class Advance:
    """The clock is `now`, in milliseconds."""

    now: int


Step = Arrive | ArriveFrames | Call | Put | Arm | ArmRaise | Fill | Advance


def _name(text: str) -> bytes:
    encoded = text.encode()
    return bytes([len(encoded)]) + encoded


def _blob(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _many(items: Sequence[bytes]) -> bytes:
    return struct.pack(">I", len(items)) + b"".join(items)


def value_bytes(field: Field, value: Any) -> bytes:
    """A field's value, in which text is bytes, as requests and answers encode it."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return b"i" + struct.pack(">q", value) if field.signed else b"u" + struct.pack(">Q", value)
        case FieldType.STRING:
            return b"s" + _blob(value)
        case FieldType.MSG:
            return b"l" + _many([b"b" + _blob(frame) for frame in value])
        case FieldType.LIST | FieldType.STRINGS:
            item = field.items or Field("item", FieldType.STRING, size=4)
            return b"l" + _many([value_bytes(item, element) for element in value])
        case FieldType.HASH:
            parts = [b"s" + _blob(part) for pair in value for part in pair]
            return b"h" + struct.pack(">I", len(parts) // 2) + b"".join(parts)
        case _:
            return b"b" + _blob(value)


def variable_bytes(kind: Type, value: Value) -> bytes:
    """A variable's value as requests and answers encode it."""
    if kind in (Type.STRING, Type.OCTETS):
        assert isinstance(value, bytes)
        return (b"s" if kind is Type.STRING else b"b") + _blob(value)
    return b"u" + struct.pack(">Q", value)


def decode_request(protocol: str, frame: bytes) -> bytes:
    """The request to decode `frame`."""
    return b"D" + _name(protocol) + _blob(frame)


def decode_frames_request(protocol: str, frames: Sequence[bytes]) -> bytes:
    """The request to decode a message of several frames."""
    return b"d" + _name(protocol) + _many([_blob(frame) for frame in frames])


def encode_frames_request(protocol: Protocol, message: Message, values: Sequence[WireValue]) -> bytes:
    """The request to encode a message of several frames."""
    return b"e" + encode_request(protocol, message, values)[1:]


def sent_bytes(frames: Sequence[bytes]) -> bytes:
    """The message that a machine sent, as answers encode it: one frame unchanged, each of several as a blob."""
    return b"".join(frames) if len(frames) <= 1 else b"".join(map(_blob, frames))


def encode_request(protocol: Protocol, message: Message, values: Sequence[WireValue]) -> bytes:
    """The request to encode a message with these values, which are in the order of `shown_fields`."""
    encoded = [value_bytes(f, v) for f, v in zip(shown_fields(protocol, message), values, strict=True)]
    return b"E" + _name(protocol.name) + _name(message.name) + _many(encoded)


def machine_request(machine: str, steps: Iterable[Step]) -> bytes:
    """The request to run a new machine through `steps`."""
    return b"M" + _name(machine) + _many([_step(step) for step in steps])


def _step(step: Step) -> bytes:
    match step:
        case Arrive(frame):
            return b"m" + _blob(frame)
        case Call(event, values):
            return b"c" + _name(event) + _many(values)
        case Put(variable, value):
            return b"v" + _name(variable) + value
        case ArriveFrames(frames):
            return b"a" + _many([_blob(frame) for frame in frames])
        case Arm(action, event):
            return b"f" + _name(action) + _name(event)
        case ArmRaise(action, event):
            return b"n" + _name(action) + _name(event)
        case Fill(message, field, value):
            return b"w" + _name(message) + _name(field) + value
        case Advance(now):
            return b"t" + struct.pack(">Q", now)


class Oracle:
    """The expected answers of every driver for a bundle. Methods raise KeyError for an unknown protocol or machine."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self._simulations = {machine.name: Simulation(bundle, machine) for machine in bundle.machines}

    def simulation(self, machine: str) -> Simulation:
        """The simulation of the machine called `machine`. Raises KeyError if the bundle does not have it."""
        return self._simulations[machine]

    def decode(self, name: str, frame: bytes) -> bytes:
        """The answer to a decoding request: the message, its values and the frame that encodes them; or the error."""
        return self._decoded(name, [frame], lambda again: _blob(again[0]))

    def decode_frames(self, name: str, frames: Sequence[bytes]) -> bytes:
        """As :meth:`decode`, for a message of several frames."""
        return self._decoded(name, frames, lambda again: _many([_blob(frame) for frame in again]))

    def _decoded(self, name: str, frames: Sequence[bytes], show: Callable[[list[bytes]], bytes]) -> bytes:
        protocol = self.bundle.protocol(name)
        try:
            message, values = wire_values(protocol, decode(protocol, frames))
        except DecodeFault as fault:
            return _refusal(fault.code, fault.message, fault.field)
        fields = shown_fields(protocol, message)
        encoded = [value_bytes(field, value) for field, value in zip(fields, values, strict=True)]
        return b"+" + _name(message.name) + _many(encoded) + show(encode_frames(protocol, message, values))

    def encode(self, name: str, message: Message, values: Sequence[WireValue]) -> bytes:
        """The answer to a request to encode a message of the protocol called `name`: the frame, or the error."""
        return self._encoded(lambda: _blob(encode(self.bundle.protocol(name), message, values)))

    def encode_frames(self, name: str, message: Message, values: Sequence[WireValue]) -> bytes:
        """As :meth:`encode`, for a message of several frames."""
        protocol = self.bundle.protocol(name)
        return self._encoded(
            lambda: _many([_blob(frame) for frame in encode_frames(protocol, message, values)])
        )

    @staticmethod
    def _encoded(show: Callable[[], bytes]) -> bytes:
        try:
            return b"+" + show()
        except EncodeFault as fault:
            return _refusal(fault.code, fault.message, fault.field)

    def run(self, machine: str, steps: Iterable[Step]) -> bytes:
        """The answer for a new machine: each step's result; after a valid Advance also when the next timer is due."""
        simulation = self._simulations[machine]
        situation, answer = simulation.initial(), [b"+"]
        for step in steps:
            happened = self.step(simulation, situation, step)
            situation = happened.situation
            answer.append(self._described(simulation, happened))
            if isinstance(step, Advance) and happened.outcome != "x":
                due = situation.deadline
                answer.append(bytes([due is not None]) + struct.pack(">Q", due or 0))
        return b"".join(answer)

    def step(self, simulation: Simulation, situation: Situation, step: Step) -> Happened:
        """The result of one step. The outcome is `x` if the machine does not have what the step names, has no timers
        for Advance, or for a frame that is not a message; `u` for a message that the machine does not know; `v` for a
        step that only prepares the next; otherwise as in :mod:`.simulate`.
        """
        match step:
            case Arrive(frame):
                return self._arrive(simulation, situation, [frame])
            case ArriveFrames(frames):
                return self._arrive(simulation, situation, frames)
            case Call(name, values):
                event = simulation.events.get(name)
                if event is None or event.kind is EventKind.MESSAGE:
                    return Happened(situation, "x")
                return simulation.step(situation, event, simulation.carried(event, list(map(bare, values))))
            case Put(variable, value):
                if variable not in simulation.variables:
                    return Happened(situation, "x")
                return Happened(simulation.set(situation, variable, _bare_value(value)), "v")
            case Arm(action, event_name) | ArmRaise(action, event_name):
                machine = simulation.machine
                if action not in machine.host_actions() or event_name not in machine.internal:
                    return Happened(situation, "x")
                arm = simulation.arm if isinstance(step, Arm) else simulation.arm_raise
                return Happened(arm(situation, action, event_name), "v")
            case Fill(message, field, value):
                if not simulation.fillable(message, field):
                    return Happened(situation, "x")
                return Happened(simulation.fill(situation, message, field, bare(value)), "v")
            case Advance(now):
                return (
                    simulation.advance(situation, now)
                    if simulation.machine.timers
                    else Happened(situation, "x")
                )

    def _arrive(self, simulation: Simulation, situation: Situation, frames: Sequence[bytes]) -> Happened:
        try:
            message, values = wire_values(simulation.protocol, decode(simulation.protocol, frames))
        except DecodeFault:
            return Happened(situation, "x")
        event = simulation.arrived(message.name)
        if event is None:
            return Happened(situation, "u")
        return simulation.step(situation, event, simulation.carried(event, values))

    def _described(self, simulation: Simulation, happened: Happened) -> bytes:
        kinds = [variable.type for variable in simulation.machine.variables]
        values = [variable_bytes(k, v) for k, v in zip(kinds, happened.situation.variables, strict=True)]
        actions = [_name(action.name) + _blob(sent_bytes(action.frames)) for action in happened.actions]
        situation = happened.situation
        head = happened.outcome.encode() + _name(situation.state) + bytes([situation.terminated])
        return head + _many(values) + _many(actions)


def _refusal(code: str, message: str | None, field: str | None) -> bytes:
    return b"-" + _name(code) + _name(message or "") + _name(field or "")


def bare(value: bytes) -> Any:
    """The value that `value_bytes` or `variable_bytes` encoded. Raises ValueError if bytes follow it."""
    parsed, end = _parsed(value, 0)
    if end != len(value):
        raise ValueError("bytes follow the value")
    return parsed


def _bare_value(value: bytes) -> Value:
    parsed = bare(value)
    assert isinstance(parsed, (int, bytes))
    return parsed


def _parsed(data: bytes, at: int) -> tuple[Any, int]:
    """The value at offset `at`, and the offset of its end."""
    tag = data[at : at + 1]
    if tag in (b"u", b"i"):
        return int.from_bytes(data[at + 1 : at + 9], "big", signed=tag == b"i"), at + 9
    count = int.from_bytes(data[at + 1 : at + 5], "big")
    at += 5
    if tag in (b"s", b"b"):
        return data[at : at + count], at + count
    items: list[Any] = []
    for _ in range(count * (2 if tag == b"h" else 1)):
        item, at = _parsed(data, at)
        items.append(item)
    if tag == b"h":
        return list(zip(items[::2], items[1::2], strict=True)), at
    return items, at
