"""Driver of the Python package ``zeps_wire``; ``conformance/drivers/README.md`` describes requests and answers. It is
not generated: it finds classes, attributes and methods by their order in the package, with the names of ``model.json``.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import importlib
import json
import keyword
import os
import re
import struct
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["REQUEST_BYTES_MAX", "Driver", "main"]

REQUEST_BYTES_MAX = 64 * 1024 * 1024

#: Reserved attribute names of a machine, besides Python's keywords; the package appends an underscore.
_RESERVED = frozenset(keyword.kwlist) | {"self", "cls", "print"}
_MEMBERS = frozenset({"EVENT_OF", "INTERNAL", "ROWS", "TIMERS", "advance", "deadline", "fail", "host"})
_MEMBERS |= {"on_transition", "raise_event", "receive", "state", "terminated"}


class BadRequest(Exception):  # noqa: N818
    """A request that cannot be parsed, or uses an unknown name; the text is the reason in the answer ``?``."""


class Unknown(Exception):  # noqa: N818
    """A step with a name that the machine does not have, or a time for a machine without timers: outcome ``x``."""


class Cursor:
    """A position in a request. Its methods parse a value and move behind it; they raise BadRequest."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise BadRequest("the request ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)

    def name(self) -> str:
        try:
            return self.take(self.number(1)).decode()
        except UnicodeDecodeError:
            raise BadRequest("a name is not valid UTF-8") from None

    def blob(self) -> bytes:
        return self.take(self.number(4))

    def blobs(self) -> list[bytes]:
        return [self.blob() for _ in range(self._count(4))]

    def end(self) -> None:
        if self.at != len(self.data):
            raise BadRequest("extra bytes after the request")

    def value(self) -> Any:
        """Returns a value after its tag: (b"u", 7), (b"s", b"text"), (b"l", [value, …]), (b"h", [(key, value), …])."""
        tag = self.take(1)
        match tag:
            case b"u" | b"i":
                return tag, self.number(8, tag == b"i")
            case b"s" | b"b":
                return tag, self.blob()
            case b"l":
                return tag, [self.value() for _ in range(self._count(1))]
            case b"h":
                return tag, [(self.value(), self.value()) for _ in range(self._count(2))]
            case _:
                raise BadRequest(f"unknown value tag {tag!r}")

    def values(self) -> list[Any]:
        return [self.value() for _ in range(self._count(1))]

    def _count(self, least: int) -> int:
        count = self.number(4)
        if count * least > len(self.data) - self.at:
            raise BadRequest("a count exceeds the request")
        return count


def encode_name(text: str) -> bytes:
    encoded = text.encode()
    return bytes([len(encoded)]) + encoded


