"""Converts a bundle to vectors: one JSON file per protocol and machine, and all of them as requests to a driver."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from ...compose import EncodeFault, WireValue, encode_frames, is_multipart, shown_fields, wire_values
from ...interpret import DecodeFault, decode
from ...ir import Bundle, Field, FieldType, Machine, Message, Protocol, Text, Type
from ...plan.layout import item_of
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
    decode_frames_request,
    decode_request,
    encode_frames_request,
    encode_request,
    machine_request,
    sent_bytes,
)
from ...simulate import Happened, Simulation
from .frames import FrameVector, UnencodableVector, frame_vectors, unencodable_vectors
from .traces import Trace, traces

__all__ = ["FOLDER", "FORMAT", "render"]

FOLDER = PurePosixPath("generated/vectors")
FORMAT = "zeps-vectors/1"
_HERE = Path(__file__).parent

_OUTCOMES = {
    "t": "taken",
    "n": "not taken",
    "u": "unexpected",
    "h": "unhandled",
    "x": "malformed or unknown",
    "v": "set",
    "e": "not encodable",
}


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """Every file of vectors, their schema, and requests.tsv: for each vector a line (two for a valid frame: decode,
    encode) of its name, the request and the answer in hexadecimal, separated by tabs.
    """
    return dict(_files(bundle))


@lru_cache(maxsize=8)
def _files(bundle: Bundle) -> Mapping[PurePosixPath, bytes]:
    """The vectors' files, generated once for every language's package; callers must not change them."""
    oracle = Oracle(bundle)
    files = {"vectors.schema.json": (_HERE / "vectors.schema.json").read_bytes()}
    lines: list[str] = []
    for protocol in bundle.protocols:
        frames, refused = frame_vectors(protocol), unencodable_vectors(protocol)
        files[f"{protocol.name}.json"] = _protocol_json(protocol, frames, refused)
        lines += _protocol_lines(oracle, protocol, frames, refused)
    for machine in bundle.machines:
        machine_traces = traces(bundle, machine)
        files[f"{machine.name}.json"] = _machine_json(oracle, machine, machine_traces)
        lines += _machine_lines(oracle, machine, machine_traces)
    files["requests.tsv"] = "".join(lines).encode()
    return {FOLDER / name: content for name, content in files.items()}


# --- requests


def _line(name: str, request: bytes, answer: bytes) -> str:
    return f"{name}\t{request.hex()}\t{answer.hex()}\n"


def _protocol_lines(
    oracle: Oracle, protocol: Protocol, frames: Iterable[FrameVector], refused: Iterable[UnencodableVector]
) -> Iterator[str]:
    name = protocol.name
    for vector in frames:
        encoded = vector.frames
        request, answer = decode_request(name, encoded[0]), oracle.decode(name, encoded[0])
        if len(encoded) > 1:
            request, answer = decode_frames_request(name, encoded), oracle.decode_frames(name, encoded)
        yield _line(f"{name}/decode/{vector.name}", request, answer)
        if answer.startswith(b"+"):
            message, values = wire_values(protocol, decode(protocol, encoded))
            yield _encode_line(oracle, protocol, vector.name, message, values)
    for refusal in refused:
        yield _encode_line(oracle, protocol, refusal.name, refusal.message, refusal.values)


def _encode_line(
    oracle: Oracle, protocol: Protocol, vector: str, message: Message, values: Sequence[WireValue]
) -> str:
    name = f"{protocol.name}/encode/{vector}"
    if is_multipart(message):
        request = encode_frames_request(protocol, message, values)
        return _line(name, request, oracle.encode_frames(protocol.name, message, values))
    return _line(
        name, encode_request(protocol, message, values), oracle.encode(protocol.name, message, values)
    )


def _machine_lines(oracle: Oracle, machine: Machine, machine_traces: Iterable[Trace]) -> Iterator[str]:
    for trace in machine_traces:
        request = machine_request(machine.name, trace.steps)
        yield _line(f"{machine.name}/{trace.name}", request, oracle.run(machine.name, trace.steps))


# --- JSON


def _document(head: dict[str, str], lists: dict[str, Sequence[dict[str, Any]]]) -> bytes:
    """Formats an object whose lists have one item on each line."""
    parts = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    for key, items in lists.items():
        lines = ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in items)
        parts.append(f"{json.dumps(key)}: [\n{lines}\n ]" if items else f"{json.dumps(key)}: []")
    return ("{\n " + ",\n ".join(parts) + "\n}\n").encode()


def _protocol_json(
    protocol: Protocol, frames: Iterable[FrameVector], refused: Iterable[UnencodableVector]
) -> bytes:
    positive, negative = [], []
    for vector in frames:
        item: dict[str, Any] = {"name": vector.name, **_frames_json(vector.frames)}
        try:
            decoded = decode(protocol, vector.frames)
        except DecodeFault as fault:
            where = {"message": fault.message, "field": fault.field, "offset": fault.offset}
            negative.append(item | {"error": fault.code} | where)
            continue
        message, values = wire_values(protocol, decoded)
        fields = shown_fields(protocol, message)
        item |= {"message": message.name, "values": _values(fields, values)}
        again = tuple(encode_frames(protocol, message, values))
        positive.append(
            item if again == vector.frames else item | {"encoded": _frames_json(again).popitem()[1]}
        )
    unencodable = [_refused(protocol, vector) for vector in refused]
    head = {"format": FORMAT, "protocol": protocol.name}
    return _document(head, {"positive": positive, "negative": negative, "unencodable": unencodable})


def _refused(protocol: Protocol, vector: UnencodableVector) -> dict[str, Any]:
    fields = shown_fields(protocol, vector.message)
    item = {"name": vector.name, "message": vector.message.name, "values": _values(fields, vector.values)}
    try:
        encode_frames(protocol, vector.message, vector.values)
    except EncodeFault as fault:
        return item | {"error": fault.code, "field": fault.field}
    raise AssertionError(f"{protocol.name}: {vector.name} can be encoded, but its vector says that it cannot")


def _values(fields: Sequence[Field], values: Sequence[Any]) -> dict[str, Any]:
    return {field.name: _json(field, value) for field, value in zip(fields, values, strict=True)}


def _json(field: Field, value: Any) -> Any:
    """The JSON form of a value: a number as digits, text as a string; bytes and text without UTF-8 as `{"hex": …}`."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return str(value)
        case FieldType.STRING:
            return _text(value) if field.text is not Text.OCTETS else {"hex": value.hex()}
        case FieldType.LIST | FieldType.STRINGS:
            return [_json(item_of(field), item) for item in value]
        case FieldType.HASH:
            return [[_json(item_of(field), part) for part in pair] for pair in value]
        case FieldType.MSG:
            return [{"hex": frame.hex()} for frame in value]
        case _:
            return {"hex": value.hex()}


