"""Reference pages and diagrams: every rule, field and row is present, and labels do not overlap."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from campaigns import sized
from hypothesis import given, settings
from programs import BUNDLE, ROOT
from random_machines import machines
from random_protocols import protocols

from zeps_codegen.ir import Bundle, Machine, Protocol
from zeps_codegen.targets import docs
from zeps_codegen.targets.docs.diagram import draw

PAGES = {path.name: content.decode() for path, content in docs.render(BUNDLE).items()}
SVG = "{http://www.w3.org/2000/svg}"

#: An axis-parallel rectangle: left, top, right, bottom.
Box = tuple[float, float, float, float]


@pytest.mark.parametrize("protocol", BUNDLE.protocols, ids=lambda protocol: protocol.name)
def test_a_protocols_page_has_all_of_it(protocol: Protocol) -> None:
    page = PAGES[f"{protocol.name}.md"]
    for rule in protocol.all_rules():
        assert (
            f"- **{rule.id}** {rule.text} *({rule.source}{': ' * bool(rule.rationale)}{rule.rationale}"
            in page
        )
    for term in protocol.terms:
        assert f"| {term.name} | {term.doc} |" in page
    for reference in protocol.references:
        assert f"| {reference.id} | {reference.title} | {reference.doc} |" in page
    for message in protocol.messages:
        assert f"\n### {message.name}\n" in page
        for field in message.fields:
            assert f"| `{field.name}` |" in page


def test_a_table_has_the_parts_of_each_rule_that_was_split() -> None:
    rules = [rule for part in (*BUNDLE.protocols, *BUNDLE.machines) for rule in part.all_rules()]
    page = PAGES["split_rules.md"]
    for rule in rules:
        if rule.split_from:
            row = next(line for line in page.splitlines() if line.startswith(f"| {rule.split_from} |"))
            assert f" {rule.split_from}: " in row
            assert f"{rule.id}: {rule.text}" in row
    split = {rule.split_from for rule in rules} - {""}
    assert len([line for line in page.splitlines() if line.startswith("| ")]) == 2 + len(split)
    assert "split_rules.md" not in {path.name for path in docs.render(Bundle(()))}


def test_offsets_and_limits() -> None:
    page = PAGES["zeps.md"]
    assert "| 11 | 1 + key | `key` | length of 8 bits, then UTF-8 without control characters." in page
    assert (
        "| 12 + key | 4 + body | `body` | length of 32 bits, then octets, at most 16,777,216 octets." in page
    )
    assert "Size: 16 + key + body octets." in page


@pytest.mark.parametrize("machine", BUNDLE.machines, ids=lambda machine: machine.name)
def test_a_machines_page_has_all_of_it(machine: Machine) -> None:
    page = PAGES[f"{machine.name}.md"]
    for name in (
        *(s.name for s in machine.states),
        *(e.name for e in machine.events),
        *machine.host_actions(),
    ):
        assert name in page
    assert f"({machine.name}.svg)" in page


def test_links_lead_somewhere() -> None:
    for page in PAGES.values():
        for link in re.findall(r"\]\(([^)#]+)\)", page):
            assert link in PAGES or (ROOT / "generated" / "docs" / link).resolve().exists(), link


def _texts(root: ET.Element) -> list[Box]:
    boxes = []
    for text in root.iter(f"{SVG}text"):
        x, y, width = float(text.get("x", 0)), float(text.get("y", 0)), len(text.text or "") * 7.25
        left = x - width / 2 if text.get("class") == "t" else x
        boxes.append((left, y - 11, left + width, y + 3))
    return boxes


def _lines(root: ET.Element) -> list[Box]:
    boxes = []
    for line in root.iter(f"{SVG}polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
        for (x1, y1), (x2, y2) in itertools.pairwise(points):
            boxes.append((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)))
    return boxes


def _rectangles(root: ET.Element) -> list[Box]:
    boxes = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") == "b":
            x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
            boxes.append((x, y, x + float(rect.get("width", 0)), y + float(rect.get("height", 0))))
    return boxes


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def check_drawing(svg: str) -> None:
    """Everything is inside the drawing, texts do not overlap, and lines do not cross texts or states."""
    root = ET.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    texts, lines, states = _texts(root), _lines(root), _rectangles(root)
    for box in (*texts, *lines, *states):
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width + 0.1
        assert box[3] <= height + 0.1
    for index, text in enumerate(texts):
        assert not any(_meet(text, other) for other in texts[index + 1 :])
        assert not any(_meet(text, line) for line in lines)
    for index, state in enumerate(states):
        assert not any(_meet(state, other) for other in states[index + 1 :])
        assert not any(_meet(state, line) for line in lines)


@pytest.mark.parametrize("machine", BUNDLE.machines, ids=lambda machine: machine.name)
def test_our_diagrams_can_be_read(machine: Machine) -> None:
    svg = PAGES[f"{machine.name}.svg"]
    check_drawing(svg)
    for state in machine.states:
        assert f">{state.name}</text>" in svg
    between = {(row.state, row.next) for row in machine.transitions if row.next not in (None, row.state)}
    assert svg.count("<polyline") == len(between) + 1


@settings(max_examples=sized(20, 600))
@given(machines())
def test_any_diagram_can_be_read(machine: Machine) -> None:
    check_drawing(draw(machine))


@settings(max_examples=sized(15, 400))
@given(protocols())
def test_any_protocol_has_a_page(protocol: Protocol) -> None:
    pages = docs.render(Bundle((protocol,)))
    assert pages == docs.render(Bundle((protocol,)))
    page = pages[docs.FOLDER / "toy.md"].decode()
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {line.count(" | ") for line in rows} <= {1, 2, 3}
