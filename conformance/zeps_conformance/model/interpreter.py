"""A codec that interprets the model at run time, built with construct. It shares no code with the generated codecs that
it judges, but has their error codes. ``malform.py`` uses the positions of fields (:meth:`Interpreter.layout`).
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import construct

from zeps_conformance.model.definitions import Field, Message, Model
from zeps_conformance.model.fields import (
    APART,
    ConstantError,
    LimitError,
    RelationError,
    ShortError,
    TextError,
    UnsupportedModelError,
    encode_constant,
    field_construct,
)

__all__ = ["CODES", "Decoded", "Interpreter", "MalformedFrameError", "Span", "UnsupportedModelError", "Value"]

Value = int | str | bytes | Sequence["Value"] | Sequence[tuple["Value", "Value"]]
CODES = (
    *("truncated", "trailing", "bad-signature", "unknown-message"),
    *("bad-constant", "bad-text", "too-long", "bad-relation"),
)


class MalformedFrameError(Exception):
    """A frame that does not decode. `code`: one of :data:`CODES`; `message`, `field`: names or None. `offset`: where
    decoding ended, in bytes from the first frame's start. `needs`: minimum bytes of a ``truncated`` frame, or 0.
    """

    def __init__(
        self, code: str, message: str | None, field: str | None, offset: int, needs: int = 0
    ) -> None:
        self.code = code
        self.message = message
        self.field = field
        self.offset = offset
        self.needs = needs
        where = ".".join(part for part in (message, field) if part)
        super().__init__(f"{code}: {where + ' ' if where else ''}at byte {offset}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded message, `size` in bytes. `values` contains every field by name in wire order, including constants, as
    ``decoded[name]``. `topic` is None unless the protocol has topics.
    """

    name: str
    values: Mapping[str, Any]
    size: int
    topic: str | None = None

    def __getitem__(self, field: str) -> Any:
        return self.values[field]


@dataclass(frozen=True, slots=True)
class Span:
    """Position of a field in an encoded frame: bytes `start` to `end`, exclusive; the first `prefix` are a length."""

    field: Field
    start: int
    end: int
    prefix: int


