"""Values of a numeric field at which an implementation may err: its limits, and where a result overflows a width."""

from __future__ import annotations

from zeps_conformance.model.definitions import Field

__all__ = ["WIDTHS", "boundaries", "maximum"]

WIDTHS = (8, 16, 31, 32, 63, 64)
"""Widths in bits of the integers in which an implementation may compute; 31 and 63 are those of signed ones."""


def maximum(field: Field) -> int:
    """Returns the greatest value of an unsigned number, or the greatest length in bytes of a string or a chunk."""
    return (1 << 8 * field.size) - 1 if field.max is None else field.max


def boundaries(field: Field, *, times: int = 1, plus: int = 0) -> list[int]:
    """Returns values of `field`, a number or a length, in ascending order: 0, 1, the maximum and the one before it, and
    for each of :data:`WIDTHS` those around the least value for which ``value * times + plus`` overflows it. Raises
    ValueError unless `times` is positive and `plus` is not negative.
    """
    if times < 1 or plus < 0:
        raise ValueError(f"times={times} must be positive, and plus={plus} must not be negative")
    most = maximum(field)
    values = {0, 1, most - 1, most}
    for width in WIDTHS:
        least = -(-((1 << width) - plus) // times)
        values |= {least - 1, least, least + 1}
    return sorted(value for value in values if 0 <= value <= most)