def encode_blob(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def encode_frames(frames: list[bytes], several: bool) -> bytes:
    """Returns the first frame, or all of them after their number if `several`; each after its length."""
    if not several:
        return encode_blob(frames[0])
    return struct.pack(">I", len(frames)) + b"".join(map(encode_blob, frames))


# --- values: the model defines a field's type, which determines the Python object


def _field_from(field: Mapping[str, Any], value: Any) -> Any:
    """Converts a request's value for a field or a parameter, valid or not. Raises BadRequest for another type's tag."""
    tag, content = value
    kind = field["type"]
    if tag != _tag(field):
        raise BadRequest(f"{field['name']}: {tag.decode()} is not a value of a {kind}")
    if kind in ("list", "strings", "msg"):
        item = _item(field)
        return tuple(_field_from(item, element) for element in content)
    if kind == "hash":
        item = _item(field)
        return tuple((_field_from(item, key), _field_from(item, element)) for key, element in content)
    return _text(content) if tag == b"s" and field["text"] != "octets" else content


def _encode_field(field: Mapping[str, Any], value: Any) -> bytes:
    """Returns a field's value in the form of an answer."""
    match tag := _tag(field):
        case b"u":
            return tag + struct.pack(">Q", value)
        case b"i":
            return tag + struct.pack(">q", value)
        case b"l" | b"h":
            item, parts = _item(field), value if tag == b"l" else [part for pair in value for part in pair]
            return tag + struct.pack(">I", len(value)) + b"".join(_encode_field(item, part) for part in parts)
        case _:
            return tag + encode_blob(_to_bytes(value))


def _tag(field: Mapping[str, Any]) -> bytes:
    match field["type"]:
        case "number" | "varint":
            return b"i" if field["signed"] else b"u"
        case "string":
            return b"s"
        case "list" | "strings" | "msg":
            return b"l"
        case "hash":
            return b"h"
        case _:
            return b"b"


def _item(field: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = "octets" if field["type"] == "msg" else "string"
    plain = {"name": field["name"], "type": kind, "text": field["text"], "signed": False}
    return field["items"] or plain


def _text(data: bytes) -> str:
    """Returns text for the encoder; bytes that are not UTF-8 become text that it refuses."""
    return data.decode("utf-8", "surrogateescape")


def _to_bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)


_KINDS = {"number": b"u", "boolean": b"u", "string": b"s", "octets": b"b"}


def _encode_variable(kind: str, value: Any) -> bytes:
    tag = _KINDS[kind]
    return tag + (struct.pack(">Q", value) if tag == b"u" else encode_blob(_to_bytes(value)))


def _variable_from(kind: str, value: Any) -> Any:
    tag, content = value
    if tag != _KINDS[kind]:
        raise BadRequest(f"{tag.decode()} is not a value of a {kind}")
    return _text(content) if tag == b"s" else bool(content) if kind == "boolean" else content


# --- protocols


class Codec:
    """A protocol's module, and its messages by their names in the model."""

    def __init__(self, model: Mapping[str, Any], module: ModuleType, errors: ModuleType) -> None:
        self.name: str = model["name"]
        self.module, self.errors = module, errors
        self.classes = {cls.NAME: cls for cls in module.MESSAGES.values()}
        self._fields = {message["name"]: _visible_fields(message, model) for message in model["messages"]}

    def decode(self, frames: list[bytes]) -> Any:
        if hasattr(self.module, "decode_frames"):
            return self.module.decode_frames(frames)
        if len(frames) == 1:
            return self.module.decode(frames[0])
        raise BadRequest(f"the messages of {self.name} have one frame")

    def encode(self, message: Any) -> list[bytes]:
        if hasattr(message, "encode_frames"):
            return [bytes(frame) for frame in message.encode_frames()]
        return [bytes(message.encode())]

    def build(self, name: str, values: list[Any]) -> Any:
        """Returns the message `name` with `values`, valid or not. Raises BadRequest for a wrong name, count or type."""
        cls = self.classes.get(name)
        if cls is None:
            raise BadRequest(f"{self.name} does not have a message {name!r}")
        fields = self._fields[name]
        if len(values) != len(fields):
            raise BadRequest(f"{name} has {len(fields)} values, not {len(values)}")
        return cls(*map(_field_from, fields, values))

    def field(self, message: str, name: str) -> tuple[str, Mapping[str, Any]] | None:
        """Returns the package's attribute and the model's field for `name`, or None if the message does not have it."""
        fields = self._fields.get(message, ())
        names = [member.name for member in dataclasses.fields(self.classes[message])] if fields else []
        by_name = {field["name"]: (attribute, field) for attribute, field in zip(names, fields, strict=True)}
        return by_name.get(name)

    def values(self, message: Any) -> list[bytes]:
        fields = self._fields[message.NAME]
        names = [member.name for member in dataclasses.fields(message)]
        assert len(names) == len(fields), message.NAME
        return [
            _encode_field(field, getattr(message, name)) for field, name in zip(fields, names, strict=True)
        ]


def _visible_fields(message: Mapping[str, Any], protocol: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the fields that message objects have, in wire order, the topic first if the protocol has topics."""
    version = protocol["version"]
    present = [
        field
        for field in message["fields"]
        if field["since"] <= version and (field["until"] is None or version <= field["until"])
    ]
    measuring = {name for field in present for name in (field["count"], field["length"]) if name is not None}
    topic = {"name": "topic", "type": "string", "text": "utf-8", "signed": False, "items": None}
    return [topic] * (protocol["dispatch"] == "pubsub") + [
        field
        for field in present
        if field["value"] is None
        and not (field["derived"] or field.get("reserved"))
        and field["name"] not in measuring
    ]


# --- machines


class Record:
    """Host actions and sent messages of a machine's current step, in order (`log`), and the events that actions fail
    with (`armed`) or raise (`raising`) the next time they run.
    """

    def __init__(self) -> None:
        self.machine: Any = None
        self.armed: dict[str, Any] = {}
        self.raising: dict[str, Any] = {}
        self.log: list[tuple[str, bytes]] = []
        self.unencodable = False  # a message to be sent could not be encoded


class Host:
    """Host that logs sent messages and actions in `record`, and removes and carries out the events set there."""

    def __init__(self, codec: Codec, actions: Mapping[str, str], record: Record) -> None:
        self._codec, self._actions, self._record = codec, actions, record

    def send(self, message: Any) -> None:
        try:
            frames = self._codec.encode(message)
        except self._codec.errors.EncodeError as error:
            self.unsendable(error)
            return
        sent = b"".join(map(encode_blob, frames)) if len(frames) > 1 else frames[0]
        self._record.log.append(("send", sent))

    def unsendable(self, _error: Exception) -> None:
        self._record.unencodable = True
        self._record.log.append(("send", b""))

    def __getattr__(self, method: str) -> Callable[[Any], None]:
        name = self._actions[method]

        def act(_message: Any) -> None:
            self._record.log.append((name, b""))
            raised = self._record.raising.pop(name, None)
            if raised is not None:
                self._record.machine.raise_event(raised)
            failed = self._record.armed.pop(name, None)
            if failed is not None:
                self._record.machine.fail(failed)

        return act


class Runner:
    """A machine's module, with the package's names for those of the model."""

    def __init__(self, model: Mapping[str, Any], module: ModuleType, codec: Codec) -> None:
        self.model, self.module, self.codec = model, module, codec
        self.cls: Any = getattr(module, f"{model['role'].capitalize()}Machine")
        self.states = [state["name"] for state in model["states"]]
        self.actions = {_usable(name): name for name in _host_actions(model)}
        self.variables = {
            variable["name"]: (_usable(variable["name"], _MEMBERS), variable["type"])
            for variable in model["variables"]
        }
        self.raised = {
            event["name"]: module.Event(index)
            for index, event in enumerate(model["events"])
            if event["name"] in model["internal"]
        }
        calls = [event for event in model["events"] if event["kind"] != "message"]
        methods = [
            name for name, member in vars(self.cls).items() if callable(member) and not name.startswith("_")
        ]
        self.methods = {event["name"]: (event, name) for event, name in zip(calls, methods, strict=False)}
        self.filled = _filled(model)
        self.fills = dict(zip(self.filled, methods[len(calls) :], strict=True))

    def run(self, cursor: Cursor) -> bytes:
        """Runs a new machine through the steps of a request. Returns the answer. Raises BadRequest."""
        record = Record()
        machine = record.machine = self.cls(Host(self.codec, self.actions, record))
        answer = [b"+"]
        for _ in range(cursor.number(4)):
            record.log, record.unencodable = [], False
            is_advance = cursor.data[cursor.at : cursor.at + 1] == b"t"
            outcome = self._step(machine, record, cursor)
            answer.append(self._situation(machine, record, b"e" if record.unencodable else outcome))
            if is_advance and outcome != b"x":
                due = machine.deadline
                answer.append(struct.pack(">BQ", due is not None, due or 0))
        cursor.end()
        return b"".join(answer)

    def _situation(self, machine: Any, record: Record, outcome: bytes) -> bytes:
        values = [_encode_variable(kind, getattr(machine, name)) for name, kind in self.variables.values()]
        actions = [encode_name(name) + encode_blob(frame) for name, frame in record.log]
        head = outcome + encode_name(self.states[machine.state]) + bytes([machine.terminated])
        parts = [head, struct.pack(">I", len(values)), *values, struct.pack(">I", len(actions)), *actions]
        return b"".join(parts)

    def _step(self, machine: Any, record: Record, cursor: Cursor) -> bytes:
        errors = self.codec.errors
        kind = cursor.take(1)
        try:
            match kind:
                case b"m" | b"a":
                    machine.receive(self.codec.decode(cursor.blobs() if kind == b"a" else [cursor.blob()]))
                    return b"t"
                case b"c":
                    return self._call(machine, cursor.name(), cursor.values())
                case b"v":
                    return self._set(machine, cursor.name(), cursor.value())
                case b"f":
                    return self._arm(record.armed, cursor.name(), cursor.name())
                case b"n":
                    return self._arm(record.raising, cursor.name(), cursor.name())
                case b"w":
                    return self._fill(machine, cursor.name(), cursor.name(), cursor.value())
                case b"t":
                    return self._advance(machine, cursor.number(8))
                case _:
                    raise BadRequest(f"unknown step {kind!r}")
        except (errors.DecodeError, Unknown):
            return b"x"
        except errors.UnexpectedEvent:
            return b"u"
        except errors.UnhandledEvent:
            return b"h"

    def _call(self, machine: Any, name: str, values: list[Any]) -> bytes:
        if name not in self.methods:
            raise Unknown
        event, method = self.methods[name]
        if event["message"] is not None:
            arguments = [self.codec.build(event["message"], values)]
        elif len(values) != len(event["parameters"]):
            raise BadRequest(f"{name} has {len(event['parameters'])} parameters, not {len(values)}")
        else:
            arguments = list(map(_field_from, event["parameters"], values))
        return b"t" if getattr(machine, method)(*arguments) else b"n"

    def _set(self, machine: Any, name: str, value: Any) -> bytes:
        if name not in self.variables:
            raise Unknown
        attribute, kind = self.variables[name]
        setattr(machine, attribute, _variable_from(kind, value))
        return b"v"

    def _arm(self, armed: dict[str, Any], action: str, event: str) -> bytes:
        if action not in self.actions.values() or event not in self.raised:
            raise Unknown
        armed[action] = self.raised[event]
        return b"v"

    def _fill(self, machine: Any, message: str, field: str, value: Any) -> bytes:
        target = self.codec.field(message, field)
        if target is None or field not in self.filled.get(message, ()):
            raise Unknown
        getattr(machine, self.fills[message])(**{target[0]: _field_from(target[1], value)})
        return b"v"

    def _advance(self, machine: Any, now: int) -> bytes:
        if not self.model["timers"]:
            raise Unknown
        return b"t" if machine.advance(now) else b"n"


def _host_actions(model: Mapping[str, Any]) -> list[str]:
    steps: Iterator[Mapping[str, Any]] = (step for row in model["transitions"] for step in row["steps"])
    return list(dict.fromkeys(step["name"] for step in steps if step["kind"] == "host"))


def _filled(model: Mapping[str, Any]) -> dict[str, set[str]]:
    """Returns the fields that the host fills, by message, in the order of their first use."""
    steps: Iterator[Mapping[str, Any]] = (step for row in model["transitions"] for step in row["steps"])
    filled: dict[str, set[str]] = {}
    for step in steps:
        if step["kind"] == "send" and step["filled"]:
            filled.setdefault(step["message"], set()).update(step["filled"])
    return filled


def _usable(name: str, taken: frozenset[str] = frozenset()) -> str:
    """Returns the package's spelling of a model's name; names in `taken` get an underscore, as reserved ones do."""
    name = f"_{name}" if name[:1].isdigit() else name
    while name in _RESERVED or name in taken:
        name += "_"
    return name


# --- requests


class Driver:
    """Answers requests about the protocols and machines of `model`; `load` returns their modules by name."""

    def __init__(self, model: Mapping[str, Any], load: Callable[[str], ModuleType]) -> None:
        self._errors = load("errors")
        self._codecs = {
            protocol["name"]: Codec(protocol, load(protocol["name"]), self._errors)
            for protocol in model["protocols"]
        }
        self._runners = {
            machine["name"]: Runner(machine, load(machine["name"]), self._codecs[machine["protocol"]])
            for machine in model["machines"]
        }
        self._kinds: dict[bytes, Callable[[Cursor], bytes]] = {
            b"I": self._info,
            b"D": self._decode,
            b"d": partial(self._decode, several=True),
            b"E": self._encode,
            b"e": partial(self._encode, several=True),
            b"M": self._machine,
            b"b": self._measure,
        }

    def handle(self, request: bytes) -> bytes:
        """Returns the answer to one request, without the lengths that frame both; ``?`` for a bad request."""
        cursor = Cursor(request)
        try:
            kind = self._kinds.get(cursor.take(1))
            if kind is None:
                raise BadRequest("unknown request")
            return kind(cursor)
        except (BadRequest, RecursionError) as error:
            return b"?" + encode_name((str(error) or "too deep").encode("ascii", "replace")[:200].decode())

    def _info(self, cursor: Cursor) -> bytes:
        cursor.end()
        names = [*self._codecs, *self._runners]
        return (
            b"I" + encode_name("python") + struct.pack(">I", len(names)) + b"".join(map(encode_name, names))
        )

    def _codec(self, cursor: Cursor) -> Codec:
        name = cursor.name()
        if name not in self._codecs:
            raise BadRequest(f"unknown protocol {name!r}")
        return self._codecs[name]

    def _decode(self, cursor: Cursor, several: bool = False) -> bytes:
        codec = self._codec(cursor)
        frames = cursor.blobs() if several else [cursor.blob()]
        cursor.end()
        try:
            message = codec.decode(frames)
        except self._errors.DecodeError as error:
            return _error(error)
        values = codec.values(message)
        head = b"+" + encode_name(message.NAME) + struct.pack(">I", len(values))
        return head + b"".join(values) + encode_frames(codec.encode(message), several)

    def _encode(self, cursor: Cursor, several: bool = False) -> bytes:
        codec, name, values = self._codec(cursor), cursor.name(), cursor.values()
        cursor.end()
        try:
            return b"+" + encode_frames(codec.encode(codec.build(name, values)), several)
        except self._errors.EncodeError as error:
            return _error(error)

    def _measure(self, cursor: Cursor) -> bytes:
        """Returns whether the frames decode, the ns of all decodes, and their number times the peak bytes of one."""
        codec, count, frames = self._codec(cursor), cursor.number(1), cursor.blobs()
        cursor.end()
        start = time.perf_counter_ns()
        for _ in range(count):
            self._verdict(codec, frames)
        elapsed = time.perf_counter_ns() - start
        gc.collect()  # empties the free lists, whose tuples tracemalloc does not see
        tracemalloc.start()
        verdict = self._verdict(codec, frames)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return verdict + struct.pack(">QQ", elapsed, count * peak)

    def _verdict(self, codec: Codec, frames: list[bytes]) -> bytes:
        try:
            codec.decode(frames)
        except self._errors.DecodeError:
            return b"-"
        return b"+"

    def _machine(self, cursor: Cursor) -> bytes:
        name = cursor.name()
        if name not in self._runners:
            raise BadRequest(f"unknown machine {name!r}")
        return self._runners[name].run(cursor)


def _error(error: Any) -> bytes:
    return b"-" + b"".join(map(encode_name, (error.code, error.message or "", error.field or "")))


def main(arguments: list[str] | None = None) -> int:
    """Serves requests on stdin until its end. Returns 0, or 2 for an announced request of more than 64 MiB."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description="The driver of zeps_wire.")
    parser.add_argument(
        "--package", type=Path, help="folder that contains zeps_wire (default: the import path)"
    )
    parser.add_argument(
        "--model",
        type=Path,
        help="model.json that the package was generated from (default: beside the folder --package, or "
        "without it generated/model.json of this repository)",
    )
    options = parser.parse_args(arguments)
    here = Path(__file__).resolve()
    package = options.package or here.parents[3] / "generated" / "python"
    if options.package is not None:
        sys.path.insert(0, str(package))
    text = (options.model or package.parent / "model.json").read_text(encoding="utf-8")
    return serve(Driver(json.loads(text), load).handle)


def load(name: str) -> ModuleType:
    """Imports and returns the module of ``zeps_wire`` for a protocol, a machine or ``errors``."""
    return importlib.import_module(f"zeps_wire.{re.sub(r'[^a-z0-9]+', '_', name.lower())}")


def serve(handle: Callable[[bytes], bytes]) -> int:
    """Answers the requests on stdin as `main`; flushes when the buffer does not contain a complete request."""
    buffer = bytearray()
    while piece := os.read(0, 1 << 20):
        buffer += piece
        at, answers = 0, []
        while len(buffer) - at >= 4:
            size = int.from_bytes(buffer[at : at + 4], "big")
            if size > REQUEST_BYTES_MAX:
                print(f"a request of {size} bytes exceeds {REQUEST_BYTES_MAX} bytes", file=sys.stderr)
                return 2
            if len(buffer) - at - 4 < size:
                break
            answers.append(encode_blob(handle(bytes(buffer[at + 4 : at + 4 + size]))))
            at += 4 + size
        del buffer[:at]
        if answers:
            sys.stdout.buffer.write(b"".join(answers))
            sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
