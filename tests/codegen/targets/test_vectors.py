"""The vectors: valid by their schema, complete, and consistent with the Python package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from driver_processes import python_driver, python_process
from programs import BUNDLE, GOLDEN, HELPERS, committed, models, vectors_of

from zeps_codegen.generate import generate
from zeps_codegen.ir import Dispatch, Field, FieldType, Protocol, Text
from zeps_codegen.load import load_bundle
from zeps_codegen.plan.layout import layouts
from zeps_codegen.requests import Oracle
from zeps_codegen.targets import vectors

FILES = committed("vectors")
SCHEMA = json.loads(FILES[vectors.FOLDER / "vectors.schema.json"])
TEXTUAL = (FieldType.STRING, FieldType.STRINGS, FieldType.HASH)


LINES = vectors_of(FILES[vectors.FOLDER / "requests.tsv"])


def document(name: str) -> Any:
    return json.loads(FILES[vectors.FOLDER / f"{name}.json"])


def test_the_python_driver_gives_every_answer() -> None:
    driver = python_driver()
    for name, request, answer in LINES:
        assert driver.handle(request) == answer, name


@pytest.mark.parametrize("model", ["features", "frames", "weather"])
def test_so_does_the_package_of_any_other_model(model: str, tmp_path: Path) -> None:
    bundle = load_bundle(models(GOLDEN / model))
    generate(bundle, tmp_path, ["python", "model"])
    cases = vectors_of(vectors.render(bundle)[vectors.FOLDER / "requests.tsv"])
    answers = python_process(tmp_path / "generated" / "python").answers([request for _, request, _ in cases])
    for (name, _, answer), given in zip(cases, answers, strict=True):
        assert given == answer, name


def test_items_to_the_end_are_cut_and_reserved_bytes_set() -> None:
    files = vectors.render(load_bundle([HELPERS / "known" / "tails.xml"]))
    tails = json.loads(files[vectors.FOLDER / "tails.json"])
    good = {case["name"] for case in tails["positive"]}
    bad = {case["name"]: case["error"] for case in tails["negative"]}
    assert good >= {
        *("PROPERTIES/properties/0 pairs", "PROPERTIES/properties/equal keys", "HASHES/counted/equal keys"),
        *("BETWEEN/first/not zero", "TOKEN/gap/not zero", "NUMBERS/unused/not zero"),
    }
    assert bad["PROPERTIES/properties/the first byte of an item"] == "truncated"
    assert bad["SMALL/small/5 items and one byte"] == "too-long"
    assert bad["COLOURS/colours/0, and one byte more"] == "bad-constant"
    assert bad["NUMBERS/one byte more"] == "truncated"


@pytest.mark.parametrize("name", [owner.name for owner in (*BUNDLE.protocols, *BUNDLE.machines)])
def test_the_files_follow_their_schema(name: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(document(name))


def test_the_schema_refuses_something() -> None:
    for wrong in ({}, {"format": "zeps-vectors/1", "protocol": "x"}, document("zeps") | {"format": "other"}):
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong)


def test_they_are_not_too_large() -> None:
    assert sum(map(len, FILES.values())) < 3_000_000


def test_names_are_unique() -> None:
    names = [name for name, _, _ in LINES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("protocol", BUNDLE.protocols, ids=lambda protocol: protocol.name)
def test_every_message_and_every_error_occurs(protocol: Any) -> None:
    vectors_document = document(protocol.name)
    assert {case["message"] for case in vectors_document["positive"]} == {
        message.name for message in protocol.messages
    }
    assert {case["error"] for case in vectors_document["negative"]} == set(possible(protocol))
    refused = {case["error"] for case in vectors_document["unencodable"]}
    assert ("bad-text" in refused) == ("bad-text" in set(possible(protocol)))
    short = any(field.type is FieldType.STRING and field.size == 1 for field in fields_with_values(protocol))
    assert "too-long" in refused or not short


def fields_with_values(protocol: Protocol) -> list[Field]:
    """The fields of all messages that have values; instead of a list, the field of its items."""
    fields = [field for layout in layouts(protocol) for field in layout.shown]
    return [field.items or field for field in fields]


def possible(protocol: Protocol) -> Iterator[str]:
    """The possible errors in a frame of the protocol."""
    protocol_layouts = layouts(protocol)
    fields, items = (
        [place.field for layout in protocol_layouts for place in layout.places],
        fields_with_values(protocol),
    )
    yield from ("truncated", "trailing")
    if protocol.dispatch is Dispatch.SIGNATURE:
        yield "bad-signature"
    if any(layout.dispatch for layout in protocol_layouts):
        yield "unknown-message"
    constant = any(layout.head != layout.dispatch for layout in protocol_layouts) or any(
        f.value for f in fields
    )
    if constant or any(item.enumeration for item in items):
        yield "bad-constant"
    if any(item.type in TEXTUAL and item.text is not Text.OCTETS for item in items):
        yield "bad-text"
    if any(field.max is not None or field.type is FieldType.VARINT for field in (*fields, *items)):
        yield "too-long"


@pytest.mark.parametrize("machine", BUNDLE.machines, ids=lambda machine: machine.name)
def test_every_row_of_a_machine_is_taken(machine: Any) -> None:
    """Every event also occurs in every state, with a row or without."""
    oracle = Oracle(BUNDLE)
    simulation = oracle.simulation(machine.name)
    taken: set[int] = set()
    happened, alive = set(), set()
    for trace in vectors.traces(BUNDLE, machine):
        situation = simulation.initial()
        for step in trace.steps:
            alive |= set() if situation.terminated else {situation.state}
            result = oracle.step(simulation, situation, step)
            taken |= set(result.rows)
            happened.add((situation.state, result.outcome))
            situation = result.situation
    assert taken == set(range(len(machine.transitions)))
    assert {state for state, _ in happened} == {state.name for state in machine.states}
    names = {recorded["name"] for recorded in document(machine.name)["traces"]}
    for state in sorted(alive):  # terminated machines are not checked
        for event in machine.events:
            assert f"{state}/{event.name}" in names
