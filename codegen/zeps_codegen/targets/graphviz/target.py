"""Converts a bundle to graphs in the language of `dot`: one for each machine, and one for each protocol's first client
with its first server.

A machine's graph has its states; rows that keep the state are listed inside. A pair's graph has the pairs of states
that are reachable while no timer gives up, no action fails and no frame is malformed, and the transitions between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...ir import Bundle, Machine, Protocol, Transition
from ...naming import snake
from ...passes.explore import UNDISTURBED, Composition
from ...passes.traces import pairs
from ..describe import changing_rows, row_labels, staying_rows
from ..environment import template_printer

__all__ = ["FOLDER", "machine_dot", "pair_dot", "render"]

FOLDER = PurePosixPath("generated/graphviz")
_CHARS = 34  # the width of a label's line
_print = template_printer(Path(__file__).parent / "templates")
_BOUND = 1  # capacity of the channels: enough to reach all pairs of states


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    title: str
    lines: list[str]
    initial: bool
    final: bool


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph. Names and its own title are quoted for `dot`; titles of nodes and lines are only escaped."""

    name: str
    title: str
    nodes: list[Node]
    edges: list[Edge]


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """A graph for each machine, and for each protocol's first client with its first server."""
    files = {FOLDER / f"{snake(item.name)}.dot": machine_dot(item).encode() for item in bundle.machines}
    for protocol, client, server in pairs(bundle):
        files[FOLDER / f"{snake(protocol.name)}_together.dot"] = pair_dot(protocol, client, server).encode()
    return files


def machine_dot(machine: Machine) -> str:
    """The machine's graph."""
    left = {state for state, _ in changing_rows(machine)}
    nodes = [
        Node(
            _quoted(state.name),
            _escaped(state.name),
            _labels(machine, staying_rows(machine, state.name)),
            not number,
            state.name not in left,
        )
        for number, state in enumerate(machine.states)
    ]
    edges = [
        Edge(_quoted(source), _quoted(target), _labels(machine, rows))
        for (source, target), rows in changing_rows(machine).items()
    ]
    return _print("graph.dot", graph=Graph(_quoted(machine.name), _quoted(machine.title), nodes, edges))


def pair_dot(protocol: Protocol, client: Machine, server: Machine) -> str:
    """The graph of the pairs of states that are reachable under UNDISTURBED, and of the transitions between them."""
    explorer = Composition(protocol, client, server).explorer(UNDISTURBED, _BOUND, reduce=False)
    explorer.run()

    def place(index: int) -> tuple[str, str]:
        sides = (explorer.client, explorer.server)
        return sides[0].state(explorer.local_of(sides[0], index)), sides[1].state(
            explorer.local_of(sides[1], index)
        )

    places: dict[tuple[str, str], None] = {}
    steps: dict[tuple[tuple[str, str], tuple[str, str]], dict[str, None]] = {}
    for source, target, side, _, number in explorer.edges():
        before, after = place(source), place(target)
        places |= {before: None, after: None}
        if before != after:
            outcome = side.outcomes[number]
            sends = "".join(f", sends {packet.message}" for packet in outcome.sends)
            text = f"{side.actor}: {outcome.event}{sends}"
            steps.setdefault((before, after), {})[text] = None
    left = {before for before, _ in steps}
    nodes = [
        Node(
            _quoted("/".join(pair)),
            f"client {_escaped(pair[0])}\\nserver {_escaped(pair[1])}",
            [],
            not number,
            pair not in left,
        )
        for number, pair in enumerate(places)
    ]
    edges = [
        Edge(_quoted("/".join(start)), _quoted("/".join(other)), [_escaped(text) for text in texts])
        for (start, other), texts in steps.items()
    ]
    title = f"{protocol.title}: client and server together"
    graph = Graph(_quoted(f"{protocol.name}_together"), _quoted(title), nodes, edges)
    return _print("graph.dot", graph=graph)


def _labels(machine: Machine, rows: Iterable[Transition]) -> list[str]:
    return list(map(_escaped, row_labels(machine, rows, _CHARS)))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