def _text(content: bytes) -> Any:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"hex": content.hex()}


def _machine_json(oracle: Oracle, machine: Machine, machine_traces: Iterable[Trace]) -> bytes:
    simulation = oracle.simulation(machine.name)
    items = []
    for trace in machine_traces:
        situation, steps = simulation.initial(), []
        for step in trace.steps:
            happened = oracle.step(simulation, situation, step)
            situation = happened.situation
            item = _step(oracle, simulation, step) | _happened(machine, happened)
            if isinstance(step, Advance):
                item["deadline"] = None if situation.deadline is None else str(situation.deadline)
            steps.append(item)
        items.append({"name": trace.name, "steps": steps})
    head = {"format": FORMAT, "machine": machine.name, "protocol": machine.protocol}
    return _document(head, {"traces": items})


def _step(oracle: Oracle, simulation: Simulation, step: Step) -> dict[str, Any]:
    match step:
        case Arrive(frame):
            name = _arrived(oracle.decode(simulation.protocol.name, frame))
            return {"kind": "arrive", "message": name, "frame": frame.hex()}
        case ArriveFrames(frames):
            name = _arrived(oracle.decode_frames(simulation.protocol.name, frames))
            return {"kind": "arrive", "message": name, "frames": [frame.hex() for frame in frames]}
        case Call(name, values):
            event = simulation.events.get(name)
            if event is None:
                return {"kind": "call", "event": name, "values": {}}
            plain = list(map(bare, values))
            message = simulation.messages.get(event.message or "")
            fields = event.parameters if message is None else shown_fields(simulation.protocol, message)
            return {"kind": "call", "event": name, "values": _values(fields, plain)}
        case Put(name, value):
            kind = next(variable.type for variable in simulation.machine.variables if variable.name == name)
            return {"kind": "set", "variable": name, "value": _variable(kind, bare(value))}
        case Arm(action, event_name):
            return {"kind": "fail", "action": action, "event": event_name}
        case ArmRaise(action, event_name):
            return {"kind": "raise", "action": action, "event": event_name}
        case Fill(name, field, value):
            return {"kind": "fill", "message": name, "field": field, "value": value.hex()}
        case Advance(now):
            return {"kind": "advance", "now": str(now)}


def _frames_json(frames: Sequence[bytes]) -> dict[str, Any]:
    return {"frame": frames[0].hex()} if len(frames) == 1 else {"frames": [frame.hex() for frame in frames]}


def _arrived(answer: bytes) -> str | None:
    """The name of the message in an answer to a request to decode; None if the answer is an error."""
    return answer[2 : 2 + answer[1]].decode() if answer.startswith(b"+") else None


def _happened(machine: Machine, happened: Happened) -> dict[str, Any]:
    values = zip(machine.variables, happened.situation.variables, strict=True)
    return {
        "outcome": _OUTCOMES[happened.outcome],
        "state": happened.situation.state,
        "terminated": happened.situation.terminated,
        "variables": {variable.name: _variable(variable.type, value) for variable, value in values},
        "actions": [
            {"name": action.name, "frame": sent_bytes(action.frames).hex()}
            if action.name == "send"
            else {"name": action.name}
            for action in happened.actions
        ],
    }


def _variable(kind: Type, value: Any) -> Any:
    match kind:
        case Type.NUMBER:
            return str(int(value))
        case Type.BOOLEAN:
            return bool(value)
        case Type.STRING:
            return _text(value)
        case Type.OCTETS:
            return {"hex": value.hex()}
