"""A command reports unsupported features of a model with file and line, and completes the rest."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from zeps_codegen.cli import main

CODEC = '<class name="talk"{}>\n<message name="ASK"><field name="n" type="number"/></message></class>'
CLIENT = """<class name="client" protocol_class="talk" role="client">
<variable name="n" type="number"/>
<state name="start"><event name="ask" guard="n &lt; 99999999999">
<action name="send" message="ASK"><set field="n" value="1"/></action></event><event name="ASK"/></state>
<method name="ask"/></class>"""
SERVER = """<class name="server" protocol_class="talk" role="server">
<state name="start"><event name="ASK"/></state></class>"""


@pytest.fixture
def models(tmp_path: Path) -> list[str]:
    for name, text in (("talk", CODEC.format("")), ("client", CLIENT), ("server", SERVER)):
        (tmp_path / f"{name}.xml").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.xml") for name in ("talk", "client", "server")]


def generated(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_single_codec_has_a_dissector(models: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["generate", models[0], "--root", str(out), "--target", "wireshark"]) == 0
    assert "generated/wireshark/talk.lua" in generated(out)


def test_a_target_that_needs_more_says_what(
    models: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    targets = ["--target", "promela", "--target", "model"]
    assert main(["generate", models[0], "--root", str(out), *targets]) == 1
    said = capsys.readouterr().err
    assert (
        f"{models[0]}:1: error ZC901: promela needs a client and a server of one protocol; no files" in said
    )
    assert "generated/model.json" in generated(out)
    assert main(["generate", models[0], "--root", str(out), "--target", "graphviz"]) == 1
    assert "graphviz needs a machine" in capsys.readouterr().err


def test_check_says_beforehand_what_a_target_cannot_serve(
    models: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ticks.xml").write_text(CODEC.format(' dispatch="octet"').replace("talk", "ticks"))
    codec = str(tmp_path / "ticks.xml")
    assert main(["check", codec, "--target", "python", "--target", "model"]) == 0
    capsys.readouterr()
    assert main(["check", codec, "--target", "wireshark"]) == 1
    assert f"{codec}:1: error ZC901: wireshark needs a protocol with" in capsys.readouterr().out
    assert main(["check", *models, "--target", "promela"]) == 1
    assert "ZC901: promela cannot carry 99999999999: numbers must" in capsys.readouterr().out
    assert main(["check", codec, "--target", "cobol"]) == 2


def test_spin_refuses_what_it_cannot_hold(models: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spin", *models, "--bound", "1"]) == 1
    assert "ZC901" in capsys.readouterr().err


def test_what_is_left_out_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, alone = tmp_path / "empty.xml", tmp_path / "alone.xml"
    empty.write_text('<class name="empty"/>', encoding="utf-8")
    alone.write_text(
        '<class name="alone" script="zproto_client_c" protocol_class="nowhere">\n'
        '<state name="start"><event name="expired"/></state></class>',
        encoding="utf-8",
    )
    codec = tmp_path / "talk.xml"
    codec.write_text(CODEC.format(""), encoding="utf-8")
    for models, written in (([empty], False), ([alone], False), ([empty, alone, codec], True)):
        out = tmp_path / f"out{len(models)}{models[0].stem}"
        assert main(["generate", *map(str, models), "--root", str(out), "--target", "model"]) == (not written)
        said = capsys.readouterr().err
        assert ("empty.xml:1: warning ZC109" in said) == (empty in models)
        assert ("alone.xml:1: warning ZC321" in said) == (alone in models)
        assert (out / "generated" / "model.json").exists() == written


def test_a_place_that_cannot_be_written_is_a_usage_error(
    models: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file")
    assert main(["generate", models[0], "--root", str(tmp_path / "out"), "--target", "model"]) == 2
    assert "zeps-codegen: error:" in capsys.readouterr().err


def test_an_error_of_the_system_that_names_no_file(
    models: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zeps_codegen.generate.generate", full)
    assert main(["generate", *models]) == 2
    assert capsys.readouterr().err == "zeps-codegen: error: No space left on device\n"
