"""Whether a message's field can hold what a machine sets it to, as far as that is known before anything runs."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Binary, Expression, Field, FieldType, Literal, Name
from ..plan.layout import number_range
from .operators import U64_MAX

__all__ = ["misfits"]

_NUMBERS = (FieldType.NUMBER, FieldType.VARINT)


def misfits(field: Field, value: Expression, carried: Mapping[str, Field]) -> bool:
    """Whether `field` may be unable to hold `value`: a number too great, or octets too many or too few.

    `carried` are the fields of the event's message, by name: those that hold no more than their octets do.
    """
    if field.type in _NUMBERS:
        return _greatest(value, carried) > number_range(field)[1]
    return _is_fixed(field) and _length(value, carried) != field.size


def _is_fixed(field: Field) -> bool:
    """Whether the field is octets of a fixed size, as layouts have it."""
    return field.type is FieldType.OCTETS and field.length is None


def _greatest(value: Expression, carried: Mapping[str, Field]) -> int:
    """No value of the expression is greater. A host sets variables as it likes."""
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
    """The octets of the expression, if they are always as many."""
    match value:
        case Literal(str() as text):
            return len(text.encode())
        case Name(name, "message") if name in carried and _is_fixed(carried[name]):
            return carried[name].size
        case _:
            return None
