"""Drawings of machines: text for Graphviz, and SVG if its command ``dot`` is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections import deque

from zeps_conformance.learning.mealy import ANY, Mealy, format_output

__all__ = ["DrawingError", "differing_edges", "dot_text", "has_dot", "svg"]

SECONDS_MAX = 60.0


class DrawingError(Exception):
    """Graphviz is missing or failed. The text is a message for the user."""


def dot_text(machine: Mealy, title: str, reference: Mealy | None = None) -> str:
    """Returns a machine as a graph for Graphviz. Inputs with the same output share a label, edges with the same ends an
    arrow; an edge is red if `reference`, a machine with the same inputs, answers otherwise in a corresponding state.
    """
    red = set() if reference is None else differing_edges(machine, reference)
    lines = [
        "digraph machine {",
        f"  graph [label={_quoted(title)}, labelloc=t, fontname=sans]",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname=sans, fontsize=11]',
        "  edge [fontname=sans, fontsize=9]",
        '  begin [shape=point, label=""]',
        "  begin -> 0",
    ]
    lines += [f"  {state} [label={_quoted(machine.name(state))}]" for state in range(machine.size)]
    for state, row in enumerate(machine.rows):
        labels: dict[tuple[int, bool], dict[str, list[str]]] = {}
        for symbol, (output, following) in row.items():
            edge = labels.setdefault((following, (state, symbol) in red), {})
            edge.setdefault(format_output(output), []).append(symbol)
        for (following, differs), answers in labels.items():
            text = "\n".join(f"{', '.join(symbols)} / {answer}" for answer, symbols in answers.items())
            colour = ", color=red, fontcolor=red" if differs else ""
            lines.append(f"  {state} -> {following} [label={_quoted(text)}{colour}]")
    return "\n".join([*lines, "}"]) + "\n"


def differing_edges(machine: Mealy, reference: Mealy) -> set[tuple[int, str]]:
    """Returns states and inputs of `machine` with another output than `reference` after a word with equal outputs."""
    edges: set[tuple[int, str]] = set()
    known, queue = {(0, 0)}, deque([(0, 0)])
    while queue:
        state, other = queue.popleft()
        for symbol in machine.inputs:
            output, following = machine.rows[state][symbol]
            expected, other_following = reference.rows[other][symbol]
            if ANY != expected != output:
                edges.add((state, symbol))
            elif (pair := (following, other_following)) not in known:
                known.add(pair)
                queue.append(pair)
    return edges


def has_dot() -> bool:
    """Returns whether Graphviz' command ``dot`` is installed."""
    return shutil.which("dot") is not None


def svg(text: str) -> str:
    """Returns the drawing of a graph as an SVG element. Raises DrawingError if ``dot`` is missing or fails."""
    try:
        drawn = subprocess.run(
            ["dot", "-Tsvg"],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS_MAX,
            check=True,
        ).stdout
    except FileNotFoundError as error:
        raise DrawingError("Graphviz is missing (command dot): install it, or write --dot FILE") from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        reason = error.stderr if isinstance(error.stderr, str) else str(error)
        raise DrawingError(f"Graphviz cannot draw the machine: {reason}") from error
    return drawn[drawn.index("<svg") :]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}"'
