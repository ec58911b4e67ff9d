"""Extensible messages, defaults of their fields, and relations between numbers."""

from __future__ import annotations

import re
from dataclasses import replace

from ..diagnostics import error
from ..ir import Enumeration, Field, FieldType, Message, Relation
from ..model import RawField, RawMessage, RawRelation, snake, truth
from ..report import Place, Report
from .constants import BAD_VALUE, Defines, to_number, typed_value

__all__ = ["grown"]

MISPLACED_DEFAULT = error("ZC225", "a default of a field before which a frame cannot end")
CANNOT_GROW = error("ZC226", "an extensible message whose last field takes the rest of the frame")
BAD_RELATION = error("ZC227", "a relation whose operands are not numbers of the message")

_RELATION = re.compile(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(\w+)\s*")
_DEFAULTABLE = (
    *(FieldType.NUMBER, FieldType.VARINT, FieldType.STRING, FieldType.CHUNK, FieldType.OCTETS),
    *(FieldType.UUID, FieldType.LIST, FieldType.STRINGS, FieldType.HASH),
)


def grown(
    raw: RawMessage,
    message: Message,
    raw_fields: tuple[RawField, ...],
    enumerations: tuple[Enumeration, ...],
    defines: Defines,
    report: Report,
) -> Message:
    """The message with its extensibility, defaults and relations resolved. Errors are reported."""
    message = replace(message, extensible=truth(raw.extensible))
    taking = next((item for item in message.fields if item.type is FieldType.REST or item.open_ended), None)
    if message.extensible and taking is not None:
        text = f"{message.name} is extensible, but its field {taking.name} takes the rest of the frame"
        report.add(CANNOT_GROW, raw.place, text, attribute="extensible")
    fields = tuple(
        _with_default(item, field, message, enumerations, defines, report)
        for item, field in zip(raw_fields, message.fields, strict=True)
    )
    for item, before, field in zip(raw_fields[1:], raw_fields, message.fields[1:], strict=False):
        if before.default is not None and item.default is None and not field.is_frame:
            text = f"{message.name}.{snake(before.name)} has a default, but {field.name} after it has none"
            report.add(MISPLACED_DEFAULT, item.place, text, hint="fields with defaults are the last")
    message = replace(message, fields=fields)
    relations = [_relation(item, message, defines, report) for item in raw.relations]
    return replace(message, relations=tuple(relation for relation in relations if relation is not None))


def _with_default(
    raw: RawField,
    field: Field,
    message: Message,
    enumerations: tuple[Enumeration, ...],
    defines: Defines,
    report: Report,
) -> Field:
    if raw.default is None:
        return field
    problem = _misplaced(field, message)
    if problem:
        report.add(
            MISPLACED_DEFAULT, raw.place, f"{message.name}.{field.name} {problem}", attribute="default"
        )
        return field
    if field.is_repeated:
        if raw.default:
            text = f"the default of {field.name}, which is a {field.type.value}, can only be empty"
            report.add(BAD_VALUE, raw.place, text, attribute="default")
        return replace(field, default="")
    value = typed_value(replace(raw, value=raw.default), field, defines, True, report)
    members = {enum.name: enum.members for enum in enumerations}.get(field.enumeration or "")
    known = [member.value for member in members or ()]
    numbers = [value for value in known if isinstance(value, int)]
    is_union = field.flags and isinstance(value, int) and not value & ~sum(numbers)
    if value is not None and members is not None and value not in known and not is_union:
        text = f"{raw.default!r} is not a member of {field.enumeration}"
        report.add(BAD_VALUE, raw.place, text, attribute="default")
    return replace(field, default=value)


def _misplaced(field: Field, message: Message) -> str:
    """The reason why the field cannot have a default; empty if it can."""
    if not message.extensible:
        return 'has a default, but its message is not extensible="true"'
    if field.type not in _DEFAULTABLE or field.value is not None or field.reserved:
        return "cannot have a default"
    measured = field.length is not None or field.count is not None
    if measured or any(field.name in (other.length, other.count) for other in message.fields):
        return "counts or measures another field, or is counted or measured itself, and cannot have a default"
    return ""


def _relation(raw: RawRelation, message: Message, defines: Defines, report: Report) -> Relation | None:
    match = _RELATION.fullmatch(raw.holds)
    if match is None:
        text = f"holds={raw.holds!r} is not a comparison such as first <= last"
        report.add(BAD_RELATION, raw.place, text, attribute="holds")
        return None
    fields = {field.name: field for field in message.fields}
    left, operator, right = match[1], match[2], match[3]
    constant = None if snake(right) in fields else to_number(right, defines)
    names = [snake(left), *([snake(right)] if constant is None else [])]
    if not all(_comparable(name, fields, raw.place, raw.holds, report) for name in names):
        return None
    return Relation(names[0], operator, names[1] if constant is None else constant)


def _comparable(name: str, fields: dict[str, Field], place: Place, holds: str, report: Report) -> bool:
    field = fields.get(name)
    numeric = field is not None and field.type in (FieldType.NUMBER, FieldType.VARINT)
    if field is not None and numeric and not field.signed and field.value is None and not field.reserved:
        return True
    text = f"holds={holds!r}: {name} is not an unsigned number of the message"
    report.add(BAD_RELATION, place, text, attribute="holds")
    return False
