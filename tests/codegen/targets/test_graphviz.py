"""The graphs, as `dot` reads them, compared with the tables."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from campaigns import sized
from hypothesis import given, settings
from programs import BUNDLE, execute
from random_machines import machines

from zeps_codegen.ir import Bundle, Machine, State
from zeps_codegen.passes.explore import UNDISTURBED, Composition
from zeps_codegen.passes.traces import pairs
from zeps_codegen.targets.graphviz import machine_dot, pair_dot, render


def drawn(text: str, form: str = "json") -> str:
    done = execute(["dot", f"-T{form}"], stdin=text.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def graph(text: str) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], str]]:
    """Nodes by name, and the labels of edges by their ends; the start point of a machine has the name ``""``."""
    document = json.loads(drawn(text))
    nodes = {item["_gvid"]: item for item in document["objects"]}
    edges = {
        (nodes[item["tail"]]["name"], nodes[item["head"]]["name"]): item.get("label", "")
        for item in document["edges"]
    }
    assert len(edges) == len(document["edges"])
    return {item["name"]: item for item in nodes.values()}, edges


def assert_graph_of(machine: Machine) -> None:
    nodes, edges = graph(machine_dot(machine))
    assert nodes.keys() == {"", *(state.name for state in machine.states)}
    leading = {(row.state, row.next) for row in machine.transitions if row.next not in (None, row.state)}
    assert edges.keys() == {("", machine.initial), *leading}
    for row in machine.transitions:
        if not row.covered_by_star:
            stays = row.next in (None, row.state)
            text = nodes[row.state]["label"] if stays else edges[row.state, row.next]
            assert row.event in text.replace("\\l   ", " ")
    ends = {state.name for state in machine.states} - {source for source, _ in leading}
    assert {name for name, node in nodes.items() if node.get("peripheries") == "2"} == ends


@pytest.mark.parametrize("machine", BUNDLE.machines, ids=lambda machine: machine.name)
def test_a_machine_has_its_states_and_what_joins_them(machine: Machine) -> None:
    assert_graph_of(machine)


@given(machines())
@settings(max_examples=sized(8, 200), deadline=None)
def test_any_machine_can_be_drawn(machine: Machine) -> None:
    assert_graph_of(machine)


def test_client_and_server_together() -> None:
    for protocol, client, server in pairs(BUNDLE):
        nodes, edges = graph(pair_dot(protocol, client, server))
        explorer = Composition(protocol, client, server).explorer(UNDISTURBED, 1, reduce=False)
        result = explorer.run()
        together = {name.partition("/")[::2] for name in nodes if name}
        assert {client_state for client_state, _ in together} == result.reached["client"]
        assert {other for _, other in together} == result.reached["server"]
        assert ("", f"{client.initial}/{server.initial}") in edges
        assert all(label for (source, _), label in edges.items() if source)


def test_names_are_quoted() -> None:
    machine = BUNDLE.machines[0]
    odd = 'a "state" \\ begin'
    renamed = {machine.initial: odd}
    states = tuple(State(renamed.get(state.name, state.name)) for state in machine.states)
    rows = tuple(
        replace(row, state=renamed.get(row.state, row.state), next=renamed.get(row.next or "", row.next))
        for row in machine.transitions
    )
    text = machine_dot(replace(machine, states=states, transitions=rows, title='"quoted"'))
    assert len(graph(text)[0]) == len(machine.states) + 1


def test_every_file_can_be_drawn() -> None:
    files = render(BUNDLE)
    names = [f"{item.name}.dot" for item in BUNDLE.machines]
    assert [path.name for path in files][: len(names)] == names
    for content in files.values():
        assert drawn(content.decode(), "svg").startswith("<?xml")
    assert render(Bundle(BUNDLE.protocols)) == {}
