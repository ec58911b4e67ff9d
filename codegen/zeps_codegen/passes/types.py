"""Types: conversion of a raw field to a field of the IR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..diagnostics import Code, error, remark, warning
from ..ir import Field, FieldType, Text
from ..model import Dialect, RawComposite, RawField, fold, snake, truth
from ..report import Report, did_you_mean
from .constants import BAD_VALUE, Defines, number_attribute, typed_value

__all__ = ["BAD_TEXT", "MISPLACED", "FieldContext", "expand", "resolve_field"]

OCTET_TYPE = remark("ZC120", "the early type `octet`, treated as a number of one byte")
EARLY_NUMBER = remark("ZC115", "a number without a size in a model with the type `octet`, treated as 8 bytes")
DICTIONARY_TYPE = remark("ZC121", "the early type `dictionary`, treated as hash")
INTEGER_TYPE = remark("ZC122", "the type `integer`, treated as a signed number of four bytes")
SIZE_IGNORED = warning("ZC123", "a size on a type without one")
UNKNOWN_TYPE = error("ZC203", "a field's type does not exist")
BAD_SIZE = error("ZC204", "a size that the type cannot have")
MISSING_SIZE = error("ZC205", "octets without a size or length")
UNKNOWN_ENUMERATION = error("ZC206", "a field names an enumeration that does not exist")
BAD_ITEMS = error("ZC207", "a list of items that a list cannot hold")
BAD_TEXT = error("ZC208", "an unknown class of text")
NESTED_COMPOSITE = error("ZC209", "a composite within a composite")
NO_LIMIT = warning("ZC224", "a limit beyond the greatest value of the field")
MISPLACED = error("ZC210", "an attribute that the field's type cannot have")

_TYPES: dict[str, tuple[FieldType, int]] = {
    "number": (FieldType.NUMBER, 1),
    "octet": (FieldType.NUMBER, 1),
    "integer": (FieldType.NUMBER, 4),
    "varint": (FieldType.VARINT, 1),
    "string": (FieldType.STRING, 1),
    "longstr": (FieldType.STRING, 4),
    "chunk": (FieldType.CHUNK, 4),
    "strings": (FieldType.STRINGS, 4),
    "hash": (FieldType.HASH, 4),
    "dictionary": (FieldType.HASH, 4),
    "uuid": (FieldType.UUID, 16),
    "octets": (FieldType.OCTETS, 0),
    "list": (FieldType.LIST, 4),
    "rest": (FieldType.REST, 0),
    "frame": (FieldType.FRAME, 0),
    "msg": (FieldType.MSG, 0),
}
#: Types of zproto's early models only, with the remark about each.
_EARLY_TYPES: dict[str, tuple[Code, str]] = {
    "octet": (OCTET_TYPE, "a number of one byte"),
    "integer": (INTEGER_TYPE, "a signed number of four bytes"),
    "dictionary": (DICTIONARY_TYPE, "a hash"),
}
_NUMBER_SIZES = (1, 2, 4, 8)
_TEXTUAL = (FieldType.STRING, FieldType.STRINGS, FieldType.HASH)
_REPEATED = (FieldType.STRINGS, FieldType.HASH, FieldType.LIST)
#: The count of an open-ended field: its items continue until the end of the frame.
_REST = "rest"
#: The attributes of a list that do not apply to its items.
_NOT_OF_ITEMS: Mapping[str, Any] = dict.fromkeys(
    ("of", "count", "length", "value", "max", "since", "until", "enumeration", "flags", "reserved")
)
_ITEMS = ("number", "varint", "string", "longstr", "chunk", "uuid", "octets")


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What a field's meaning depends on besides its element. Default sizes of numbers are in bytes."""

    defines: Defines
    composites: Mapping[str, RawComposite]
    enumerations: frozenset[str]
    text: Text = Text.UTF8
    dialect: Dialect = Dialect.ZPROTO
    number_size: int = 1  # 4 in the methods of a client, 8 in a model with the type `octet`


def expand(fields: tuple[RawField, ...], context: FieldContext, report: Report) -> tuple[RawField, ...]:
    """Replaces each composite by its fields, called `field_inner`. One within another is reported and left out. As in
    zproto, the fields of composites lose their constants, except in models with our extensions.
    """
    expanded: list[RawField] = []
    for field in fields:
        composite = _composite(field, context)
        if composite is None:
            expanded.append(field)
            continue
        for inner in composite.fields:
            if _composite(inner, context) is not None:
                message = f"{composite.name}.{inner.name} is a composite too; composites cannot be nested"
                report.add(NESTED_COMPOSITE, inner.place, message, attribute="type")
                continue
            value = inner.value if context.dialect is Dialect.ZEPS else None  # zproto drops it
            expanded.append(replace(inner, name=f"{field.name} {inner.name}", value=value))
    return tuple(expanded)


