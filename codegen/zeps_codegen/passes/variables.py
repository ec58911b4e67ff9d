"""Variables of a machine: resolution of their types and initial values."""

from __future__ import annotations

from ..diagnostics import Location, error
from ..ir import Type, Variable
from ..model import RawClass, RawVariable, snake, truth
from ..report import Report
from .constants import BAD_VALUE, Defines, number_attribute, to_number

__all__ = ["resolve_variables"]

VARIABLE_TYPE = error("ZC316", "a variable of a type that variables cannot have")

_TYPES = {
    "number": Type.NUMBER,
    "string": Type.STRING,
    "longstr": Type.STRING,
    "octets": Type.OCTETS,
    "chunk": Type.OCTETS,
    "boolean": Type.BOOLEAN,
}


def resolve_variables(
    raw: RawClass, defines: Defines, places: dict[str, Location], report: Report
) -> tuple[Variable, ...]:
    """Resolves the class's variables, and adds their places. Numbers have 8 bytes and the value 0 by default."""
    for item in raw.variables:
        places[f"variable:{snake(raw.name)}.{snake(item.name)}"] = item.place.location
    return tuple(_variable(item, defines, report) for item in raw.variables)


def _variable(raw: RawVariable, defines: Defines, report: Report) -> Variable:
    kind = _TYPES.get(raw.type)
    if kind is None:
        message = f"{raw.name} has the type {raw.type!r}"
        hint = "the types of variables are number, string, octets and boolean"
        report.add(VARIABLE_TYPE, raw.place, message, hint=hint, attribute="type")
        kind = Type.NUMBER
    size = number_attribute(raw.size, 8, raw.place, "size", report, (1, 2, 4, 8))
    return Variable(snake(raw.name), kind, size, _initial(raw, kind, size, defines, report), raw.doc)


def _initial(raw: RawVariable, kind: Type, size: int, defines: Defines, report: Report) -> int | str | bool:
    if kind is Type.BOOLEAN:
        return truth(raw.value)
    if kind is not Type.NUMBER:
        return raw.value or ""
    value = to_number(raw.value or "0", defines)
    if value is None or not 0 <= value < 256**size:
        message = f"{raw.value!r} is not a number from 0 to {256**size - 1}"
        report.add(BAD_VALUE, raw.place, message, attribute="value")
        return 0
    return value
