"""Formats expressions and steps in the model's language, for tables, diagrams and comments."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import (
    Assign,
    Binary,
    EventKind,
    Expression,
    Host,
    Literal,
    Machine,
    Name,
    Send,
    Size,
    Step,
    Transition,
    Unary,
)

__all__ = ["show", "show_events", "show_step"]

_RANK = {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5}
_NOT = 3


def show(expression: Expression) -> str:
    """Formats `expression` in the model's language, with the fewest possible parentheses."""
    return _show(expression)[0]


def _show(expression: Expression) -> tuple[str, int]:
    match expression:
        case Name(name, scope):
            return (f"message.{name}" if scope == "message" else name), 9
        case Literal(bool() as value):
            return str(value).lower(), 9
        case Literal(str() as value):
            return (f'"{value}"' if "'" in value else f"'{value}'"), 9
        case Literal(value):
            return str(value), 9
        case Size(message):
            return f"size({message})", 9
        case Unary(operator, operand):
            text, rank = _show(operand)
            return f"{operator} {text if rank >= _NOT else f'({text})'}", _NOT
        case Binary(operator, left, right):
            rank = _RANK[operator]
            before, before_rank = _show(left)
            after, after_rank = _show(right)
            before = before if before_rank >= rank and not before_rank == rank == 4 else f"({before})"
            after = after if after_rank > rank else f"({after})"
            return f"{before} {operator} {after}", rank


def show_events(machine: Machine, rows: Sequence[Transition]) -> str:
    """The events of rows with equal effects; events that `*` covers are "any other message" or "any other event"."""
    if not rows[0].covered_by_star:
        return ", ".join(row.event for row in rows)
    messages = {event.name for event in machine.events if event.kind is EventKind.MESSAGE}
    return f"any other {'message' if all(row.event in messages for row in rows) else 'event'}"


def show_step(step: Step) -> str:
    """Formats `step` briefly."""
    match step:
        case Send(message, fields):
            values = ", ".join(f"{name} = {show(value)}" for name, value in fields)
            return f"send {message}({values})" if values else f"send {message}"
        case Assign(variable, value):
            return f"{variable} := {show(value)}"
        case Host(name):
            return name
        case _:
            return "terminate"