class Interpreter:
    """Encoder and decoder of one protocol's messages. `head_size`: bytes of the signature and the message's number.
    Raises UnsupportedModelError if the model uses an unsupported feature.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.signature = bytes((0xAA, 0xA0 | model.signature)) if model.dispatch == "signature" else b""
        self.head_size = len(self.signature) + 1
        self._by_id = {message.id: message for message in model.messages}
        self._by_name = {message.name: message for message in model.messages}
        self._bodies = {message.name: self._body(message) for message in model.messages}
        self._beginnings = _beginnings(model) if model.dispatch == "constant" else []
        self._known = {
            message.name: {"topic", *(field.name for field in message.fields)} for message in model.messages
        }
        self._given = {message.name: _given(message) for message in model.messages}
        self._measuring = {message.name: _measuring(message) for message in model.messages}
        topic = (Field("topic", "string", 8),) if model.dispatch == "pubsub" else ()
        self._visible_fields = {
            message.name: topic + _visible_fields(message, self._measuring[message.name])
            for message in model.messages
        }

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The messages' names, in the model's order."""
        return tuple(self._by_name)

    def decode(self, frame: bytes) -> Decoded:
        """Decodes `frame`. Raises MalformedFrameError if it is not exactly one message."""
        message, values, _, topic = self._parse(frame)
        return Decoded(message.name, values, len(frame), topic)

    def decode_frames(self, frames: Sequence[bytes]) -> Decoded:
        """Decodes the message in one or more frames. Raises MalformedFrameError as :meth:`decode`."""
        message, values, _, topic = self._parse(frames[0], frames[1:])
        return Decoded(message.name, values, sum(map(len, frames)), topic)

    def take(self, data: bytes, name: str | None = None) -> Decoded:
        """Decodes the message at the beginning of `data`, which may be longer; with `name`, one without signature and
        number. Raises MalformedFrameError as :meth:`decode`, ``truncated`` if it is incomplete.
        """
        stream = io.BytesIO(data)
        message, topic = self._find(stream) if name is None else (self._by_name[name], None)
        values, _ = self._read(message, stream)
        return Decoded(message.name, values, stream.tell(), topic)

    def layout(self, frame: bytes) -> tuple[Span, ...]:
        """Returns the positions of a frame's fields, in wire order. Raises MalformedFrameError as :meth:`decode`."""
        message, _, places, _ = self._parse(frame)
        return tuple(
            Span(field, start, end, field.size if field.type in ("string", "chunk") else 0)
            for (field, _), (start, end) in zip(
                self._bodies[message.name], itertools.pairwise(places), strict=True
            )
        )

    def encode(self, name: str, /, **values: Value) -> bytes:
        """Encodes the first frame of message `name`, without fields that are separate frames. Constants, reserved
        fields, and counts and lengths of others may be omitted, else are sent as given. Text, also as bytes, is not
        checked. `topic` is empty by default. Raises KeyError for an unknown message, and a missing or unknown field;
        ValueError if a number or a length does not fit.
        """
        message = self._by_name[name]
        filled: dict[str, Any] = {**self._given[name], **values}
        if unknown := filled.keys() - self._known[name]:
            raise KeyError(f"{name} does not have the field {', '.join(sorted(unknown))}")
        for counter, counted in self._measuring[name].items():
            if counter not in values and counted in values:
                filled[counter] = len(values[counted])  # type: ignore[arg-type]
        if missing := {field.name for field, _ in self._bodies[name]} - filled.keys():
            raise KeyError(f"{name} needs {', '.join(sorted(missing))}")
        stream = io.BytesIO()
        try:
            for field, subcon in self._bodies[name]:
                subcon._build(filled[field.name], stream, filled, field.name)
        except (construct.ConstructError, OverflowError) as error:
            raise ValueError(f"{name} cannot be encoded: {error}") from error
        return self._head(message, values.get("topic", "")) + stream.getvalue()

    def encode_frames(self, name: str, /, **values: Any) -> list[bytes]:
        """Encodes all frames of message `name`. Raises KeyError and ValueError as :meth:`encode`."""
        frames = [self.encode(name, **values)]
        for field in self._by_name[name].fields:
            if field.type in APART:
                frames += values[field.name] if field.type == "msg" else [values[field.name]]
        return frames

    def is_multipart(self, name: str) -> bool:
        """Returns whether message `name` has fields that are separate ZeroMQ frames."""
        return any(field.type in APART for field in self._by_name[name].fields)

    def visible_fields(self, name: str) -> tuple[Field, ...]:
        """Returns the fields in wire order, topic first, except constants, reserved fields, counts and lengths."""
        return self._visible_fields[name]

    def size(self, name: str, /, **values: Value) -> int:
        """Returns the size in bytes of the frame that :meth:`encode` would return."""
        return len(self.encode(name, **values))

    def render(self, *frames: bytes) -> str:
        """Formats a message's frames on one line: decoded, or ``not a valid frame`` with the decoding error."""
        try:
            return render(self.decode_frames(frames))
        except MalformedFrameError as error:
            return f"not a valid frame ({error})"

    def _head(self, message: Message, topic: Any) -> bytes:
        """Returns the bytes before the first field, including the topic."""
        match self.model.dispatch:
            case "signature" | "octet":
                return self.signature + bytes((message.id,))
            case "pubsub":
                text = topic.encode("utf-8") if isinstance(topic, str) else bytes(topic)
                return bytes((message.id,)) + text + b"\0"
            case "name":
                return bytes((len(message.name),)) + message.name.encode()
            case _:
                return b""

    def _find(self, stream: io.BytesIO) -> tuple[Message, str | None]:
        """Returns the message at the stream's start and its topic, or None; the stream is then at the first field."""
        data = stream.getvalue()
        at = len(self.signature)
        if not self.signature.startswith(data[:at]):
            raise MalformedFrameError("bad-signature", None, None, 0)
        match self.model.dispatch:
            case "constant":
                for beginning, message in self._beginnings:
                    if data.startswith(beginning):
                        return message, None
                cut = any(beginning.startswith(data) for beginning, _ in self._beginnings)
                raise MalformedFrameError("truncated" if cut else "unknown-message", None, None, 0)
            case "name":
                end = 1 + data[0] if data else 1
                name = data[1:end]
                known = next(
                    (candidate for candidate in self.model.messages if candidate.name.encode() == name), None
                )
            case _:
                end = at + 1
                known = self._by_id.get(data[at]) if len(data) > at else None
        if len(data) < end:
            raise MalformedFrameError("truncated", None, None, min(at, len(data)))
        if known is None:
            raise MalformedFrameError("unknown-message", None, None, at)
        stream.seek(end)
        return known, self._topic(known, stream) if self.model.dispatch == "pubsub" else None

    def _topic(self, message: Message, stream: io.BytesIO) -> str:
        start = stream.tell()
        text, zero, _ = stream.getvalue()[start:].partition(b"\0")
        if not zero:
            raise MalformedFrameError("truncated", message.name, "topic", start)
        stream.seek(start + len(text) + 1)
        try:
            return text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedFrameError("bad-text", message.name, "topic", start) from error

    def _parse(
        self, data: bytes, others: Sequence[bytes] = ()
    ) -> tuple[Message, dict[str, Value], list[int], str | None]:
        stream = io.BytesIO(data)
        message, topic = self._find(stream)
        values, places = self._read(message, stream)
        if stream.tell() != len(data) and not message.extensible:
            raise MalformedFrameError("trailing", message.name, None, stream.tell())
        left = list(others)
        for field in message.fields:
            if field.type not in APART:
                continue
            if not left:
                raise MalformedFrameError("truncated", message.name, field.name, len(data))
            many = field.type == "msg"
            frames, left = (left, []) if many else (left[:1], left[1:])
            if field.max is not None and any(len(frame) > field.max for frame in frames):
                raise MalformedFrameError("too-long", message.name, field.name, len(data))
            values[field.name] = frames if many else frames[0]
        if left:
            raise MalformedFrameError("trailing", message.name, None, len(data))
        return message, values, places, topic

    def _read(self, message: Message, stream: io.BytesIO) -> tuple[dict[str, Value], list[int]]:
        """Reads the fields of `message` from the stream, which is at the first field. Returns their values, and where
        the first begins and where each ends.
        """
        values: dict[str, Value] = {}
        places = [stream.tell()]
        for field, subcon in self._bodies[message.name]:
            try:
                values[field.name] = subcon._parsereport(stream, values, field.name)
            except construct.ConstructError as error:
                raise _explain(error, message, field, stream.tell()) from error
            places.append(stream.tell())
        return values, places

    def _body(self, message: Message) -> list[tuple[Field, Any]]:
        """Returns the fields of the first frame, each with its construct."""
        return [
            (field, field_construct(field, message, self.model))
            for field in message.fields
            if field.type not in APART
        ]


