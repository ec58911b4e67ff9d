"""The driver protocol: requests and answers, described in `conformance/drivers/README.md`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from zeps_conformance.model.definitions import Field

__all__ = [
    "INFO",
    "Advance",
    "Answer",
    "Arm",
    "Arrive",
    "Call",
    "Decode",
    "DecodeAnswer",
    "Encode",
    "EncodeAnswer",
    "Example",
    "Fill",
    "InfoAnswer",
    "MachineAnswer",
    "ProtocolError",
    "Put",
    "Refusal",
    "Step",
    "StepAnswer",
    "Tagged",
    "Trace",
    "Unanswerable",
    "blob",
    "encode_frames",
    "encode_tagged",
    "encode_values",
    "many",
    "name",
    "parse_answer",
    "parse_example",
    "parse_info",
    "tagged",
    "untagged",
]

_DEPTH_MAX = 8  # lists within lists
INFO = b"I"  # the request for the names of the protocols and machines that the driver knows

#: A value in requests and answers: its tag, and a number, bytes, or a list of values or pairs of values.
Tagged = tuple[str, Any]


class ProtocolError(Exception):
    """An answer or a request that violates the driver protocol. The text contains the reason."""


# --- requests


@dataclass(frozen=True, slots=True)
class Decode:
    """Request: decode a message, and encode it again. `several`: in the form for any number of frames, not just one."""

    protocol: str
    frames: tuple[bytes, ...]
    several: bool = False

    def request(self) -> bytes:
        return (
            (b"d" if self.several else b"D") + name(self.protocol) + encode_frames(self.frames, self.several)
        )


@dataclass(frozen=True, slots=True)
class Encode:
    """Request: encode a message with the `values` of its fields (:meth:`Interpreter.visible_fields`). `several`: the
    answer has the form for any number of frames.
    """

    protocol: str
    message: str
    values: tuple[Tagged, ...]
    several: bool = False

    def request(self) -> bytes:
        kind = b"e" if self.several else b"E"
        return kind + name(self.protocol) + name(self.message) + encode_values(self.values)


@dataclass(frozen=True, slots=True)
class Arrive:
    """Step: a message arrives at the machine. `several`: in the form for any number of frames, not just one."""

    frames: tuple[bytes, ...]
    several: bool = False

    def encode(self) -> bytes:
        return (b"a" if self.several else b"m") + encode_frames(self.frames, self.several)


@dataclass(frozen=True, slots=True)
class Call:
    """Step: the host or the application raises an event, with the values of its message or of its parameters."""

    event: str
    values: tuple[Tagged, ...] = ()

    def encode(self) -> bytes:
        return b"c" + name(self.event) + encode_values(self.values)


@dataclass(frozen=True, slots=True)
class Put:
    """Step: the host sets a variable."""

    variable: str
    value: Tagged

    def encode(self) -> bytes:
        return b"v" + name(self.variable) + encode_tagged(self.value)


@dataclass(frozen=True, slots=True)
class Arm:
    """Step: a host action's next run fails with the event (ends the row), or `raises` it (handled after the row)."""

    action: str
    event: str
    raises: bool = False

    def encode(self) -> bytes:
        return (b"n" if self.raises else b"f") + name(self.action) + name(self.event)


@dataclass(frozen=True, slots=True)
class Fill:
    """Step: the host fills a field of the next message of this name that the machine sends."""

    message: str
    field: str
    value: Tagged

    def encode(self) -> bytes:
        return b"w" + name(self.message) + name(self.field) + encode_tagged(self.value)


@dataclass(frozen=True, slots=True)
class Advance:
    """Step: the clock advances to `now`, an absolute time in milliseconds."""

    now: int

    def encode(self) -> bytes:
        return b"t" + struct.pack(">Q", self.now)


Step = Arrive | Call | Put | Arm | Fill | Advance


@dataclass(frozen=True, slots=True)
class Trace:
    """Request: run a new machine through `steps`."""

    machine: str
    steps: tuple[Step, ...]

    def request(self) -> bytes:
        return b"M" + name(self.machine) + many([step.encode() for step in self.steps])


