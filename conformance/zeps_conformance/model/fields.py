"""Wire formats of field types, as constructs. Decoding is strict: a length or count is compared with its limit, then
with the rest of the frame; then the content is checked. Encoding checks only that numbers fit, so peers can violate
rules.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Collection, Mapping
from typing import Any

import construct

from zeps_conformance.model.definitions import Field, Message, Model, Relation

__all__ = [
    "APART",
    "ConstantError",
    "LimitError",
    "RelationError",
    "ShortError",
    "TextError",
    "UnsupportedModelError",
    "encode_constant",
    "field_construct",
]

#: Fields that are separate ZeroMQ frames.
APART = ("frame", "msg")
#: Unicode's general category Cc.
_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f]")
_VISIBLE = re.compile("[!-~]*")
_VARINT_BYTES_MAX = 10
_U64_MAX = 2**64 - 1


class UnsupportedModelError(Exception):
    """The model uses a feature that this interpreter does not support."""


class TextError(construct.ConstructError):  # type: ignore[misc]
    """Text that is not UTF-8 or violates its character class."""


class LimitError(construct.ConstructError):  # type: ignore[misc]
    """A number, a length or a count beyond its limit."""


class ShortError(construct.StreamError):  # type: ignore[misc]
    """A length or a count beyond the frame's end; the frame would need at least `needs` bytes."""

    def __init__(self, message: str, path: str, needs: int) -> None:
        super().__init__(message, path=path)
        self.needs = needs


class ConstantError(construct.ConstructError):  # type: ignore[misc]
    """A decoded constant is wrong, a value is not in its enumeration, or a flag is unknown; not raised by encoding."""


class RelationError(construct.ConstructError):  # type: ignore[misc]
    """A number that violates a relation of its message."""


class _Text(construct.Adapter):  # type: ignore[misc]
    """Text of the class `kind`: ``utf-8``, ``printable``, ``vchar``, ``octets`` (bytes). Encoding does not check it."""

    def __init__(self, subcon: Any, kind: str) -> None:
        super().__init__(subcon)
        self.kind = kind

    def _decode(self, obj: bytes, context: Any, path: str) -> str | bytes:
        if self.kind == "octets":
            return obj
        try:
            text = obj.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TextError(f"not UTF-8: {error.reason}", path=path) from error
        if self.kind in ("printable", "vchar") and _CONTROL.search(text):
            raise TextError("contains a control character", path=path)
        if self.kind == "vchar" and not _VISIBLE.fullmatch(text):
            raise TextError("contains a character that is not visible ASCII", path=path)
        return text

    def _encode(self, obj: str | bytes, context: Any, path: str) -> bytes:
        return obj.encode("utf-8") if isinstance(obj, str) else bytes(obj)


class _Checked(construct.Subconstruct):  # type: ignore[misc]
    """A value that only decoding checks."""

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        value = self.subcon._parsereport(stream, context, path)
        self.check(value, context, path)
        return value

    def check(self, value: Any, context: Any, path: str) -> None:
        """Raises a ConstructError if the value is invalid."""
        raise NotImplementedError


class _Limit(_Checked):
    """A number with the maximum `most`, inclusive."""

    def __init__(self, subcon: Any, most: int) -> None:
        super().__init__(subcon)
        self.most = most

    def check(self, value: int, context: Any, path: str) -> None:
        if value > self.most:
            raise LimitError(f"{value} is more than {self.most}", path=path)


class _Member(_Checked):
    """A number or text of an enumeration, or a sum of flags."""

    def __init__(self, subcon: Any, members: Collection[int | str], flags: bool) -> None:
        super().__init__(subcon)
        self.members, self.flags = members, flags
        self.mask = functools.reduce(operator.or_, map(int, members), 0) if flags else 0

    def check(self, value: int | str, context: Any, path: str) -> None:
        known = not int(value) & ~self.mask if self.flags else value in self.members
        if not known:
            raise ConstantError(f"{value!r} is not in the enumeration", path=path)


class _Constant(construct.Subconstruct):  # type: ignore[misc]
    """A constant, compared byte by byte; StreamError if the frame ends within it. The encoder writes a given value."""

    def __init__(self, subcon: Any, encoded: bytes, value: int | str | bytes) -> None:
        super().__init__(subcon)
        self.encoded, self.value = encoded, value

    def _parse(self, stream: Any, context: Any, path: str) -> int | str | bytes:
        start = stream.tell()
        data = stream.read(len(self.encoded))
        if data != self.encoded:
            stream.seek(start)
            if self.encoded.startswith(data):
                raise construct.StreamError("the constant is truncated", path=path)
            raise ConstantError(f"{data.hex()} instead of the constant {self.encoded.hex()}", path=path)
        return self.value