def _composite(field: RawField, context: FieldContext) -> RawComposite | None:
    return None if fold(field.type) in _TYPES else context.composites.get(fold(field.type))


def resolve_field(raw: RawField, context: FieldContext, report: Report) -> Field:
    """Resolves a field. An unknown type is reported and treated as a number."""
    kind = _kind(raw, context, report)
    size = _size(raw, kind, context, report)
    field_type = _TYPES[kind][0]
    signed = (truth(raw.signed) and field_type is not FieldType.LIST) or kind == "integer"
    text = context.text if field_type in _TEXTUAL else Text.UTF8
    if raw.text is not None and field_type is not FieldType.LIST:  # for a list it applies to the items
        text = _text(raw, field_type, report)
    if raw.enumeration is not None and raw.enumeration not in context.enumerations:
        message = f"unknown enumeration {raw.enumeration!r}"
        report.add(UNKNOWN_ENUMERATION, raw.place, message, attribute="enumeration")
    _check_placement(raw, field_type, report)
    field = Field(
        name=snake(raw.name),
        type=field_type,
        size=size,
        signed=signed,
        text=text,
        max=_max(raw, context, report),
        count=snake(raw.count or "")
        if field_type is FieldType.LIST and _is_counted_by_sibling(raw)
        else None,
        length=None if raw.length is None or field_type is not FieldType.OCTETS else snake(raw.length),
        items=_items(raw, context, report) if field_type is FieldType.LIST else None,
        enumeration=raw.enumeration if raw.enumeration in context.enumerations else None,
        flags=truth(raw.flags),
        reserved=_reserved(raw, field_type, report),
        since=number_attribute(raw.since, 1, raw.place, "since", report),
        until=None if raw.until is None else number_attribute(raw.until, 1, raw.place, "until", report),
        doc=raw.doc,
    )
    _check_limit(raw, field, report)
    value = typed_value(raw, field, context.defines, context.dialect is Dialect.ZEPS, report)
    return replace(field, value=value)


def _kind(raw: RawField, context: FieldContext, report: Report) -> str:
    kind = fold(raw.type)
    if kind == "octet" and to_size(raw) > 1:
        kind = "octets"
    if kind in _EARLY_TYPES:
        code, meaning = _EARLY_TYPES[kind]
        report.add(code, raw.place, f"{raw.name} has the type {kind}: {meaning}", attribute="type")
    if kind in _TYPES:
        return kind
    early = _EARLY_TYPES if context.dialect is Dialect.ZEPS else ()
    names = sorted({*_TYPES, *context.composites}.difference(early))
    hint = did_you_mean(kind, names, "the types are " + ", ".join(names))
    text = f"unknown type {raw.type!r}" if kind else f"the field {raw.name} has no type"
    report.add(UNKNOWN_TYPE, raw.place, text, hint=hint, attribute="type")
    return "number"


def to_size(raw: RawField) -> int:
    return int(raw.size) if raw.size and raw.size.strip().isdigit() else 1


def _size(raw: RawField, kind: str, context: FieldContext, report: Report) -> int:
    field_type, default = _TYPES[kind]
    if field_type in _REPEATED and _is_open_ended(raw):
        return 0
    if kind == "list":
        return _list_size(raw, report)
    if kind == "number" and raw.size is None:
        if context.number_size == 8:
            text = f"{raw.name} has 8 bytes, the default in models with the type octet"
            report.add(EARLY_NUMBER, raw.place, text, attribute="type")
        return context.number_size
    if kind == "octets":
        return _octets_size(raw, context, report)
    if raw.size is None:
        return default
    if field_type is FieldType.NUMBER:
        return _one_of(raw, _NUMBER_SIZES, default, report)
    if kind == "chunk" and context.dialect is Dialect.ZEPS:
        return _one_of(raw, _NUMBER_SIZES, default, report)
    if to_size(raw) != default:
        message = f"a {kind} has no size"
        report.add(SIZE_IGNORED, raw.place, message, hint="it is ignored", attribute="size")
    return default


def _octets_size(raw: RawField, context: FieldContext, report: Report) -> int:
    if raw.length is not None:
        return 0
    if raw.size is None:
        report.add(MISSING_SIZE, raw.place, f"{raw.name} has no size", hint="add a size or a length")
        return 1
    named = context.defines.get(raw.size.strip())
    if isinstance(named, int):
        return named
    return number_attribute(raw.size, 1, raw.place, "size", report)


def _list_size(raw: RawField, report: Report) -> int:
    if raw.count is None:
        return 4
    if _is_counted_by_sibling(raw):
        return 0
    return number_attribute(raw.count, 4, raw.place, "count", report, _NUMBER_SIZES)


def _is_open_ended(raw: RawField) -> bool:
    return raw.count is not None and raw.count.strip() == _REST


