"""Enumerations: checks that members are all numbers or all texts, and fit the fields that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import error
from ..ir import Enumeration, Field, FieldType
from ..model import RawEnumeration, RawField
from ..report import Report

__all__ = ["check_enumerations", "check_members"]

BAD_MEMBERS = error("ZC235", "an enumeration with no members, or with numbers and texts")
UNFIT_MEMBER = error("ZC236", "a field that cannot hold a member of its enumeration")


def check_enumerations(
    raws: Sequence[RawEnumeration], enumerations: Sequence[Enumeration], report: Report
) -> None:
    """Reports enumerations that are empty or mix numbers and texts."""
    for raw, enumeration in zip(raws, enumerations, strict=True):
        kinds = {type(member.value) for member in enumeration.members}
        if len(kinds) != 1:
            text = f"the enumeration {raw.name} has {'numbers and texts' if kinds else 'no members'}"
            report.add(BAD_MEMBERS, raw.place, text, attribute="name")


def check_members(
    raws: Sequence[RawField], fields: Sequence[Field], enumerations: Sequence[Enumeration], report: Report
) -> None:
    """Reports each field that cannot hold a member of its enumeration, because of its type or size."""
    by_name = {enumeration.name: enumeration for enumeration in enumerations}
    for raw, field in zip(raws, fields, strict=True):
        if field.enumeration is None:
            continue
        held = field.items or field
        for member in by_name[field.enumeration].members:
            if not _holds(held, member.value):
                text = f"{field.name} cannot hold {field.enumeration}.{member.name}: {member.value!r}"
                report.add(UNFIT_MEMBER, raw.place, text, attribute="enumeration")
                break


def _holds(field: Field, value: int | str) -> bool:
    if field.type is FieldType.STRING:
        return isinstance(value, str) and len(value.encode()) < 1 << 8 * field.size
    if not isinstance(value, int):
        return False
    bits = 64 if field.type is FieldType.VARINT else 8 * field.size
    least = -(1 << bits - 1) if field.signed else 0
    return least <= value < least + (1 << bits)