class _Varint(construct.Construct):  # type: ignore[misc]
    """LEB128 of at most 64 bits; zigzag if signed."""

    def __init__(self, signed: bool) -> None:
        super().__init__()
        self.signed = signed

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        value: int = 0
        for place in range(_VARINT_BYTES_MAX):
            octet = construct.stream_read(stream, 1, path)[0]
            value |= (octet & 0x7F) << 7 * place
            if not octet & 0x80:
                if value > _U64_MAX:
                    break
                return (
                    value // 2 if self.signed and value % 2 == 0 else ~(value // 2) if self.signed else value
                )
        raise LimitError("more than 64 bits", path=path)

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        rest = (2 * obj if obj >= 0 else -2 * obj - 1) if self.signed else obj
        if not 0 <= rest <= _U64_MAX:
            raise construct.IntegerError(
                f"{obj} is not {'a' if self.signed else 'an unsigned'} number of 64 bits", path=path
            )
        encoded = bytearray()
        while rest > 0x7F:
            encoded.append(rest & 0x7F | 0x80)
            rest >>= 7
        encoded.append(rest)
        stream.write(bytes(encoded))
        return obj


class _Sized(construct.Construct):  # type: ignore[misc]
    """A value after its own length or count (`prefix`), or with that of the field `sibling`."""

    def __init__(self, prefix: Any, sibling: str | None, most: int | None) -> None:
        super().__init__()
        self.prefix, self.sibling, self.most = prefix, sibling, most

    def count(self, stream: Any, context: Any, path: str, least: int) -> int:
        """Returns the length or count, read or from the sibling, of items with at least `least` bytes. Raises
        LimitError above the limit, StreamError if it is negative, ShortError if the rest is too short.
        """
        own = self.sibling is None
        count: int = self.prefix._parsereport(stream, context, path) if own else context[self.sibling]
        if self.most is not None and count > self.most:
            raise LimitError(f"{count} is more than {self.most}", path=path)
        if count < 0:
            raise construct.StreamError(f"the frame does not contain {count}", path=path)
        if count * least > len(stream.getbuffer()) - stream.tell():
            raise ShortError(f"the frame does not contain {count}", path, stream.tell() + count * least)
        return count

    def announce(self, count: int, stream: Any, context: Any, path: str) -> None:
        if self.sibling is None:
            self.prefix._build(count, stream, context, path)


class _Octets(_Sized):
    """Bytes after their length, or of a sibling's length."""

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        return bytes(stream.read(self.count(stream, context, path, 1)))

    def _build(self, obj: bytes, stream: Any, context: Any, path: str) -> bytes:
        self.announce(len(obj), stream, context, path)
        stream.write(obj)
        return obj


class _Many(_Sized):
    """Items after their count; each has at least `least` bytes. Without a count they continue to the frame's end."""

    def __init__(self, item: Any, least: int, prefix: Any, sibling: str | None, most: int | None) -> None:
        super().__init__(prefix, sibling, most)
        self.item, self.least = item, least

    def _parse(self, stream: Any, context: Any, path: str) -> list[Any]:
        if self.prefix is None and self.sibling is None:
            return self.all(stream, context, path)
        count = self.count(stream, context, path, self.least)
        return [self.item._parsereport(stream, context, path) for _ in range(count)]

    def all(self, stream: Any, context: Any, path: str) -> list[Any]:
        """Returns the items up to the frame's end. Raises LimitError before it decodes an item beyond the maximum."""
        items: list[Any] = []
        while stream.tell() < len(stream.getbuffer()):
            if len(items) == self.most:
                raise LimitError(f"more than {self.most} items", path=path)
            items.append(self.item._parsereport(stream, context, path))
        return items

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if self.prefix is not None:
            self.announce(len(obj), stream, context, path)
        for item in obj:
            self.item._build(item, stream, context, path)
        return obj


