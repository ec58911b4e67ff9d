"""The driver protocol: requests and answers, described in `conformance/drivers/README.md`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from zeps_conformance.model.definitions import Field

__all__ = [
    "Advance",
    "Answer",
    "Arm",
    "ArmRaise",
    "Arrive",
    "ArriveFrames",
    "Call",
    "Decode",
    "DecodeAnswer",
    "DecodeFrames",
    "Encode",
    "EncodeAnswer",
    "EncodeFrames",
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
    "framed",
    "info_request",
    "many",
    "name",
    "parse_answer",
    "parse_example",
    "parse_info",
    "tagged",
    "tagged_octets",
    "untagged",
]

INFO = b"I"

#: A value in requests and answers: its tag, and a number, bytes, or a list of values or pairs of values.
Tagged = tuple[str, Any]


class ProtocolError(Exception):
    """Bytes that violate the driver protocol. The text contains the reason."""


# --- requests


@dataclass(frozen=True, slots=True)
class Decode:
    """Decode `frame`, and encode the result again."""

    protocol: str
    frame: bytes

    def request(self) -> bytes:
        return b"D" + name(self.protocol) + blob(self.frame)


@dataclass(frozen=True, slots=True)
class Encode:
    """Encode a message with these values."""

    protocol: str
    message: str
    values: tuple[Tagged, ...]

    def request(self) -> bytes:
        values = many([tagged_octets(value) for value in self.values])
        return b"E" + name(self.protocol) + name(self.message) + values


@dataclass(frozen=True, slots=True)
class DecodeFrames:
    """Decode a message of several frames, and encode the result again."""

    protocol: str
    frames: tuple[bytes, ...]

    def request(self) -> bytes:
        return b"d" + name(self.protocol) + many(list(map(blob, self.frames)))


@dataclass(frozen=True, slots=True)
class EncodeFrames:
    """Encode a message of several frames with these values."""

    protocol: str
    message: str
    values: tuple[Tagged, ...]

    def request(self) -> bytes:
        return b"e" + Encode(self.protocol, self.message, self.values).request()[1:]


@dataclass(frozen=True, slots=True)
class Arrive:
    """A frame arrives at the machine."""

    frame: bytes

    def octets(self) -> bytes:
        return b"m" + blob(self.frame)


@dataclass(frozen=True, slots=True)
class ArriveFrames:
    """A message of several frames arrives at the machine."""

    frames: tuple[bytes, ...]

    def octets(self) -> bytes:
        return b"a" + many(list(map(blob, self.frames)))


@dataclass(frozen=True, slots=True)
class Call:
    """The host or the application raises an event."""

    event: str
    values: tuple[Tagged, ...] = ()

    def octets(self) -> bytes:
        return b"c" + name(self.event) + many([tagged_octets(value) for value in self.values])


@dataclass(frozen=True, slots=True)
class Put:
    """The host sets a variable."""

    variable: str
    value: Tagged

    def octets(self) -> bytes:
        return b"v" + name(self.variable) + tagged_octets(self.value)


@dataclass(frozen=True, slots=True)
class Arm:
    """The host action fails with the event once, the next time it runs."""

    action: str
    event: str

    def octets(self) -> bytes:
        return b"f" + name(self.action) + name(self.event)


@dataclass(frozen=True, slots=True)
class ArmRaise:
    """The host action raises the event once, the next time it runs."""

    action: str
    event: str

    def octets(self) -> bytes:
        return b"n" + name(self.action) + name(self.event)


@dataclass(frozen=True, slots=True)
class Fill:
    """The host fills a field of the next message."""

    message: str
    field: str
    value: Tagged

    def octets(self) -> bytes:
        return b"w" + name(self.message) + name(self.field) + tagged_octets(self.value)


@dataclass(frozen=True, slots=True)
class Advance:
    """The clock advances to `now`, in milliseconds."""

    now: int

    def octets(self) -> bytes:
        return b"t" + struct.pack(">Q", self.now)


Step = Arrive | ArriveFrames | Call | Put | Arm | ArmRaise | Fill | Advance


@dataclass(frozen=True, slots=True)
class Trace:
    """Run a new machine through `steps`."""

    machine: str
    steps: tuple[Step, ...]

    def request(self) -> bytes:
        return b"M" + name(self.machine) + many([step.octets() for step in self.steps])


Example = Decode | DecodeFrames | Encode | EncodeFrames | Trace


def name(text: str) -> bytes:
    octets = text.encode()
    return bytes((len(octets),)) + octets


def blob(octets: bytes) -> bytes:
    return struct.pack(">I", len(octets)) + octets


def many(items: Sequence[bytes]) -> bytes:
    return struct.pack(">I", len(items)) + b"".join(items)


def framed(octets: bytes) -> bytes:
    """Returns a request or an answer with its length."""
    return blob(octets)


def info_request() -> bytes:
    return INFO


# --- values


def tagged(spec: Field, value: Any) -> Tagged:
    """Returns a field's value with its tag; text and bytes are given as bytes."""
    match spec.type:
        case "number" | "varint":
            return ("i" if spec.signed else "u", value)
        case "string":
            return ("s", value)
        case "strings":
            return ("l", tuple(("s", one) for one in value))
        case "list":
            assert spec.items is not None
            item = spec.items
            return ("l", tuple(tagged(item, one) for one in value))
        case "hash":
            return ("h", tuple((("s", key), ("s", one)) for key, one in value))
        case "msg":
            return ("l", tuple(("b", one) for one in value))
        case _:
            return ("b", value)