def _explain(
    error: construct.ConstructError, message: Message, field: Field, offset: int
) -> MalformedFrameError:
    """Converts construct's exception for `field`, which ended decoding at `offset`."""
    kinds = {
        TextError: "bad-text",
        LimitError: "too-long",
        ConstantError: "bad-constant",
        RelationError: "bad-relation",
    }
    code = kinds.get(type(error), "truncated")
    needs = error.needs if isinstance(error, ShortError) else 0
    return MalformedFrameError(code, message.name, field.name, offset, needs)


def _beginnings(model: Model) -> list[tuple[bytes, Message]]:
    """Returns each message's identifying first bytes, longest first: a constant, or all leading ones if needed."""
    leading = [
        list(itertools.takewhile(lambda field: field.value is not None, m.fields)) for m in model.messages
    ]
    constants = [[encode_constant(field) for field in fields] for fields in leading]
    firsts = [encoded[:1] for encoded in constants]
    chosen = [b"".join(encoded if firsts.count(encoded[:1]) > 1 else encoded[:1]) for encoded in constants]
    return sorted(zip(chosen, model.messages, strict=True), key=lambda entry: -len(entry[0]))


def _given(message: Message) -> dict[str, Value]:
    """Returns the values of constants and reserved fields, by name."""
    zeros: dict[str, Value] = {field.name: bytes(field.size) for field in message.fields if field.reserved}
    return zeros | {field.name: field.value for field in message.fields if field.value is not None}


def _measuring(message: Message) -> dict[str, str]:
    """Returns the names of the fields that count or measure others, each with the first field that it measures."""
    measured: dict[str, str] = {}
    for field in message.fields:
        for counter in (field.count, field.length):
            if counter is not None:
                measured.setdefault(counter, field.name)
    return measured


def _visible_fields(message: Message, measuring: Mapping[str, str]) -> tuple[Field, ...]:
    varying = (field for field in message.fields if field.value is None and not field.reserved)
    return tuple(field for field in varying if not field.derived and field.name not in measuring)


def render(message: Decoded) -> str:
    """Formats a decoded message on one line; long text and bytes are shortened, with their size."""
    return " ".join([message.name, *(f"{name}={_show(value)}" for name, value in message.values.items())])


def _show(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, (str, bytes)):
        return f"[{', '.join(_show(item) for item in value)}]"
    data = value.encode("utf-8") if isinstance(value, str) else value
    text = ascii(value) if isinstance(value, str) else ascii(bytes(data[:48]))[1:]
    if isinstance(value, str) and len(text) > 80:
        return f"{text[:76]}…' ({len(data)} bytes)"
    if isinstance(value, bytes) and len(data) > 48:
        return f"{text}… ({len(data)} bytes)"
    return text
