"""Static check: whether a message's field can hold every value that a machine may set."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Binary, Expression, Field, FieldType, Literal, Name
from ..plan.layout import number_range
from .operators import U64_MAX

__all__ = ["misfits"]

_NUMBERS = (FieldType.NUMBER, FieldType.VARINT)


def misfits(field: Field, value: Expression, carried: Mapping[str, Field]) -> bool:
    """Whether `field` may be unable to hold `value`: the number may be too great for its bytes, or the number of bytes
    wrong for a fixed size. `max` is not considered. False for fields of other types. `carried` are the fields of the
    event's message, within the range of their bytes; variables, sums and enumerations may be any number of 64 bits.
    """
    if field.type in _NUMBERS:
        return _greatest(value, carried) > number_range(field)[1]
    return _is_fixed(field) and _length(value, carried) != field.size


def _is_fixed(field: Field) -> bool:
    """Whether the field is bytes of a fixed size: octets without a length field, which UUIDs are in layouts too."""
    return field.type is FieldType.OCTETS and field.length is None


def _greatest(value: Expression, carried: Mapping[str, Field]) -> int:
    """An upper bound of the expression: 2^64 - 1 for sums, enumerations, and variables, which a host may set."""
    match value:
        case Literal(int() as number):
            return number
        case Name(name, "message") if name in carried and carried[name].enumeration is None:
            return number_range(carried[name])[1]
        case Binary("-", left):
            return _greatest(left, carried)
        case _:
            return U64_MAX


def _length(value: Expression, carried: Mapping[str, Field]) -> int | None:
    """The length of the expression in bytes; None if it may vary."""
    match value:
        case Literal(str() as text):
            return len(text.encode())
        case Name(name, "message") if name in carried and _is_fixed(carried[name]):
            return carried[name].size
        case _:
            return None
