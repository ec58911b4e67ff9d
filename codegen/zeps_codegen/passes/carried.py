"""What a row reads of what its event carries: the message, or the method's parameters."""

from __future__ import annotations

from ..ir import Assign, Binary, Expression, Name, Send, Size, Transition, Unary

__all__ = ["reads_carried"]


def reads_carried(row: Transition) -> bool:
    """Whether the row's guard or one of its steps reads what the event carries."""
    expressions = [] if row.guard is None else [row.guard]
    for step in row.steps:
        if isinstance(step, Send):
            if step.forward:
                return True
            expressions += [value for _, value in step.fields]
        elif isinstance(step, Assign):
            expressions.append(step.value)
    return any(map(_reads, expressions))


def _reads(expression: Expression) -> bool:
    match expression:
        case Name(_, scope):
            return scope == "message"
        case Size():
            return True
        case Unary(_, operand):
            return _reads(operand)
        case Binary(_, left, right):
            return _reads(left) or _reads(right)
        case _:
            return False
