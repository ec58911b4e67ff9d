"""Expected answers of drivers, computed with the suite's own interpreter and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Step,
    Tagged,
    blob,
    encode_frames,
    encode_values,
    many,
    name,
    tagged,
    untagged,
)
from zeps_conformance.codec.machines import EventPayload, Running, Table
from zeps_conformance.codec.refusals import refusal
from zeps_conformance.model.definitions import Field, Model
from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError

__all__ = ["VARIABLE_TAGS", "Oracle", "parameter_fields"]

VARIABLE_TAGS = {"number": "u", "boolean": "u", "string": "s", "octets": "b"}


class Oracle:
    """The suite's codecs of `models`, and their `machines`; only of the protocols in `chosen` if it is not empty."""

    def __init__(
        self, models: Sequence[Model], machines: Sequence[Mapping[str, Any]], chosen: Sequence[str] = ()
    ) -> None:
        kept = [model for model in models if not chosen or model.name in chosen]
        self.codecs = {model.name: Interpreter(model) for model in kept}
        self.tables = {raw["name"]: Table(raw) for raw in machines if raw["protocol"] in self.codecs}

    def answer(self, example: Example) -> bytes:
        """Returns the expected answer. Raises KeyError for an unknown name, ValueError for a wrong number of values."""
        match example:
            case Decode(protocol, frames, several):
                return self._decode(self.codecs[protocol], frames, several)
            case Encode(protocol, message, values, several):
                return self._encode(self.codecs[protocol], message, values, several)
        return self._trace(self.tables[example.machine], example.steps)

    def values(self, codec: Interpreter, frames: Sequence[bytes]) -> tuple[str, list[Any]]:
        """Decodes `frames` into the message and its visible values, text as bytes. Raises MalformedFrameError."""
        decoded = codec.decode_frames(frames)
        values: dict[str, Any] = {} if decoded.topic is None else {"topic": decoded.topic}
        values |= decoded.values
        return decoded.name, [_to_bytes(values[spec.name]) for spec in codec.visible_fields(decoded.name)]

    def tagged(self, codec: Interpreter, message: str, values: Sequence[Any]) -> tuple[Tagged, ...]:
        """Returns a message's values in the form of answers."""
        return tuple(tagged(s, v) for s, v in zip(codec.visible_fields(message), values, strict=True))

    def encoded(self, codec: Interpreter, message: str, values: Sequence[Any]) -> list[bytes]:
        """Encodes a message from its visible values, text as bytes. Raises ValueError if a number does not fit."""
        given = {spec.name: value for spec, value in zip(codec.visible_fields(message), values, strict=True)}
        return codec.encode_frames(message, **given)

    def _decode(self, codec: Interpreter, frames: Sequence[bytes], several: bool) -> bytes:
        try:
            message, values = self.values(codec, frames)
        except MalformedFrameError as error:
            return b"-" + name(error.code) + name(error.message or "") + name(error.field or "")
        encoded = encode_frames(self.encoded(codec, message, values), several)
        return b"+" + name(message) + encode_values(self.tagged(codec, message, values)) + encoded

    def _encode(self, codec: Interpreter, message: str, values: Sequence[Tagged], several: bool) -> bytes:
        plain = [untagged(value) for value in values]
        wrong = refusal(codec, message, plain)
        if wrong is not None:
            return b"-" + name(wrong[0]) + name(message) + name(wrong[1])
        return b"+" + encode_frames(self.encoded(codec, message, plain), several)

    # --- machines

    def _trace(self, table: Table, steps: Sequence[Step]) -> bytes:
        running = self.start(table)
        answer = [b"+"]
        for step in steps:
            outcome = self.advance(table, running, step)
            answer.append(_situation(table, running, outcome))
            if isinstance(step, Advance) and outcome != "x":
                due = min(running.due.values(), default=None)
                answer.append(bytes((due is not None,)) + (due or 0).to_bytes(8, "big"))
        return b"".join(answer)

    def start(self, table: Table) -> Running:
        """Returns a new machine."""
        codec = self.codecs[table.protocol]

        def send(message: str, values: Mapping[str, Any], defaults: bool) -> list[bytes] | None:
            fields = codec.visible_fields(message)
            if not defaults and any(spec.name not in values for spec in fields):
                return None
            given = [values[spec.name] if spec.name in values else _zero(spec) for spec in fields]
            return None if refusal(codec, message, given) else self.encoded(codec, message, given)

        return Running(table, send)

    def advance(self, table: Table, running: Running, step: Step) -> str:
        """Runs one step. Returns the letter of its outcome; `running.actions` are then those of this step."""
        running.actions = []
        codec = self.codecs[table.protocol]
        match step:
            case Arrive(frames):
                return self._arrive(codec, table, running, frames)
            case Call(event, values):
                return self._call(codec, table, running, event, [untagged(value) for value in values])
            case Arm(action, event, raises):
                if action not in table.actions or event not in table.internal:
                    return "x"
                (running.raising if raises else running.armed)[action] = event
                return "v"
            case Fill(message, field, value):
                if field not in table.filled.get(message, ()):
                    return "x"
                running.drafts.setdefault(message, {})[field] = untagged(value)
                return "v"
            case Advance(now):
                return running.advance(now) if table.timers else "x"
            case _:
                if step.variable not in running.variables:
                    return "x"
                running.variables[step.variable] = untagged(step.value)
                return "v"

    def _arrive(self, codec: Interpreter, table: Table, running: Running, frames: Sequence[bytes]) -> str:
        try:
            message, values = self.values(codec, frames)
        except MalformedFrameError:
            return "x"
        event = table.arrival(message)
        if event is None:
            return "u"
        return running.happen(event, self._carried(codec, message, values))

    def _call(self, codec: Interpreter, table: Table, running: Running, name: str, values: list[Any]) -> str:
        event = table.events.get(name)
        if event is None or event["kind"] == "message":
            return "x"
        if event["message"] is not None:
            return running.happen(event, self._carried(codec, event["message"], values))
        named = {
            parameter["name"]: value for parameter, value in zip(event["parameters"], values, strict=True)
        }
        return running.happen(event, EventPayload(named))

    def _carried(self, codec: Interpreter, message: str, values: list[Any]) -> EventPayload:
        fields = codec.visible_fields(message)
        named = {spec.name: value for spec, value in zip(fields, values, strict=True)}
        frames = None if refusal(codec, message, values) else self.encoded(codec, message, values)
        return EventPayload(named, sum(map(len, frames or ())), frames)