def _is_counted_by_sibling(raw: RawField) -> bool:
    return raw.count is not None and not _is_open_ended(raw) and not raw.count.strip().isdigit()


def _one_of(raw: RawField, sizes: tuple[int, ...], default: int, report: Report) -> int:
    if raw.size is not None and raw.size.strip().isdigit() and int(raw.size) in sizes:
        return int(raw.size)
    allowed = ", ".join(map(str, sizes))
    text = f"size={raw.size!r} is not a size of a {raw.type}"
    report.add(BAD_SIZE, raw.place, text, hint=allowed, attribute="size")
    return default


def _text(raw: RawField, field_type: FieldType, report: Report) -> Text:
    if field_type not in _TEXTUAL:
        message = f"{raw.name} is a {field_type.value} and cannot have a class of text"
        report.add(MISPLACED, raw.place, message, attribute="text")
        return Text.UTF8
    try:
        return Text(raw.text)
    except ValueError:
        allowed = ", ".join(item.value for item in Text)
        report.add(BAD_TEXT, raw.place, f"unknown class of text {raw.text!r}", hint=allowed, attribute="text")
        return Text.UTF8


def _max(raw: RawField, context: FieldContext, report: Report) -> int | None:
    if raw.max is None:
        return None
    named = context.defines.get(raw.max.strip())
    if isinstance(named, int):
        return named
    if not raw.max.strip().isdigit():
        text = f"max={raw.max!r} is neither a number from 0 on nor a numeric define"
        report.add(BAD_VALUE, raw.place, text, attribute="max")
        return None
    return int(raw.max)


def _check_limit(raw: RawField, field: Field, report: Report) -> None:
    """Reports a `max` above the greatest value, length or count that the field can have."""
    counted = (FieldType.NUMBER, FieldType.STRING, FieldType.CHUNK, FieldType.STRINGS, FieldType.HASH)
    if field.max is None or field.type not in counted or field.open_ended:
        return
    most = 256**field.size - 1 if not field.signed else (1 << 8 * field.size - 1) - 1
    if field.max > most:
        text = f"max={raw.max} has no effect: {raw.name} cannot exceed {most}"
        report.add(NO_LIMIT, raw.place, text, attribute="max")


def _items(raw: RawField, context: FieldContext, report: Report) -> Field | None:
    kind = fold(raw.of or "")
    if kind not in _ITEMS:
        text = f"{raw.name} is a list {f'of {raw.of!r}' if raw.of else 'without `of`'}"
        report.add(BAD_ITEMS, raw.place, text, "a list holds " + ", ".join(_ITEMS), attribute="of")
        return None
    item = replace(raw, type=raw.of or "", name="item", doc="", **_NOT_OF_ITEMS)
    field = resolve_field(item, context, report)
    if _is_open_ended(raw) and field.type is FieldType.OCTETS and field.size == 0:
        text = f"{raw.name} is open-ended, but its items have no bytes"
        report.add(BAD_ITEMS, raw.place, text, hint="an item needs at least one byte", attribute="size")
    return field


def _reserved(raw: RawField, field_type: FieldType, report: Report) -> bool:
    """Whether the field is reserved; attributes that contradict this are reported."""
    if not truth(raw.reserved):
        return False
    if field_type is not FieldType.NUMBER and (field_type is not FieldType.OCTETS or raw.length is not None):
        text = f"{raw.name} cannot be reserved"
        hint = "only numbers and octets of a fixed size can"
        report.add(MISPLACED, raw.place, text, hint=hint, attribute="reserved")
        return False
    for attribute in ("value", "max", "signed", "enumeration", "flags"):
        if getattr(raw, attribute) is not None:
            text = f"{raw.name} is reserved and cannot have {attribute}"
            report.add(MISPLACED, raw.place, text, attribute=attribute)
    return True


def _check_placement(raw: RawField, field_type: FieldType, report: Report) -> None:
    numeric = field_type in (FieldType.NUMBER, FieldType.VARINT)
    is_list = field_type is FieldType.LIST
    rules = (
        ("of", raw.of, is_list),
        ("count", raw.count, is_list or (field_type in _REPEATED and _is_open_ended(raw))),
        ("length", raw.length, field_type is FieldType.OCTETS),
        ("signed", raw.signed, numeric or is_list),
        ("enumeration", raw.enumeration, numeric or is_list or field_type is FieldType.STRING),
        ("flags", raw.flags, numeric),
    )
    for attribute, value, allowed in rules:
        if value is not None and not allowed:
            message = f"{raw.name} is a {field_type.value} and cannot have {attribute}"
            hint = f"only {_REST!r} is allowed" if attribute == "count" and field_type in _REPEATED else ""
            report.add(MISPLACED, raw.place, message, hint=hint, attribute=attribute)
