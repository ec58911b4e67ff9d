"""A codec that reads the model at run time, built with construct.

It is the suite's own: it shares no line with the generated codecs that it judges. It decodes strictly, with
the error taxonomy that every generated codec has, and it can tell where each field of a frame lies
(:meth:`Interpreter.layout`), which is what deliberate malformations start from (``malform.py``).
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import construct

from zeps_conformance.model import Field, Message, Model

__all__ = ["CODES", "Decoded", "Interpreter", "MalformedFrameError", "Span", "UnsupportedModelError", "Value"]

Value = int | str | bytes
CODES = ("truncated", "trailing", "bad-signature", "unknown-message", "bad-constant", "bad-text", "too-long")


class UnsupportedModelError(Exception):
    """The model uses something that this interpreter does not speak."""


class MalformedFrameError(Exception):
    """A frame that does not decode.

    `code` is one of :data:`CODES`; `offset` counts octets from the frame's start.
    """

    def __init__(self, code: str, message: str | None, field: str | None, offset: int) -> None:
        self.code = code
        self.message = message
        self.field = field
        self.offset = offset
        where = ".".join(part for part in (message, field) if part)
        super().__init__(f"{code}: {where + ' ' if where else ''}at octet {offset}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded frame. `values` holds every field in wire order, the constants too; `size` is in octets."""

    name: str
    values: Mapping[str, Value]
    size: int

    def __getitem__(self, field: str) -> Value:
        return self.values[field]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a field lies in an encoded frame: octets `start` to `end`, of which the first `prefix` are a
    length.
    """

    field: Field
    start: int
    end: int
    prefix: int


class _TextError(construct.ConstructError):  # type: ignore[misc]
    pass


class _LimitError(construct.ConstructError):  # type: ignore[misc]
    pass


class _Text(construct.Adapter):  # type: ignore[misc]
    """Octets seen as text.

    Octets given to the encoder go out unchecked, so that a peer can send what is no text.
    """

    def __init__(self, subcon: Any, kind: str) -> None:
        super().__init__(subcon)
        self.kind = kind

    def _decode(self, obj: bytes, context: Any, path: str) -> str | bytes:
        if self.kind == "octets":
            return obj
        try:
            text = obj.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _TextError(f"not UTF-8: {error.reason}", path=path) from error
        if self.kind in ("printable", "vchar") and any(unicodedata.category(char) == "Cc" for char in text):
            raise _TextError("holds a control character", path=path)
        if self.kind == "vchar" and not all("!" <= char <= "~" for char in text):
            raise _TextError("holds more than visible characters", path=path)
        return text

    def _encode(self, obj: str | bytes, context: Any, path: str) -> bytes:
        return obj.encode("utf-8") if isinstance(obj, str) else bytes(obj)


class _Limit(construct.Adapter):  # type: ignore[misc]
    """A number or a length that may not pass `most`.

    Only decoding checks: an encoder here may break rules.
    """

    def __init__(self, subcon: Any, most: int) -> None:
        super().__init__(subcon)
        self.most = most

    def _decode(self, obj: int, context: Any, path: str) -> int:
        if obj > self.most:
            raise _LimitError(f"{obj} is more than {self.most}", path=path)
        return obj

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return obj


class Interpreter:
    """Encodes and decodes the messages of one protocol.

    UnsupportedModelError if the model asks for too much.
    """

    def __init__(self, model: Model) -> None:
        if model.dispatch != "signature":
            raise UnsupportedModelError(f"{model.name}: dispatch by {model.dispatch} is not spoken here")
        self.model = model
        self.signature = bytes((0xAA, 0xA0 | model.signature))
        self.head_size = len(self.signature) + 1
        self._head = construct.Struct("signature" / construct.Const(self.signature), "id" / construct.Int8ub)
        self._by_id = {message.id: message for message in model.messages}
        self._by_name = {message.name: message for message in model.messages}
        self._bodies = {message.name: self._body(message) for message in model.messages}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The messages' names, in the model's order."""
        return tuple(self._by_name)

    def decode(self, octets: bytes) -> Decoded:
        """The message that `octets` hold.

        MalformedFrameError if they hold none, or anything more than one.
        """
        message, values, _ = self._parse(octets)
        return Decoded(message.name, values, len(octets))

    def layout(self, octets: bytes) -> tuple[Span, ...]:
        """Where each field of the valid frame `octets` lies. MalformedFrameError as for :meth:`decode`."""
        return self._parse(octets)[2]

    def encode(self, name: str, /, **values: Value) -> bytes:
        """The frame of message `name`. Constants need not be given, and are overridden if they are.

        Strings may be given as octets, which are sent as they are, valid or not. KeyError if there is no such
        message or a field is missing; ValueError if a number or a length does not fit its octets.
        """
        message = self._by_name[name]
        known = {field.name for field in message.fields}
        if unknown := set(values) - known:
            raise KeyError(f"{name} has no field {', '.join(sorted(unknown))}")
        filled = {
            field.name: {"value": values.get(field.name, field.value)}
            for field in message.fields
            if field.name in values or field.value is not None
        }
        if missing := known - set(filled):
            raise KeyError(f"{name} needs {', '.join(sorted(missing))}")
        try:
            body: bytes = self._bodies[name].build(filled)
        except (construct.ConstructError, OverflowError) as error:
            raise ValueError(f"{name} cannot be encoded: {error}") from error
        return self.signature + bytes((message.id,)) + body

    def size(self, name: str, /, **values: Value) -> int:
        """Octets of the frame that :meth:`encode` would make."""
        return len(self.encode(name, **values))

    def render(self, octets: bytes) -> str:
        """`octets` for a reader: a decoded message on one line, or what is wrong with them."""
        try:
            return render(self.decode(octets))
        except MalformedFrameError as error:
            return f"not a valid frame ({error})"

    def _parse(self, octets: bytes) -> tuple[Message, dict[str, Value], tuple[Span, ...]]:
        stream = io.BytesIO(octets)
        message: Message | None = None
        try:
            number = self._head.parse_stream(stream).id
            message = self._by_id.get(number)
            if message is None:
                raise MalformedFrameError("unknown-message", None, None, len(self.signature))
            parsed = self._bodies[message.name].parse_stream(stream)
        except construct.ConstructError as error:
            raise self._explain(error, message, octets, stream.tell()) from error
        if stream.tell() != len(octets):
            raise MalformedFrameError("trailing", message.name, None, stream.tell())
        values: dict[str, Value] = {}
        spans = []
        for field in message.fields:
            raw = parsed[field.name]
            values[field.name] = raw.value
            prefix = field.size if field.type in ("string", "chunk") else 0
            spans.append(Span(field, raw.offset1, raw.offset2, prefix))
            if field.value is not None and raw.value != field.value:
                raise MalformedFrameError("bad-constant", message.name, field.name, raw.offset1)
        return message, values, tuple(spans)

    def _explain(
        self, error: construct.ConstructError, message: Message | None, octets: bytes, offset: int
    ) -> MalformedFrameError:
        """construct's exception in the taxonomy's words. Its path reads ``(parsing) -> field -> …``."""
        parts = (error.path or "").split(" -> ")
        field = parts[1] if len(parts) > 1 and message is not None else None
        if isinstance(error, construct.ConstError):
            code = "bad-signature"
        elif isinstance(error, _TextError):
            code = "bad-text"
        elif isinstance(error, _LimitError):
            code = "too-long"
        elif message is None and not self.signature.startswith(octets[: len(self.signature)]):
            code = "bad-signature"
        else:
            code = "truncated"
        return MalformedFrameError(code, message.name if message else None, field, offset)

    def _body(self, message: Message) -> Any:
        return construct.Struct(
            *(field.name / construct.RawCopy(_field(field, message.name)) for field in message.fields)
        )


