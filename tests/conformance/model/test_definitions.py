"""The model file: its content for the suite, and the errors for a missing or invalid file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zeps_conformance.model.definitions import Model, ModelFileError, load_model
from zeps_conformance.model.rulebook import load_book

ROOT = Path(__file__).parents[3]
GENERATED = ROOT / "generated/model.json"


def test_without_a_packaged_copy_the_generated_model_is_read(model: Model) -> None:
    assert not (ROOT / "conformance/zeps_conformance/model.json").exists()
    assert load_model() == load_model(GENERATED) == model


def test_messages_fields_and_rules(model: Model) -> None:
    publish = model.message("PUBLISH")
    key, body = publish.field("key"), publish.field("body")
    assert [message.id for message in model.messages] == list(range(1, 13))
    assert (key.type, key.size, key.text) == ("string", 1, "printable")
    assert (body.type, body.size, body.max) == ("chunk", 4, 1 << 24)
    assert model.message("ATTACH").field("protocol").value == "ZEPS"
    assert model.constants == {"LATEST_ALL": 0, "LATEST_NEW": (1 << 64) - 1}
    assert model.rule("ZEPS-CREDIT-2").owner == "message:CREDIT"
    assert not model.rule("ZEPS-SEQUENCE-4").observable
    assert model.rule("ZEPS-PING-4").level == "SHOULD"
    assert len({rule.id for rule in model.all_rules()}) == len(model.all_rules())


def test_constants_of_bytes_are_read() -> None:
    assert load_model(GENERATED, "journal").message("SEGMENT").field("magic").value == b"ZEPSJRNL"


def test_what_is_missing_is_named(model: Model) -> None:
    with pytest.raises(KeyError, match="NOTHING"):
        model.message("NOTHING")
    with pytest.raises(KeyError, match="ZEPS-X-1"):
        model.rule("ZEPS-X-1")
    with pytest.raises(KeyError, match="nothing"):
        model.message("PING").field("nothing")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a model"),
        ("[]", "not a model"),
        pytest.param("[" * 99_999, "not a model", id="nested too deep"),
        ('{"protocols": [{}]}', "not a model: KeyError: 'name'"),
        ('{"protocols": [], "machines": [1]}', "not a model: TypeError"),
        ('{"protocols": [], "machines": [{}]}', "not a model: KeyError: 'protocol'"),
        ('{"protocols": []}', "does not contain a protocol 'zeps'"),
    ],
)
def test_a_file_that_is_no_model(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError, match=complaint):
        load_model(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        load_model(tmp_path / "none.json")


def test_a_constant_of_another_kind_is_refused(tmp_path: Path) -> None:
    document = json.loads(GENERATED.read_text(encoding="utf-8"))
    for protocol in document["protocols"]:
        for message in protocol["messages"]:
            for field in message["fields"]:
                field["value"] = 1.5
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"invalid constant 1\.5"):
        load_model(path)


def test_a_book_has_the_rules_of_states(tmp_path: Path) -> None:
    document = json.loads(GENERATED.read_text(encoding="utf-8"))
    (machine,) = (machine for machine in document["machines"] if machine["name"] == "zmtp_publisher")
    machine["states"][0]["rules"] = [{**machine["rules"][0], "id": "ZMTP-P-99"}]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert load_book(path, ["zmtp"]).rule("ZMTP-P-99").id == "ZMTP-P-99"