def _situation(table: Table, running: Running, outcome: str) -> bytes:
    values = [
        (VARIABLE_TAGS[variable["type"]], running.variables[variable["name"]]) for variable in table.variables
    ]
    actions = [name(action) + blob(frame) for action, frame in running.actions]
    head = outcome.encode() + name(running.state) + bytes((running.terminated,))
    return head + encode_values(values) + many(actions)


def _zero(spec: Field) -> Any:
    """Returns the value of an unfilled field if a send has defaults, as zproto does: zero, or without content."""
    match spec.type:
        case "number" | "varint":
            return 0
        case "list" | "strings" | "hash":
            return []
        case "msg":
            return [b""]
        case "uuid":
            return bytes(16)
        case "octets" if spec.length is None:
            return bytes(spec.size)
        case _:
            return b""


def _to_bytes(value: Any) -> Any:
    """Returns a decoded value with its text as bytes."""
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, tuple):
        return tuple(map(_to_bytes, value))
    return [_to_bytes(item) for item in value] if isinstance(value, list) else value


def parameter_fields(event: Mapping[str, Any]) -> list[Field]:
    """Returns the parameters of an event without a message as fields."""
    return [
        Field(spec["name"], spec["type"], spec["size"], spec["signed"], text=spec["text"], max=spec["max"])
        for spec in event["parameters"]
    ]