def render(message: Decoded) -> str:
    """A decoded message on one line; long octet strings are cut, with their size told."""
    return " ".join([message.name, *(f"{name}={_show(value)}" for name, value in message.values.items())])


def _show(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    octets = value.encode("utf-8") if isinstance(value, str) else value
    text = ascii(value) if isinstance(value, str) else ascii(bytes(octets[:48]))[1:]
    if isinstance(value, str) and len(text) > 80:
        return f"{text[:76]}…' ({len(octets)} octets)"
    if isinstance(value, bytes) and len(octets) > 48:
        return f"{text}… ({len(octets)} octets)"
    return text


def _field(field: Field, owner: str) -> Any:
    """The construct of one field, after :class:`FieldType` in the intermediate representation."""
    kind = field.type
    if kind == "number":
        number: Any = construct.BytesInteger(field.size, signed=field.signed)
        return _Limit(number, field.max) if field.max is not None else number
    if kind == "varint":
        return construct.ZigZag if field.signed else construct.VarInt
    if kind == "string":
        return _Text(_counted(field), field.text)
    if kind == "chunk":
        return _counted(field)
    if kind == "strings":
        return construct.PrefixedArray(construct.Int32ub, _long_string(field))
    if kind == "hash":
        entry = construct.Struct(
            "key" / _Text(construct.Prefixed(construct.Int8ub, construct.GreedyBytes), field.text),
            "value" / _long_string(field),
        )
        return construct.PrefixedArray(construct.Int32ub, entry)
    if kind == "uuid":
        return construct.Bytes(16)
    if kind == "octets" and field.length is None:
        return construct.Bytes(field.size)
    if kind == "list" and field.items is not None and field.count is None:
        return construct.PrefixedArray(construct.BytesInteger(field.size), _field(field.items, owner))
    if kind == "rest":
        return construct.GreedyBytes
    raise UnsupportedModelError(f"{owner}.{field.name}: a field of type {kind} is not spoken here")


def _counted(field: Field) -> Any:
    length: Any = construct.BytesInteger(field.size)
    if field.max is not None:
        length = _Limit(length, field.max)
    return construct.Prefixed(length, construct.GreedyBytes)


def _long_string(field: Field) -> Any:
    return _Text(construct.Prefixed(construct.Int32ub, construct.GreedyBytes), field.text)
