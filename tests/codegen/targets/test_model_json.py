"""model.json: the IR field for field, valid by its schema, and read back."""

from __future__ import annotations

import json

import jsonschema
import pytest
from campaigns import sized
from hypothesis import given, settings
from programs import BUNDLE, ROOT
from random_machines import machines
from random_protocols import protocols

from zeps_codegen.ir import Bundle, Machine, Protocol
from zeps_codegen.targets import model_json

SCHEMA = json.loads((ROOT / "generated" / "model.schema.json").read_bytes())

validator = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_committed_model_is_of_the_schema_and_is_the_bundle() -> None:
    text = (ROOT / "generated" / "model.json").read_bytes()
    validator.validate(json.loads(text))
    assert model_json.load(text) == BUNDLE


@settings(max_examples=sized(20, 600))
@given(protocols(), machines())
def test_any_bundle_survives(protocol: Protocol, machine: Machine) -> None:
    bundle = Bundle((protocol,), (machine,))
    text = model_json.dump(bundle)
    validator.validate(json.loads(text))
    assert model_json.load(text) == bundle
    assert model_json.dump(bundle) == text


def test_bytes_are_hexadecimal() -> None:
    document = json.loads(model_json.dump(BUNDLE))
    journal = next(protocol for protocol in document["protocols"] if protocol["name"] == "journal")
    assert journal["messages"][1]["fields"][0]["value"] == {"hex": "5a424c4b"}


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"format": "zeps-model/2", "protocols": [], "machines": []}',
        '{"format": "zeps-model/1", "protocols": []}',
        '{"format": "zeps-model/1", "protocols": [], "machines": [], "more": 1}',
        '{"format": "zeps-model/1", "protocols": [{"name": "x"}], "machines": []}',
        '{"format": "zeps-model/1", "protocols": 7, "machines": []}',
        "not JSON",
    ],
)
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"zeps-model/1|Expecting value"):
        model_json.load(text)


def test_a_wrong_type_is_refused() -> None:
    text = model_json.dump(BUNDLE).replace('"signature": 5', '"signature": "5"')
    with pytest.raises(ValueError, match="'5' is not of the type int"):
        model_json.load(text)
    assert list(validator.iter_errors(json.loads(text)))
