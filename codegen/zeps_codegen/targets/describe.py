"""Formats expressions and steps in the model's language, for tables, diagrams and comments."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

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

__all__ = ["changing_rows", "row_labels", "show", "show_events", "show_step", "staying_rows"]

_RANK = {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5}
_NOT = 3
_INDENT = "   "
_GLUE = "\0"  # a blank at which no line ends


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
    """The events of rows with equal effects, or "any other message" or "any other event" for rows of `*`."""
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


def staying_rows(machine: Machine, state: str) -> list[Transition]:
    """The rows that keep the state."""
    return [row for row in machine.transitions if row.state == state and row.next in (None, state)]


def changing_rows(machine: Machine) -> dict[tuple[str, str], list[Transition]]:
    """The rows that lead to another state, by the old and the new state, in the order of the table."""
    rows: dict[tuple[str, str], list[Transition]] = {}
    for row in machine.transitions:
        if row.next is not None and row.next != row.state:
            rows.setdefault((row.state, row.next), []).append(row)
    return rows


def row_labels(
    machine: Machine, rows: Iterable[Transition], width: int, keep_steps: bool = False
) -> list[str]:
    """The lines that describe the rows by events, guard and steps, of at most `width` characters if words allow that.
    Rows with the same guard and steps share a description. Messages that are sent are shown without their fields. With
    `keep_steps` no line ends inside of a step that fits.
    """
    groups: dict[object, list[Transition]] = {}
    for row in rows:
        groups.setdefault((row.covered_by_star, row.guard, row.steps), []).append(row)
    lines: list[str] = []
    for alike in groups.values():
        guard = f" [{show(alike[0].guard)}]" if alike[0].guard is not None else ""
        steps = [
            f"send {step.message}" if isinstance(step, Send) else show_step(step) for step in alike[0].steps
        ]
        if keep_steps:
            fits = [len(step) + len(_INDENT) < width for step in steps]
            steps = [step.replace(" ", _GLUE) if fit else step for step, fit in zip(steps, fits, strict=True)]
        text = f"{show_events(machine, alike)}{guard}{' / ' * bool(steps)}{'; '.join(steps)}"
        folded = textwrap.wrap(
            text, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
        )
        lines += [line.replace(_GLUE, " ") for line in folded]
    return lines
