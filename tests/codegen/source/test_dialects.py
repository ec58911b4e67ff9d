"""Models in each dialect of zproto are accepted; deviations from clean zproto are reported as tolerated."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.diagnostics import Severity
from zeps_codegen.ir import Dispatch, FieldType, Message, Reference, Role, Term, Text
from zeps_codegen.load import load, load_bundle
from zeps_codegen.model import Dialect
from zeps_codegen.report import Report
from zeps_codegen.source.reader import read_file

MODELS = Path(__file__).parent / "models"
HERE_BAD = Path(__file__).parents[1] / "passes" / "bad"


def shape(message: Message) -> list[tuple[str, str, int]]:
    return [(item.name, item.type.value, item.size) for item in message.fields]


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("weather_proto", Dialect.ZPROTO),
        ("weather_server", Dialect.ZPROTO),
        ("weather_client", Dialect.ZPROTO),
        ("ticker_proto", Dialect.ZPROTO),
        ("early_msg", Dialect.EARLY),
        ("everything", Dialect.ZEPS),
    ],
)
def test_every_dialect_is_read_and_told_apart(name: str, dialect: Dialect) -> None:
    raw = read_file(MODELS / f"{name}.xml", Report())
    assert raw is not None
    assert raw.dialect is dialect
    bundle, diagnostics = load([MODELS / f"{name}.xml"])
    assert bundle is not None
    assert not [item for item in diagnostics if item.severity is Severity.ERROR]


def test_a_clean_codec_has_no_findings_but_its_character() -> None:
    _, diagnostics = load([MODELS / "weather_proto.xml"])
    assert [(item.line, item.code) for item in diagnostics] == [(51, "ZC124")]


def test_the_whole_codec_language() -> None:
    protocol = load_bundle([MODELS / "weather_proto.xml"]).protocols[0]
    assert (protocol.dispatch, protocol.signature, protocol.version) == (Dispatch.SIGNATURE, 3, 1)
    assert [(item.name, item.id) for item in protocol.messages] == [
        ("GOODBYE", 9),
        ("HELLO", 2),
        ("REPORT", 3),
        ("SORRY", ord("S")),
        ("EVERYTHING", 5),
        ("NOTHING", 6),
    ]
    constants = [(item.name, item.value) for item in protocol.constants]
    assert constants == [("VERSION", 2), ("NOT_FOUND", 404), ("GREETING", "hello")]
    fields = [(item.name, item.value) for item in protocol.message("HELLO").fields]
    assert fields == [("sequence", None), ("protocol", "hello"), ("version", 2)]
    assert shape(protocol.message("REPORT")) == [
        ("sequence", "number", 2),
        ("station_id", "uuid", 16),
        ("key", "octets", 4),
        ("temperature", "number", 4),
        ("where_town", "string", 1),
        ("where_height", "number", 2),
        ("text", "string", 4),
        ("tags", "strings", 4),
        ("headers", "hash", 4),
        ("picture", "chunk", 4),
        ("map", "frame", 0),
        ("rest", "msg", 0),
    ]
    assert shape(protocol.message("NOTHING")) == [("sequence", "number", 2)]
    assert protocol.message("NOTHING").digest == "Nothing at all"
    assert all(item.text is Text.UTF8 for item in protocol.message("REPORT").fields)
    assert protocol.grammar.startswith("weather = C:HELLO")
    assert protocol.messages[1].doc == "Asks for the weather."


def test_early_types_are_no_hint_in_our_dialect(tmp_path: Path) -> None:
    hints = []
    for attributes in ('text="utf-8"', 'signature="1"'):
        path = tmp_path / "model.xml"
        fields = "".join(f'<field name="{kind}" type="{kind}"/>' for kind in ("integr", "colour"))
        path.write_text(f'<class name="model" {attributes}><message name="A">{fields}</message></class>')
        hints.append([diagnostic.hint for diagnostic in load([path])[1] if diagnostic.code == "ZC203"])
    ours, zprotos = hints
    assert not any(early in hint for hint in ours for early in ("octet'", "octet,", "integer", "dictionary"))
    assert "dictionary" in zprotos[0]
    assert zprotos[1] == "did you mean 'integer'?"


def test_pubsub_has_ids_that_are_characters() -> None:
    protocol = load_bundle([MODELS / "ticker_proto.xml"]).protocols[0]
    assert protocol.dispatch is Dispatch.PUBSUB
    assert [item.id for item in protocol.messages] == [84, 72]


def test_what_came_before_zproto() -> None:
    bundle, diagnostics = load([MODELS / "early_msg.xml"])
    assert bundle is not None
    assert {item.severity for item in diagnostics} == {Severity.INFO}
    assert {item.code for item in diagnostics} == {
        "ZC110", "ZC111", "ZC113", "ZC120", "ZC121", "ZC130", "ZC131",
    }  # fmt: skip
    assert shape(bundle.protocols[0].messages[0]) == [("level", "number", 1), ("key", "octets", 8)]


def test_a_client_with_all_that_clients_have() -> None:
    bundle, diagnostics = load([MODELS / "weather_client.xml"])
    assert bundle is not None
    assert {item.code for item in diagnostics} == {"ZC111", "ZC124", "ZC127", "ZC128"}
    client = bundle.machines[0]
    assert client.role is Role.CLIENT
    methods = [(item.name, item.returns, item.immediate) for item in client.methods]
    assert methods == [("connect", "status", False), ("destructor", "status", True)]


def test_all_our_extensions() -> None:
    protocol = load_bundle([MODELS / "everything.xml"]).protocols[0]
    assert (protocol.dispatch, protocol.version) == (Dispatch.OCTET, 3)
    paint, clean = protocol.messages
    fields = {item.name: item for item in paint.fields}
    assert (paint.since, clean.since, clean.until) == (2, 2, 3)
    assert (fields["tail"].type, fields["tail"].since, fields["body"].since) == (FieldType.REST, 3, 2)
    assert fields["label"].max == 16
    assert (fields["label"].text, fields["names"].items.text) == (Text.PRINTABLE, Text.VCHAR)  # type: ignore[union-attr]
    assert (fields["points"].size, fields["names"].size, fields["widths"].size) == (4, 2, 0)
    assert [item.name for item in paint.fields if item.derived] == ["widths_count", "size"]
    assert fields["widths"].items is not None
    assert fields["widths"].items.signed
    assert (fields["options"].enumeration, fields["options"].flags) == ("option", True)
    assert [item.value for item in protocol.enumerations[0].members] == [0, 5, 6]
    assert [(rule.id, rule.owner, rule.role, rule.observable) for rule in protocol.all_rules()] == [
        ("ALL-1", "class", "server", True),
        ("ALL-4", "class", "server", True),
        ("ALL-2", "message:PAINT", "client", False),
        ("ALL-3", "field:PAINT.colour", "any", True),
    ]
    rules = {rule.id: rule for rule in protocol.all_rules()}
    assert (rules["ALL-3"].source, rules["ALL-3"].rationale) == ("here §Paint; here §Use", "")
    assert (rules["ALL-4"].rationale, rules["ALL-4"].split_from) == (
        "Nothing is a part of everything.",
        "ALL-1",
    )
    assert protocol.terms == (
        Term("painter", "A client that paints.", "client"),
        Term("paint", "What a painter spreads."),
    )
    assert protocol.references == (Reference("here", "This model", ("Paint", "Use"), "A document."),)


def test_an_include_that_is_a_whole_class(tmp_path: Path) -> None:
    (tmp_path / "common.xml").write_text('<class name="common"><define name="N" value="3"/></class>')
    path = tmp_path / "user.xml"
    path.write_text(
        '<class name="user"><include filename="common.xml"/>'
        '<message name="A"><field name="x" type="number" value="N"/></message></class>'
    )
    assert load_bundle([path]).protocols[0].messages[0].fields[0].value == 3


def test_an_include_may_hold_several_elements_and_includes_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "license.xml").write_text("<license>Free.</license>")
    (tmp_path / "states.xml").write_text(
        '<?xml version="1.0"?>\n<include filename="license.xml"/><include filename="states.xml"/>\n'
        '<state name="start"><event name="PING" next="nowhere"/></state>\n'
        '<state name="end"><event name="$other"/></state>\n'
    )
    (tmp_path / "p.xml").write_text('<class name="p"><message name="PING"/></class>')
    path = tmp_path / "m.xml"
    path.write_text('<class name="m" codec="p"><include filename="states.xml"/></class>')
    _, diagnostics = load([path])
    assert ("ZC317", "states.xml", 3) in [
        (item.code, Path(item.file).name, item.line) for item in diagnostics
    ], "the finding is in the included file"


def test_before_zproto_every_state_inherited_from_defaults() -> None:
    path = HERE_BAD / "early-server.xml"
    server = load_bundle([path]).machines[0]
    assert [state.name for state in server.states] == ["start", "busy"]
    covered = [(row.state, row.event) for row in server.transitions if row.covered_by_star]
    assert covered[:3] == [("start", "WORLD"), ("start", "look at"), ("start", "ok")]
    assert covered[3:] == [("busy", "HELLO"), ("busy", "WORLD"), ("busy", "look at")]
    assert [item.name for item in server.methods[0].parameters] == ["path"]


def test_before_zproto_numbers_had_8_bytes_and_constants_the_names_of_c() -> None:
    message = load_bundle([HERE_BAD / "early-numbers.xml"]).protocols[0].messages[0]
    fields = [(item.name, item.size, item.value) for item in message.fields]
    assert fields == [("v", 1, 3), ("w", 8, None), ("x", 2, None), ("y", 1, None)]


def test_of_two_attributes_with_one_name_the_last_counts() -> None:
    protocol = load_bundle([HERE_BAD / "attribute-twice.xml"]).protocols[0]
    assert (protocol.signature, protocol.messages[0].id) == (2, 3)