class _Pair(construct.Construct):  # type: ignore[misc]
    """A key and its value."""

    def __init__(self, key: Any, value: Any) -> None:
        super().__init__()
        self.key, self.value = key, value

    def _parse(self, stream: Any, context: Any, path: str) -> tuple[Any, Any]:
        key = self.key._parsereport(stream, context, path)
        return key, self.value._parsereport(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.key._build(obj[0], stream, context, path)
        self.value._build(obj[1], stream, context, path)
        return obj


class _Rest(construct.Construct):  # type: ignore[misc]
    """The rest of the frame."""

    def __init__(self, most: int | None) -> None:
        super().__init__()
        self.most = most

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        left = len(stream.getbuffer()) - stream.tell()
        if self.most is not None and left > self.most:
            raise LimitError(f"{left} is more than {self.most}", path=path)
        return bytes(stream.read())

    def _build(self, obj: bytes, stream: Any, context: Any, path: str) -> bytes:
        stream.write(obj)
        return obj


class _Tail(construct.Subconstruct):  # type: ignore[misc]
    """A field with a default value, used if the frame ends before it."""

    def __init__(self, subcon: Any, field: Field) -> None:
        super().__init__(subcon)
        self.field = field

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if stream.tell() < len(stream.getbuffer()):
            return self.subcon._parsereport(stream, context, path)
        return [] if self.field.type in ("list", "strings", "hash") else self.field.default


class _Related(_Checked):
    """A number that completes relations."""

    def __init__(self, subcon: Any, name: str, relations: Collection[Relation]) -> None:
        super().__init__(subcon)
        self.name, self.relations = name, relations

    def check(self, value: int, context: Any, path: str) -> None:
        for relation in self.relations:
            others = {name: context[name] for name in relation.fields if name != self.name}
            if not relation.holds({**others, self.name: value}):
                raise RelationError(f"the relation {relation} is violated", path=path)


def field_construct(field: Field, message: Message, model: Model) -> Any:
    """Returns the construct of a message's field, with all checks. Raises UnsupportedModelError for an unknown type."""
    if field.reserved:
        return construct.Bytes(field.size)
    subcon = _plain(field, message.name, model)
    if relations := message.completed(field.name):
        subcon = _Related(subcon, field.name, relations)
    if field.default is not None:
        subcon = _Tail(subcon, field)
    if field.value is not None:
        return _Constant(subcon, encode_constant(field), field.value)
    return subcon


def encode_constant(field: Field) -> bytes:
    """Returns the wire form of a constant."""
    stream_value = field.value.encode() if isinstance(field.value, str) else field.value
    plain = Field(field.name, field.type, field.size, field.signed, text="octets")
    return bytes(_plain(plain, field.name, None).build(stream_value))


def _plain(field: Field, owner: str, model: Model | None) -> Any:
    kind = field.type
    if kind == "number":
        return _limited(construct.BytesInteger(field.size, signed=field.signed), field, model)
    if kind == "varint":
        return _limited(_Varint(field.signed), field, model)
    if kind == "string":
        return _member(_Text(_sized_bytes(field), field.text), field, model)
    if kind == "chunk":
        return _sized_bytes(field)
    if kind == "strings":
        return _Many(_part(4, field), 4, _count(field, 4), None, field.max)
    if kind == "hash":
        return _Many(_Pair(_part(1, field), _part(4, field)), 5, _count(field, 4), None, field.max)
    if kind == "uuid":
        return construct.Bytes(16)
    if kind == "octets" and field.length is None:
        return construct.Bytes(field.size)
    if kind == "octets":
        return _Octets(None, field.length, field.max)
    if kind == "list" and field.items is not None:
        item = _plain(field.item(), owner, model)
        return _Many(item, _least(field.items), _count(field, field.size), field.count, field.max)
    if kind == "rest":
        return _Rest(field.max)
    raise UnsupportedModelError(f"{owner}.{field.name}: the field type {kind} is not supported")


def _count(field: Field, size: int) -> Any:
    """Returns the construct of the count before a list's items, or None if the list does not have its own."""
    return None if field.open_ended or field.count is not None else construct.BytesInteger(size)


def _least(item: Field) -> int:
    """Returns the minimum number of bytes of an item."""
    return {"varint": 1, "uuid": 16}.get(item.type, item.size)


def _limited(subcon: Any, field: Field, model: Model | None) -> Any:
    return _member(_Limit(subcon, field.max) if field.max is not None else subcon, field, model)


def _member(subcon: Any, field: Field, model: Model | None) -> Any:
    if field.enumeration is None or model is None or field.text == "octets":
        return subcon
    enumerations: Mapping[str, Collection[int | str]] = model.enumerations
    return _Member(subcon, enumerations[field.enumeration], field.flags)


def _sized_bytes(field: Field) -> Any:
    return _Octets(construct.BytesInteger(field.size), None, field.max)


def _part(size: int, field: Field) -> Any:
    """Returns the construct of a string within a list or a hash."""
    return _Text(_Octets(construct.BytesInteger(size), None, None), field.text)
