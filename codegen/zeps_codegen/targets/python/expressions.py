"""Expressions of guards and assignments as Python.

`+` and `-` saturate, at 0 and at the greatest value of 64 bits or of the variable that is assigned.
"""

from __future__ import annotations

from ...ir import Binary, Expression, Literal, Name, Size, Type, Unary, Variable
from ...naming import snake, usable
from .plan import attribute_name

__all__ = ["MEMBERS", "assigned", "literal", "printed", "uses_message", "variable_name"]

#: What a machine's methods and variables may not be called.
MEMBERS = frozenset({"EVENT_OF", "ROWS", "fail", "host", "receive", "state", "terminated"})

_U64_MAX = 2**64 - 1
_BOOLEAN = ("and", "or")


def variable_name(name: str) -> str:
    """The attribute of the machine that holds a variable."""
    return usable(snake(name), "python", MEMBERS)


def literal(value: object) -> str:
    """A constant in Python's spelling, text in double quotes."""
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
    return repr(value)


def printed(expression: Expression, greatest: int = _U64_MAX) -> str:
    """`expression` over `machine` and `message`; a sum stops at `greatest`."""
    match expression:
        case Name(name, scope):
            return (
                f"machine.{variable_name(name)}" if scope == "variable" else f"message.{attribute_name(name)}"
            )
        case Literal(str() as value, Type.OCTETS):
            return repr(value.encode())
        case Literal(value):
            return literal(value)
        case Size():
            return "message.size()"
        case Unary(_, operand):
            return f"not {_operand(operand)}"
        case Binary("+", left, right):
            return f"min({printed(left)} + {printed(right)}, {greatest})"
        case Binary("-", left, right):
            return f"max({printed(left)} - {printed(right)}, 0)"
        case Binary(operator, left, right):
            return f"{_operand(left)} {operator} {_operand(right)}"


def _operand(expression: Expression) -> str:
    text = printed(expression)
    bare = not isinstance(expression, (Binary, Unary)) or (
        isinstance(expression, Binary) and expression.operator in "+-"
    )
    return text if bare else f"({text})"


def assigned(variable: Variable, value: Expression) -> str:
    """`value` as what `variable` can hold of it."""
    greatest = (1 << 8 * variable.size) - 1
    if variable.type is not Type.NUMBER:
        return printed(value)
    if isinstance(value, Binary) and value.operator == "+":
        return printed(value, greatest)
    if isinstance(value, Literal) and isinstance(value.value, int):
        return str(min(value.value, greatest))
    if greatest == _U64_MAX:
        return printed(value)
    return f"min({printed(value)}, {greatest})"


def uses_message(expression: Expression) -> bool:
    """Whether the expression looks at the event's message."""
    match expression:
        case Name(_, scope):
            return scope == "message"
        case Size():
            return True
        case Unary(_, operand):
            return uses_message(operand)
        case Binary(_, left, right):
            return uses_message(left) or uses_message(right)
        case _:
            return False
