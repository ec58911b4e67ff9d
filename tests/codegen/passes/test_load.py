"""Whole runs: several files, missing files, and the resulting bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.diagnostics import Diagnostic, ModelErrors, Severity, render_json, sort
from zeps_codegen.ir import Role
from zeps_codegen.load import load, load_all, load_bundle

ROOT = Path(__file__).parents[3]
PROTOCOL = sorted((ROOT / "protocol").glob("*.xml"))
BAD = Path(__file__).parent / "bad"
RULE = '<rule id="X-1" level="MAY" source="Our decision">A server MAY.<rationale>It can.</rationale></rule>'


def codes(diagnostics: list[Diagnostic]) -> list[tuple[str, int, str]]:
    return [(Path(item.file).name, item.line, item.code) for item in diagnostics]


def test_our_own_models_have_no_findings() -> None:
    bundle, diagnostics = load(PROTOCOL)
    assert bundle is not None
    assert [item for item in diagnostics if item.severity is not Severity.INFO] == []
    assert {item.name for item in bundle.protocols} >= {"zeps", "journal", "zmtp", "zmtp_frame"}
    assert {(item.name, item.role) for item in bundle.machines} >= {
        ("zeps_server", Role.SERVER),
        ("zeps_client", Role.CLIENT),
        ("zmtp_publisher", Role.SERVER),
        ("zmtp_subscriber", Role.CLIENT),
    }


def test_loading_is_deterministic() -> None:
    assert load(PROTOCOL) == load(PROTOCOL)


def test_a_protocol_is_found_beside_its_machine() -> None:
    bundle = load_bundle([ROOT / "protocol" / "zeps_server.xml"])
    assert [item.name for item in bundle.protocols] == ["zeps"]


def test_errors_of_all_files_come_together() -> None:
    with pytest.raises(ModelErrors) as caught:
        load_bundle([BAD / "id.xml", BAD / "xml-syntax.xml", BAD / "next.xml"])
    files = {Path(item.file).name for item in caught.value.diagnostics}
    assert files == {"id.xml", "xml-syntax.xml", "next.xml"}
    assert "id.xml:4: error ZC211" in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    bundle, diagnostics = load([tmp_path])
    assert bundle is None
    assert [(item.code, item.line) for item in diagnostics] == [("ZC103", 0)]
    assert str(diagnostics[0]).startswith(f"{tmp_path.as_posix()}: error ZC103: ")


def test_a_message_that_nobody_uses(tmp_path: Path) -> None:
    (tmp_path / "two.xml").write_text(
        '<class name="two" signature="1">\n<message name="USED"/>\n<message name="IDLE"/>\n</class>'
    )
    machines = [tmp_path / "server.xml", tmp_path / "client.xml"]
    for path in machines:
        path.write_text(
            f'<class name="{path.stem}" protocol_class="two" role="{path.stem}">\n<state name="start">\n'
            '<event name="USED"/><event name="*"/>\n</state></class>'
        )
    _, diagnostics = load(machines)
    assert codes(diagnostics) == [("two.xml", 3, "ZC324")]
    _, diagnostics = load([tmp_path / "two.xml"])
    assert diagnostics == [], "without a machine there is nothing to compare with"


def test_two_models_with_one_name(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text('<class\n name="same" signature="1"><message name="A"/></class>')
    _, diagnostics = load([tmp_path / "a.xml", tmp_path / "b.xml"])
    assert codes(diagnostics) == [("b.xml", 2, "ZC329")]


def test_rule_ids_are_unique_over_all_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.xml").write_text(f'<class name="{name}">\n<message name="A"/>\n{RULE}</class>')
    _, diagnostics = load([tmp_path / "a.xml", tmp_path / "b.xml"])
    assert codes(diagnostics) == [("b.xml", 3, "ZC230")]
    assert "a.xml:3" in diagnostics[0].hint


def test_places_are_known_for_every_part_of_the_ir() -> None:
    loaded = load_all(PROTOCOL)
    assert loaded.bundle is not None
    find = loaded.locations.find
    text = (ROOT / "protocol" / "zeps.xml").read_text(encoding="utf-8").splitlines()
    for message in loaded.bundle.protocol("zeps").messages:
        assert f'<message name="{message.name}"' in text[find(f"message:zeps.{message.name}").line - 1]
        for field in message.fields:
            assert (
                f'<field name="{field.name}"'
                in text[find(f"field:zeps.{message.name}.{field.name}").line - 1]
            )
    grammar = loaded.bundle.protocol("zeps").grammar.splitlines()[0]
    assert text[find("grammar:zeps").line - 1] == grammar
    for machine in loaded.bundle.machines:
        for index in range(len(machine.transitions)):
            assert find(f"transition:{machine.name}.{index}").line > 0
        for state in machine.states:
            assert find(f"state:{machine.name}.{state.name}").line > 0
    assert find("nothing").line == 0


def test_findings_are_sorted_and_single() -> None:
    on_line_2 = Diagnostic("ZC101", Severity.ERROR, "a", 2, "m")
    on_line_1 = Diagnostic("ZC101", Severity.ERROR, "a", 1, "m", "h")
    assert sort([on_line_2, on_line_1, on_line_2]) == [on_line_1, on_line_2]
    assert str(on_line_1) == "a:1: error ZC101: m (hint: h)"
    assert '"line": 1' in render_json([on_line_1])
