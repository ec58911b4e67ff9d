"""Constants: the values of defines, ids, constant fields and members of enumerations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..diagnostics import Severity, error, warning
from ..ir import Constant, Enumeration, Field, FieldType
from ..model import RawClass, RawDefine, RawEnumeration, RawField, fold, words
from ..report import Place, Report

__all__ = [
    "BAD_ATTRIBUTE",
    "BAD_VALUE",
    "CONSTANT_TWICE",
    "Defines",
    "number_attribute",
    "resolve_defines",
    "resolve_enumerations",
    "to_number",
    "typed_value",
]

BAD_VALUE = error("ZC220", "a value that its type cannot hold")
FOREIGN_CONSTANT = warning("ZC116", "a constant of the host's code, whose value the model does not have")
CONSTANT_TYPE = error("ZC221", "a constant of a type without constants")
BAD_ATTRIBUTE = error("ZC222", "an attribute with an invalid value")
CONSTANT_TWICE = error("ZC223", "a define, enumeration or member that occurs twice")

Defines = Mapping[str, int | str]

_CHARACTER = re.compile(r"'(\\?.)'", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\0": "\0", "\\\\": "\\", "\\'": "'"}


def to_number(text: str, defines: Defines | None = None) -> int | None:
    """Parses decimal, `0x…`, `%x…`, a character literal, or a numeric define, each also in parentheses; or None."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"0[xX][0-9A-Fa-f]+|%[xX][0-9A-Fa-f]+", text):
        return int(text[2:], 16)
    if match := _CHARACTER.fullmatch(text):
        return ord(_ESCAPES.get(match.group(1), match.group(1)[-1]))
    if re.fullmatch(r"\(.*\)", text):
        return to_number(text[1:-1], defines)
    value = (defines or {}).get(text)
    return value if isinstance(value, int) else None


def number_attribute(
    raw: str | None, default: int, place: Place, attribute: str, report: Report, allowed: tuple[int, ...] = ()
) -> int:
    """Parses a number from 0 on, one of `allowed` if given; the default if absent, or, with a finding, if wrong."""
    if raw is None:
        return default
    value = to_number(raw)
    if value is None or value < 0 or (allowed and value not in allowed):
        expected = "one of " + ", ".join(map(str, allowed)) if allowed else "a number from 0 on"
        report.add(BAD_ATTRIBUTE, place, f"{attribute}={raw!r} is not {expected}", attribute=attribute)
        return default
    return value


def resolve_defines(raw: RawClass, report: Report) -> tuple[Constant, ...]:
    """The class's defines: numbers where possible, else texts. A second one of a name is reported and ignored."""
    constants: dict[str, Constant] = {}
    for item in raw.defines:
        constant = Constant("_".join(words(item.name).split()), _define_value(item, constants), item.doc)
        other = constants.setdefault(constant.name, constant)
        if other is not constant:
            severity = Severity.WARNING if other.value == constant.value else Severity.ERROR
            text = f"{constant.name} is defined twice"
            report.add(CONSTANT_TWICE, item.place, text, attribute="name", severity=severity)
    return tuple(constants.values())


def _define_value(item: RawDefine, earlier: Mapping[str, Constant]) -> int | str:
    number = to_number(item.value, {name: constant.value for name, constant in earlier.items()})
    if number is not None:
        return number
    text = item.value.strip()
    if text in earlier:
        return earlier[text].value
    return _unquote(text)


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def resolve_enumerations(raw: RawClass, report: Report) -> tuple[Enumeration, ...]:
    """The class's enumerations. A member without a value is one more than the last number before it, or 0. Members
    with the name of another, or its value, are reported and left out.
    """
    return tuple(_enumeration(item, report) for item in raw.enumerations)


def _enumeration(item: RawEnumeration, report: Report) -> Enumeration:
    members: dict[str, Constant] = {}
    taken: dict[int | str, str] = {}
    following = 0
    for member in item.members:
        value: int | str = following
        if member.value is not None:
            number = to_number(member.value)
            value = member.value if number is None else number
        if isinstance(value, int):
            following = value + 1
        known = members.get(fold(member.name))
        if known is not None or value in taken:
            other = taken[value] if known is None else known.name
            message = f"{item.name}.{member.name} has the name or the value of {item.name}.{other}"
            report.add(CONSTANT_TWICE, member.place, message)
            continue
        taken[value] = member.name
        members[fold(member.name)] = Constant(member.name, value, member.doc)
    return Enumeration(item.name, tuple(members.values()), item.doc)


def typed_value(
    raw: RawField, field: Field, defines: Defines, ours: bool, report: Report
) -> int | str | bytes | None:
    """The constant of `value`, converted to the field's type; None without a value, and, with a finding, if wrong."""
    if raw.value is None:
        return None
    text = raw.value
    named = defines.get(text.strip())
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        return _number_value(raw, field, to_number(text, defines), ours, report)
    if isinstance(named, str):
        text = named
    if field.type is FieldType.STRING:
        if len(text.encode()) > 256**field.size - 1:
            length = f"a string with a length of {field.size} bytes"
            _bad(raw, f"{len(text.encode())} bytes are too many for {length}", report)
            return None
        return text
    if field.type in (FieldType.OCTETS, FieldType.UUID, FieldType.CHUNK, FieldType.REST):
        data = _constant_bytes(text)
        fixed = field.size if field.type is FieldType.OCTETS and field.length is None else None
        if field.type is FieldType.UUID:
            data = (
                bytes.fromhex(text.replace("-", "")) if re.fullmatch(r"[0-9A-Fa-f-]{32,36}", text) else data
            )
            fixed = 16
        if fixed is not None and len(data) != fixed:
            _bad(raw, f"{raw.name} has {fixed} bytes, but its constant has {len(data)}", report)
            return None
        return data
    message = f"{raw.name} is a {field.type.value} and cannot be constant"
    report.add(CONSTANT_TYPE, raw.place, message, attribute="value")
    return None


def _number_value(raw: RawField, field: Field, value: int | None, ours: bool, report: Report) -> int | None:
    if value is None and ours:
        _bad(raw, f"{raw.value!r} is neither a number nor a numeric define", report)
        return None
    if value is None:
        text = f"{raw.value!r} is not defined here: {raw.name} is treated as a variable field"
        report.add(FOREIGN_CONSTANT, raw.place, text, attribute="value")
        return None
    bits = 64 if field.type is FieldType.VARINT else 8 * field.size
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if field.signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        _bad(raw, f"{value} is out of range for {raw.name}, which holds {low} to {high}", report)
        return None
    return value


def _constant_bytes(text: str) -> bytes:
    """The bytes of a constant: `0x` and hexadecimal digits, or the UTF-8 of the text."""
    match = re.fullmatch(r"0[xX]((?:[0-9A-Fa-f]{2})+)", text)
    return bytes.fromhex(match.group(1)) if match else text.encode()


def _bad(raw: RawField, message: str, report: Report) -> None:
    report.add(BAD_VALUE, raw.place, message, attribute="value")
