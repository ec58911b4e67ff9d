"""Expressions of guards and assignments as Java, over a machine's own variables and `carried`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import Expression, Type, Variable
from ..operators import U64_MAX, spell, spell_assigned
from .names import literal, long_literal

__all__ = ["Java"]

_NEVER = {"==": "", "!=": "!"}


class Java:
    """See :class:`..operators.Spelling`. `parameter` says how a field of what the event carries is reached."""

    def __init__(self, variables: Mapping[str, str], parameter: Callable[[str, Type], str], message: str):
        self._variables = variables
        self._parameter = parameter
        self._message = message

    def spell(self, expression: Expression) -> str:
        return spell(expression, self)

    def assigned(self, variable: Variable, value: Expression) -> str:
        """`value` as what `variable` can hold of it."""
        return spell_assigned(variable, value, self)

    def variable(self, name: str) -> str:
        return self._variables[name]

    def parameter(self, name: str, kind: Type) -> str:
        return self._parameter(name, kind)

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return long_literal(min(max(value, 0), U64_MAX))
        return f"Octets.utf8({literal(value)})" if kind is Type.OCTETS else literal(value)

    def size(self, message: str) -> str:
        return f"{self._message}.encodedSize()"

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind in (Type.STRING, Type.OCTETS):
            return f"{_NEVER[operator]}{left}.equals({right})"
        if operator in _NEVER:
            return f"{left} {operator} {right}"
        return f"Long.compareUnsigned({left}, {right}) {operator} 0"

    def add(self, left: str, right: str, greatest: int) -> str:
        top = "" if greatest == U64_MAX else f", {long_literal(greatest)}"
        return f"Unsigned.add({left}, {right}{top})"

    def subtract(self, left: str, right: str) -> str:
        return f"Unsigned.subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"Unsigned.min({value}, {long_literal(greatest)})"