Example = Decode | Encode | Trace


def name(text: str) -> bytes:
    """Encodes a name after its length in one byte. Raises ValueError if it has more than 255 bytes."""
    encoded = text.encode()
    return bytes((len(encoded),)) + encoded


def blob(data: bytes) -> bytes:
    """Encodes bytes after their length in four bytes, big-endian; requests and answers are framed in the same way."""
    return struct.pack(">I", len(data)) + data


def many(items: Sequence[bytes]) -> bytes:
    """Joins encoded items after their number in four bytes, big-endian."""
    return struct.pack(">I", len(items)) + b"".join(items)


def encode_frames(frames: Sequence[bytes], several: bool) -> bytes:
    """Encodes the first of `frames`, or all of them after their number if `several`."""
    return many(list(map(blob, frames))) if several else blob(frames[0])


# --- values


def tagged(spec: Field, value: Any) -> Tagged:
    """Returns a field's value with the tag of its type; text and bytes are given as bytes, a hash as pairs."""
    match spec.type:
        case "number" | "varint":
            return ("i" if spec.signed else "u", value)
        case "string":
            return ("s", value)
        case "strings":
            return ("l", tuple(("s", element) for element in value))
        case "list":
            assert spec.items is not None
            item = spec.items
            return ("l", tuple(tagged(item, element) for element in value))
        case "hash":
            return ("h", tuple((("s", key), ("s", element)) for key, element in value))
        case "msg":
            return ("l", tuple(("b", element) for element in value))
        case _:
            return ("b", value)


def untagged(value: Tagged) -> Any:
    """Returns a value without its tags."""
    tag, content = value
    if tag == "l":
        return [untagged(element) for element in content]
    if tag == "h":
        return [(untagged(key), untagged(element)) for key, element in content]
    return content


def encode_values(values: Sequence[Tagged]) -> bytes:
    """Encodes values, each after its tag, after their number in four bytes."""
    return many([encode_tagged(value) for value in values])


def encode_tagged(value: Tagged) -> bytes:
    """Encodes a value after the letter of its tag. Raises struct.error for a number that does not fit 64 bits."""
    tag, content = value
    match tag:
        case "u":
            return b"u" + struct.pack(">Q", content)
        case "i":
            return b"i" + struct.pack(">q", content)
        case "l":
            return b"l" + encode_values(content)
        case "h":
            pairs = [encode_tagged(key) + encode_tagged(element) for key, element in content]
            return b"h" + many(pairs)
        case _:
            return tag.encode() + blob(content)


# --- answers


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error: its code, and the names of the message and the field where it is, empty if they are not known."""

    code: str
    message: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class DecodeAnswer:
    message: str
    values: tuple[Tagged, ...]
    encoded: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class EncodeAnswer:
    frames: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class StepAnswer:
    outcome: str
    state: str
    terminated: bool
    variables: tuple[Tagged, ...]
    actions: tuple[tuple[str, bytes], ...]
    deadline: int | None = None


@dataclass(frozen=True, slots=True)
class MachineAnswer:
    steps: tuple[StepAnswer, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """The driver reports that it cannot answer, and the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class InfoAnswer:
    language: str
    names: tuple[str, ...]


Answer = Refusal | DecodeAnswer | EncodeAnswer | MachineAnswer | Unanswerable


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise ProtocolError(
                f"the data ends after {len(self.data)} bytes, within a value of {count} bytes"
            )
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)

    def letter(self) -> str:
        return self.take(1).decode("latin-1")

    def name(self) -> str:
        return self.take(self.number(1)).decode("utf-8", "backslashreplace")

    def blob(self) -> bytes:
        return self.take(self.number(4))

    def frames(self, several: bool) -> tuple[bytes, ...]:
        """Returns what :func:`encode_frames` has encoded."""
        return tuple(self.blob() for _ in range(self.count() if several else 1))

    def count(self) -> int:
        count = self.number(4)
        if count > len(self.data):
            raise ProtocolError(f"the count {count} is greater than the number of bytes")
        return count

    def value(self, depth: int = 0) -> Tagged:
        tag = self.letter()
        if depth > _DEPTH_MAX:
            raise ProtocolError("the values are nested too deeply")
        if tag in "ui":
            return tag, self.number(8, tag == "i")
        if tag in "sb":
            return tag, self.blob()
        if tag == "l":
            return tag, tuple(self.value(depth + 1) for _ in range(self.count()))
        if tag == "h":
            pairs = ((self.value(depth + 1), self.value(depth + 1)) for _ in range(self.count()))
            return tag, tuple(pairs)
        raise ProtocolError(f"unknown value tag {tag!r}")

    def values(self) -> tuple[Tagged, ...]:
        return tuple(self.value() for _ in range(self.count()))

    def end(self) -> None:
        if self.at != len(self.data):
            raise ProtocolError(f"{len(self.data) - self.at} extra bytes at the end")


