"""Messages that cannot be encoded, and their first error in wire order."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from zeps_conformance.model.definitions import Field, Message, Model
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["refusal"]

Wrong = tuple[str, str]


def refusal(codec: Interpreter, message: str, values: Sequence[Any]) -> Wrong | None:
    """Returns the error code and field name, or None. `values`: of `codec.visible_fields(message)`, text as bytes."""
    visible = codec.visible_fields(message)
    given = {spec.name: value for spec, value in zip(visible, values, strict=True)}
    fields = codec.model.message(message).fields
    wrong = _disagreement(fields, given)
    if wrong is None and codec.model.dispatch == "pubsub":
        wrong = _topic(given["topic"])
    for spec in fields:
        if wrong is not None:
            break
        if spec.name in given:
            code = _wrong(codec.model, spec, given[spec.name])
            wrong = (code, spec.name) if code else None
        elif spec.value is None and not spec.reserved:
            wrong = _count(fields, spec, given)
        wrong = wrong or _unrelated(codec.model.message(message), spec, given)
    return wrong


def _unrelated(message: Message, spec: Field, given: Mapping[str, Any]) -> Wrong | None:
    """Returns ``bad-relation`` and the field's name if the field completes a violated relation, else None."""
    for relation in message.completed(spec.name):
        numbers = {}
        for name in relation.fields:
            counted = _counted(message.fields, message.field(name))
            numbers[name] = len(given[counted[0]]) if counted else given[name]
        if not relation.holds(numbers):
            return ("bad-relation", spec.name)
    return None


def _counted(fields: Sequence[Field], counter: Field) -> list[str]:
    return [spec.name for spec in fields if counter.name in (spec.count, spec.length)]


def _disagreement(fields: Sequence[Field], given: Mapping[str, Any]) -> Wrong | None:
    """Returns the error of a field that does not have as many items as the first field with the same count."""
    for spec in fields:
        names = _counted(fields, spec)
        for other in names[1:]:
            first, count = len(given[names[0]]), len(given[other])
            if count != first:
                return ("too-long" if count > first else "truncated", other)
    return None


def _count(fields: Sequence[Field], counter: Field, given: Mapping[str, Any]) -> Wrong | None:
    names = _counted(fields, counter)
    code = _wrong_number(counter, len(given[names[0]])) if names else None
    return (code, names[0]) if code else None


def _topic(topic: bytes) -> Wrong | None:
    return ("bad-text", "topic") if b"\0" in topic or not _is_text(topic, "utf-8") else None


def _wrong(model: Model, spec: Field, value: Any) -> str | None:
    match spec.type:
        case "number" | "varint":
            if spec.max is not None and value > spec.max:
                return "too-long"
            return _not_a_member(model, spec, value) or _wrong_number(spec, value)
        case "string":
            return _wrong_text(model, spec, value) or _too_long(spec, len(value), spec.size)
        case "chunk":
            return _too_long(spec, len(value), spec.size)
        case "strings" | "list":
            return _too_long(spec, len(value), _prefix(spec)) or _wrong_items(model, spec, value)
        case "hash":
            return _too_long(spec, len(value), _prefix(spec)) or _wrong_pairs(model, spec, value)
        case "uuid":
            return _not_exactly(len(value), 16)
        case "octets" if spec.length is None:
            return _not_exactly(len(value), spec.size)
        case "msg":
            code = next((code for frame in value if (code := _too_long(spec, len(frame), 8))), None)
            return code if value else "truncated"
        case _:
            return _too_long(spec, len(value), 8)


def _prefix(spec: Field) -> int:
    """Returns the size of the count in bytes; without one of its own, a size that is never reached."""
    if spec.count is not None or spec.open_ended:
        return 8
    return spec.size if spec.type == "list" else 4


def _wrong_items(model: Model, spec: Field, items: Sequence[Any]) -> str | None:
    item = spec.item()
    return next((code for value in items if (code := _wrong(model, item, value))), None)


def _wrong_pairs(model: Model, spec: Field, pairs: Sequence[tuple[bytes, bytes]]) -> str | None:
    key, value = Field("key", "string", 1, text=spec.text), Field("value", "string", 4, text=spec.text)
    for pair in pairs:
        code = _wrong(model, key, pair[0]) or _wrong(model, value, pair[1])
        if code:
            return code
    return None


def _wrong_number(spec: Field, value: int) -> str | None:
    bits = 64 if spec.type == "varint" else 8 * spec.size
    least = -(1 << bits - 1) if spec.signed else 0
    beyond = spec.max is not None and value > spec.max
    return "too-long" if beyond or not least <= value < least + (1 << bits) else None


def _not_a_member(model: Model, spec: Field, value: int | bytes) -> str | None:
    if spec.enumeration is None:
        return None
    members = model.enumerations[spec.enumeration]
    if spec.flags and isinstance(value, int):
        return (
            "bad-constant"
            if any(value >> bit & 1 and not _is_flag(members, bit) for bit in range(64))
            else None
        )
    known = [member.encode() if isinstance(member, str) else member for member in members]
    return None if value in known else "bad-constant"


def _is_flag(members: Sequence[int | str], bit: int) -> bool:
    return any(isinstance(member, int) and member >> bit & 1 for member in members)


def _wrong_text(model: Model, spec: Field, value: bytes) -> str | None:
    if spec.text != "octets" and _not_a_member(model, spec, value):
        return "bad-constant"
    return None if _is_text(value, spec.text) else "bad-text"


def _is_text(data: bytes, kind: str) -> bool:
    if kind == "octets":
        return True
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    if kind == "vchar":
        return all("!" <= char <= "~" for char in text)
    return kind != "printable" or not any(unicodedata.category(char) == "Cc" for char in text)


def _too_long(spec: Field, length: int, size: int) -> str | None:
    beyond = spec.max is not None and length > spec.max
    return "too-long" if beyond or length >= 1 << 8 * size else None


def _not_exactly(length: int, expected: int) -> str | None:
    return None if length == expected else "too-long" if length > expected else "truncated"
