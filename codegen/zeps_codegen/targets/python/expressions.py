"""Expressions of guards and assignments as Python."""

from __future__ import annotations

from collections.abc import Set

from ...ir import Expression, Type, Variable
from ..operators import spell, spell_assigned
from .plan import attribute_name, literal, variable_name

__all__ = ["assigned", "printed"]


class _Python:
    """See :class:`..operators.Spelling`; over the names `machine` and `message`, whose fields `signed` may be
    negative.
    """

    def __init__(self, signed: Set[str]) -> None:
        self._signed = signed

    def variable(self, name: str) -> str:
        return f"machine.{variable_name(name)}"

    def parameter(self, name: str, kind: Type) -> str:
        attribute = f"message.{attribute_name(name)}"
        return f"max({attribute}, 0)" if name in self._signed else attribute

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return literal(value, kind)

    def size(self, message: str) -> str:
        return "message.size()"

    def negation(self, operand: str) -> str:
        return f"not {operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} and {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} or {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"min({left} + {right}, {greatest})"

    def subtract(self, left: str, right: str) -> str:
        return f"max({left} - {right}, 0)"

    def least(self, value: str, greatest: int) -> str:
        return f"min({value}, {greatest})"


def printed(expression: Expression, signed: Set[str]) -> str:
    """`expression` over `machine` and `message`; `signed` are the message's fields that may be negative."""
    return spell(expression, _Python(signed))


def assigned(variable: Variable, value: Expression, signed: Set[str]) -> str:
    """`value` as what `variable` can hold of it."""
    return spell_assigned(variable, value, _Python(signed))
