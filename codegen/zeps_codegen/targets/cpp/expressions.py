"""Expressions of guards and assignments as C++, over the names `machine` and `message`."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Assign, Expression, Literal, Machine, Type, Variable
from ...plan.operations import Content, Fixed, Items, Number, Rest
from ..operators import U64_MAX, spell, spell_assigned
from .kinds import value_type
from .text import number, string_view

__all__ = ["Spelled", "Value", "as_field", "assigned", "printed"]

Value = Number | Content | Fixed | Rest | Items
"""The operations on what a message shows, or a method takes."""
_FUNCTIONS = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal_to",
    "!=": "not_equal_to",
}
_TYPES = {
    Type.NUMBER: "std::uint64_t",
    Type.STRING: "std::string_view",
    Type.OCTETS: "zeps_wire::Octets",
    Type.BOOLEAN: "bool",
}
_ZERO = "0U"


class Spelled:
    """See :class:`..operators.Spelling`. `fields` are those of what the event carries, by name: what is
    done with each, and its name in C++."""

    def __init__(
        self,
        machine: Machine,
        variables: Mapping[str, str],
        fields: Mapping[str, tuple[Value, str]],
    ) -> None:
        self._kinds = {one.name: one.type for one in machine.variables}
        self._variables = variables
        self._fields = fields

    def variable(self, name: str) -> str:
        spelled = f"machine.{self._variables[name]}"
        return f"zeps_wire::Octets({spelled})" if self._kinds[name] is Type.OCTETS else spelled

    def parameter(self, name: str, kind: Type) -> str:
        operation, member = self._fields[name]
        spelled = f"message.{member}"
        match operation:
            case Content(is_string=True) if kind is Type.OCTETS:
                return f"zeps_wire::octets_of({spelled})"
            case Number(signed=signed) if kind is Type.NUMBER:
                if operation.enumeration is not None:
                    spelled = f"static_cast<std::{'int64_t' if signed else 'uint64_t'}>({spelled})"
                return f"zeps_wire::saturated({spelled})" if signed else spelled
            case _:
                return spelled

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return number(value)
        return f"zeps_wire::octets_of({string_view(value)})" if kind is Type.OCTETS else string_view(value)

    def size(self, message: str) -> str:
        return "encoded_size(message)"

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        sides = (left, right)
        # compilers warn of comparisons that they can decide; into a function's arguments they do not look
        decided = left == right or all(map(_is_literal, sides))
        decided = decided or (_ZERO in sides and operator not in ("==", "!="))
        if decided or (kind is Type.BOOLEAN and any(map(_is_literal, sides))):
            return f"std::{_FUNCTIONS[operator]}<{_TYPES[kind]}>()({left}, {right})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        limit = "" if greatest == U64_MAX else f", {number(greatest)}"
        return f"zeps_wire::add({left}, {right}{limit})"

    def subtract(self, left: str, right: str) -> str:
        return f"zeps_wire::subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"std::min<std::uint64_t>({value}, {number(greatest)})"


def printed(expression: Expression, spelled: Spelled) -> str:
    """`expression` as C++."""
    return spell(expression, spelled)


def assigned(step: Assign, variable: Variable, spelled: Spelled) -> str:
    """The right side of an assignment: `value` as what `variable` can hold of it."""
    if variable.type is Type.OCTETS and isinstance(step.value, Literal):
        return spelled.literal(step.value.value, Type.OCTETS)
    return spell_assigned(variable, step.value, spelled)


def as_field(value: str, operation: Value, protocol: str) -> str:
    """`value` as what a field of a message of the namespace `protocol` takes."""
    match operation:
        case Number(enumeration=str()):
            return f"static_cast<{protocol}::{value_type(operation)}>({value})"
        case Number(signed=True):
            return f"static_cast<{value_type(operation)}>({value})"
        case Content(is_string=True, text=None):
            return f"zeps_wire::text_of({value})"
        case _:
            return value


def _is_literal(printed: str) -> bool:
    starts = ('"', "std::string_view(", "zeps_wire::octets_of(")
    return printed in ("true", "false") or printed[0].isdigit() or printed.startswith(starts)