def untagged(value: Tagged) -> Any:
    """Returns a value without its tags."""
    tag, content = value
    if tag == "l":
        return [untagged(one) for one in content]
    if tag == "h":
        return [(untagged(key), untagged(one)) for key, one in content]
    return content


def tagged_octets(value: Tagged) -> bytes:
    tag, content = value
    match tag:
        case "u":
            return b"u" + struct.pack(">Q", content)
        case "i":
            return b"i" + struct.pack(">q", content)
        case "l":
            return b"l" + many([tagged_octets(one) for one in content])
        case "h":
            pairs = [tagged_octets(key) + tagged_octets(one) for key, one in content]
            return b"h" + many(pairs)
        case _:
            return tag.encode() + blob(content)


# --- answers


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error: its code, and the driver's text about its location."""

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
            raise ProtocolError(f"it ends after {len(self.data)} bytes, within a value of {count}")
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

    def frames(self, example: Example) -> tuple[bytes, ...]:
        """Returns the frame or frames of an example."""
        if isinstance(example, (Decode, Encode)):
            return (self.blob(),)
        return tuple(self.blob() for _ in range(self.count()))

    def count(self) -> int:
        found = self.number(4)
        if found > len(self.data):
            raise ProtocolError(f"invalid count {found}")
        return found

    def value(self) -> Tagged:
        tag = self.letter()
        if tag in "ui":
            return tag, self.number(8, tag == "i")
        if tag in "sb":
            return tag, self.blob()
        if tag == "l":
            return tag, tuple(self.value() for _ in range(self.count()))
        if tag == "h":
            return tag, tuple((self.value(), self.value()) for _ in range(self.count()))
        raise ProtocolError(f"unknown value tag {tag!r}")

    def values(self) -> tuple[Tagged, ...]:
        return tuple(self.value() for _ in range(self.count()))

    def end(self) -> None:
        if self.at != len(self.data):
            raise ProtocolError(f"{len(self.data) - self.at} extra bytes")


def parse_info(answer: bytes) -> InfoAnswer:
    """Parses the answer to `info_request`."""
    cursor = _Cursor(answer)
    if cursor.take(1) != INFO:
        raise ProtocolError(f"it begins with {answer[:1]!r} instead of {INFO!r}")
    found = InfoAnswer(cursor.name(), tuple(cursor.name() for _ in range(cursor.count())))
    cursor.end()
    return found


def parse_answer(example: Example, answer: bytes) -> Answer:
    """Parses the answer to `example`. Raises ProtocolError if it is malformed."""
    cursor = _Cursor(answer)
    kind = cursor.letter()
    found: Answer
    if kind == "?":
        found = Unanswerable(cursor.name())
    elif kind == "-" and not isinstance(example, Trace):
        found = Refusal(cursor.name(), cursor.name(), cursor.name())
    elif kind != "+":
        raise ProtocolError(f"it begins with {kind!r}")
    elif isinstance(example, (Decode, DecodeFrames)):
        found = DecodeAnswer(cursor.name(), cursor.values(), cursor.frames(example))
    elif isinstance(example, (Encode, EncodeFrames)):
        found = EncodeAnswer(cursor.frames(example))
    else:
        found = MachineAnswer(tuple(_step(cursor, step) for step in example.steps))
    cursor.end()
    return found


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
    """Parses a request into its example. Raises ProtocolError if it is malformed."""
    cursor = _Cursor(request)
    kind, owner = cursor.letter(), cursor.name()
    found: Example
    match kind:
        case "D":
            found = Decode(owner, cursor.blob())
        case "E":
            found = Encode(owner, cursor.name(), cursor.values())
        case "d":
            found = DecodeFrames(owner, tuple(cursor.blob() for _ in range(cursor.count())))
        case "e":
            found = EncodeFrames(owner, cursor.name(), cursor.values())
        case "M":
            found = Trace(owner, tuple(_parse_step(cursor) for _ in range(cursor.count())))
        case _:
            raise ProtocolError(f"unknown request {kind!r}")
    cursor.end()
    return found


def _parse_step(cursor: _Cursor) -> Step:
    match cursor.letter():
        case "m":
            return Arrive(cursor.blob())
        case "c":
            return Call(cursor.name(), cursor.values())
        case "v":
            return Put(cursor.name(), cursor.value())
        case "f":
            return Arm(cursor.name(), cursor.name())
        case "a":
            return ArriveFrames(tuple(cursor.blob() for _ in range(cursor.count())))
        case "n":
            return ArmRaise(cursor.name(), cursor.name())
        case "w":
            return Fill(cursor.name(), cursor.name(), cursor.value())
        case "t":
            return Advance(cursor.number(8))
        case letter:
            raise ProtocolError(f"unknown step {letter!r}")