def parse_info(answer: bytes) -> InfoAnswer:
    """Parses the answer to the request `INFO`. Raises ProtocolError if it is malformed."""
    cursor = _Cursor(answer)
    if cursor.take(1) != INFO:
        raise ProtocolError(f"the answer begins with {answer[:1]!r} instead of {INFO!r}")
    info = InfoAnswer(cursor.name(), tuple(cursor.name() for _ in range(cursor.count())))
    cursor.end()
    return info


def parse_answer(example: Example, answer: bytes) -> Answer:
    """Parses the answer to `example`. Raises ProtocolError if it is malformed."""
    cursor = _Cursor(answer)
    kind = cursor.letter()
    parsed: Answer
    if kind == "?":
        parsed = Unanswerable(cursor.name())
    elif kind == "-" and not isinstance(example, Trace):
        parsed = Refusal(cursor.name(), cursor.name(), cursor.name())
    elif kind != "+":
        raise ProtocolError(f"the answer begins with {kind!r}, which this request does not have")
    elif isinstance(example, Decode):
        parsed = DecodeAnswer(cursor.name(), cursor.values(), cursor.frames(example.several))
    elif isinstance(example, Encode):
        parsed = EncodeAnswer(cursor.frames(example.several))
    else:
        parsed = MachineAnswer(tuple(_step(cursor, step) for step in example.steps))
    cursor.end()
    return parsed


def _step(cursor: _Cursor, step: Step) -> StepAnswer:
    outcome, state, terminated = cursor.letter(), cursor.name(), bool(cursor.number(1))
    variables = cursor.values()
    actions = tuple((cursor.name(), cursor.blob()) for _ in range(cursor.count()))
    deadline = None
    if isinstance(step, Advance) and outcome != "x":
        runs, due = cursor.number(1), cursor.number(8)
        deadline = due if runs else None
    return StepAnswer(outcome, state, terminated, variables, actions, deadline)


def parse_example(request: bytes) -> Example:
    """Parses a request to decode, encode or run a machine. Raises ProtocolError if it is another or malformed."""
    cursor = _Cursor(request)
    kind, owner = cursor.letter(), cursor.name()
    example: Example
    match kind:
        case "D" | "d":
            example = Decode(owner, cursor.frames(kind == "d"), kind == "d")
        case "E" | "e":
            example = Encode(owner, cursor.name(), cursor.values(), kind == "e")
        case "M":
            example = Trace(owner, tuple(_parse_step(cursor) for _ in range(cursor.count())))
        case _:
            raise ProtocolError(f"unknown request {kind!r}")
    cursor.end()
    return example


def _parse_step(cursor: _Cursor) -> Step:
    match cursor.letter():
        case "m" | "a" as kind:
            return Arrive(cursor.frames(kind == "a"), kind == "a")
        case "c":
            return Call(cursor.name(), cursor.values())
        case "v":
            return Put(cursor.name(), cursor.value())
        case "f" | "n" as kind:
            return Arm(cursor.name(), cursor.name(), kind == "n")
        case "w":
            return Fill(cursor.name(), cursor.name(), cursor.value())
        case "t":
            return Advance(cursor.number(8))
        case letter:
            raise ProtocolError(f"unknown step {letter!r}")
