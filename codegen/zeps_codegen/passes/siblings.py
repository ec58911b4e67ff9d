"""Siblings: computed fields with the count of a list or the length of octets; they precede the list or octets."""

from __future__ import annotations

from dataclasses import replace

from ..diagnostics import error
from ..ir import Field, FieldType
from ..report import Place, Report

__all__ = ["resolve_siblings"]

NO_SIBLING = error("ZC213", "a list or octets whose counting field does not precede them")
BAD_SIBLING = error("ZC214", "a counting field that cannot count")
SHARED_LENGTH = error("ZC215", "a field that is used both as a count and as a length")
NOT_LAST = error("ZC216", "a field that takes the rest of the frame and is not the last")


def resolve_siblings(
    fields: tuple[Field, ...], places: tuple[Place, ...], report: Report
) -> tuple[Field, ...]:
    """The fields, in which those that count or measure others are marked as derived. Errors are reported."""
    uses: dict[str, str] = {}
    for index, (field, place) in enumerate(zip(fields, places, strict=True)):
        attribute = "count" if field.count is not None else "length"
        name = field.count or field.length
        if name is not None:
            _check(field, name, attribute, fields[:index], place, uses, report)
        last = index == len(fields) - 1
        greedy = field.type in (FieldType.REST, FieldType.MSG) or field.open_ended
        if greedy and not last:
            message = f"{field.name} takes the rest of the frame, but {fields[index + 1].name} follows it"
            report.add(NOT_LAST, place, message, attribute="count" if field.open_ended else "type")
    return tuple(replace(field, derived=True) if field.name in uses else field for field in fields)


def _check(
    field: Field,
    name: str,
    attribute: str,
    before: tuple[Field, ...],
    place: Place,
    uses: dict[str, str],
    report: Report,
) -> None:
    counter = next((item for item in before if item.name == name), None)
    if counter is None:
        message = f"no field {name!r} precedes {field.name}"
        hint = "the counting field must precede the field that it counts"
        report.add(NO_SIBLING, place, message, hint=hint, attribute=attribute)
        return
    numeric = counter.type in (FieldType.NUMBER, FieldType.VARINT) and not counter.signed
    if not numeric or counter.value is not None or counter.reserved:
        what = "reserved" if counter.reserved else "not a variable unsigned number"
        message = f"{name} is {what} and cannot be the {attribute} of {field.name}"
        report.add(BAD_SIBLING, place, message, attribute=attribute)
        return
    if uses.setdefault(name, attribute) != attribute or (attribute == "length" and _measured(name, before)):
        message = f"{name} already counts or measures another field"
        report.add(SHARED_LENGTH, place, message, hint="only lists can share a count", attribute=attribute)


def _measured(name: str, before: tuple[Field, ...]) -> bool:
    return any(item.length == name for item in before)
