"""Plan of an enumeration: whether its values are text, numbers or bits, and which members have equal values."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import Constant, Enumeration, Field, Protocol

__all__ = ["EnumerationPlan", "enumeration_plans"]


@dataclass(frozen=True, slots=True)
class EnumerationPlan:
    """The plan of an enumeration of a protocol."""

    enumeration: Enumeration
    is_text: bool
    is_flags: bool
    """Whether a field may hold a union of members."""
    is_signed: bool
    """Whether any member is negative."""
    mask: int
    """The union of the bits of all members, in 64 bits."""
    members: tuple[Constant, ...]
    """The first member of each value."""
    aliases: tuple[tuple[Constant, Constant], ...]
    """The members with the value of an earlier member, each with the first member of that value."""


def enumeration_plans(protocol: Protocol) -> list[EnumerationPlan]:
    """The plans of the protocol's enumerations."""
    flags = {name for message in protocol.messages for field in message.fields for name in _flags(field)}
    return [_plan(enum, enum.name in flags) for enum in protocol.enumerations]


def _plan(enumeration: Enumeration, is_flags: bool) -> EnumerationPlan:
    is_text = any(isinstance(member.value, str) for member in enumeration.members)
    numbers = [member.value for member in enumeration.members if isinstance(member.value, int)]
    mask = 0
    for number in numbers:
        mask |= number & (1 << 64) - 1
    first: dict[int | str, Constant] = {}
    aliases: list[tuple[Constant, Constant]] = []
    for member in enumeration.members:
        known = first.setdefault(str(member.value) if is_text else member.value, member)
        if known is not member:
            aliases.append((member, known))
    is_signed = any(number < 0 for number in numbers)
    is_flags = is_flags and not is_text
    return EnumerationPlan(
        enumeration, is_text, is_flags, is_signed, mask, tuple(first.values()), tuple(aliases)
    )


def _flags(field: Field) -> set[str]:
    """The enumerations whose values are bits in the field or its items."""
    inner = _flags(field.items) if field.items is not None else set()
    return inner | ({field.enumeration} if field.flags and field.enumeration is not None else set())
