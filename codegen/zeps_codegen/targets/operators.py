"""Generates expressions of guards and assignments; each language defines the spelling of leaves and operators.

`+` and `-` saturate at 0 and at the greatest value of 64 bits or of the assigned variable.
"""

from __future__ import annotations

from typing import Protocol

from ..ir import Binary, Expression, Literal, Name, Size, Type, Unary, Variable

__all__ = [
    "U64_MAX",
    "CLike",
    "Spelling",
    "greatest_of",
    "spell",
    "spell_assigned",
    "type_of",
]

U64_MAX = 2**64 - 1


class Spelling(Protocol):
    """How one language spells the variables, literals and operators of an expression. Operands are spelled already,
    with parentheses if necessary.
    """

    def variable(self, name: str) -> str: ...

    def parameter(self, name: str, kind: Type) -> str:
        """A field of the event's message, or a parameter of its method; `kind` is its type in the expression."""

    def literal(self, value: int | str | bool, kind: Type) -> str: ...

    def size(self, message: str) -> str:
        """The size of the event's message in bytes, once encoded."""

    def negation(self, operand: str) -> str: ...

    def conjunction(self, left: str, right: str) -> str: ...

    def disjunction(self, left: str, right: str) -> str: ...

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        """A comparison: `operator` is one of ``== != < <= > >=``; `kind` is the type of both operands."""

    def add(self, left: str, right: str, greatest: int) -> str:
        """The sum, limited to `greatest`."""

    def subtract(self, left: str, right: str) -> str:
        """The difference, or 0 if it is negative."""

    def least(self, value: str, greatest: int) -> str:
        """`value`, limited to `greatest`."""


class CLike:
    """The operators that C-like languages spell alike: a part of :class:`Spelling`."""

    negation = staticmethod("!{}".format)
    conjunction = staticmethod("{} && {}".format)
    disjunction = staticmethod("{} || {}".format)


def spell(expression: Expression, spelling: Spelling, greatest: int = U64_MAX) -> str:
    """Generates `expression` in a language; a sum at the top level is limited to `greatest`."""
    match expression:
        case Name(name, scope, type):
            return spelling.variable(name) if scope == "variable" else spelling.parameter(name, type)
        case Literal(value, type):
            return spelling.literal(value, type)
        case Size(message):
            return spelling.size(message)
        case Unary(_, operand):
            return spelling.negation(_operand(operand, spelling))
        case Binary("+", left, right):
            return spelling.add(spell(left, spelling), spell(right, spelling), greatest)
        case Binary("-", left, right):
            return spelling.subtract(spell(left, spelling), spell(right, spelling))
        case Binary("and", left, right):
            return spelling.conjunction(_operand(left, spelling), _operand(right, spelling))
        case Binary("or", left, right):
            return spelling.disjunction(_operand(left, spelling), _operand(right, spelling))
        case Binary(operator, left, right):
            return spelling.comparison(
                operator, _operand(left, spelling), _operand(right, spelling), type_of(left)
            )


def spell_assigned(variable: Variable, value: Expression, spelling: Spelling) -> str:
    """Generates `value`, limited to the range of `variable`."""
    if variable.type is not Type.NUMBER:
        return spell(value, spelling)
    greatest = greatest_of(variable)
    if isinstance(value, Binary) and value.operator == "+":
        return spell(value, spelling, greatest)
    if isinstance(value, Literal) and isinstance(value.value, int):
        return spelling.literal(min(value.value, greatest), Type.NUMBER)
    printed = spell(value, spelling)
    return printed if greatest == U64_MAX else spelling.least(printed, greatest)


def greatest_of(variable: Variable) -> int:
    """The greatest number that a variable can hold."""
    return (1 << 8 * variable.size) - 1


def type_of(expression: Expression) -> Type:
    """The type of an expression."""
    match expression:
        case Name(_, _, type) | Literal(_, type) | Binary(_, _, _, type):
            return type
        case Size():
            return Type.NUMBER
        case Unary():
            return Type.BOOLEAN


def _operand(expression: Expression, spelling: Spelling) -> str:
    text = spell(expression, spelling)
    bare = not isinstance(expression, (Binary, Unary)) or (
        isinstance(expression, Binary) and expression.operator in "+-"
    )
    return text if bare else f"({text})"
