"""Machines side by side on one page: drawings, and each one's shortest difference from one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from zeps_conformance.learning.drawing import dot_text, has_dot, svg
from zeps_conformance.learning.mealy import Mealy, find_difference, format_output
from zeps_conformance.reports.page import render

__all__ = ["DrawnMachine", "machines_html"]


@dataclass(frozen=True, slots=True)
class DrawnMachine:
    """A machine of the page: `notes` are lines below its name."""

    name: str
    machine: Mealy
    notes: Sequence[str] = field(default_factory=tuple)


def machines_html(title: str, machines: Sequence[DrawnMachine], reference: Mealy | None = None) -> str:
    """Renders the page of `machines`, compared with `reference`, or with the first of them. Drawings are SVG if
    Graphviz is installed, else its text. Raises ValueError for an empty list, DrawingError if Graphviz fails.
    """
    if not machines:
        raise ValueError("a page needs at least one machine")
    compared = machines[0].machine if reference is None else reference
    drawn = has_dot()
    columns = []
    for column in machines:
        comparable = column.machine.inputs == compared.inputs
        text = dot_text(column.machine, column.name, compared if comparable else None)
        difference = find_difference(compared, column.machine) if comparable else None
        rows = []
        if difference is not None:
            answers = zip(difference.word, difference.left, difference.right, strict=True)
            rows = [(word, format_output(left), format_output(right)) for word, left, right in answers]
        columns.append(
            {
                "name": column.name,
                "states": column.machine.size,
                "notes": column.notes,
                "drawing": svg(text) if drawn else text,
                "comparable": comparable,
                "difference": rows,
            }
        )
    return render("machines.html.j2", title=title, columns=columns, drawn=drawn)
