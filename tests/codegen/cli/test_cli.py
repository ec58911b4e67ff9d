"""The command line: output and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run_here

from zeps_codegen.cli import main
from zeps_codegen.generate import TARGETS
from zeps_codegen.load import load_bundle

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "codegen"
ZEPS = "protocol/zeps.xml"


def run(*arguments: str, stdin: str = "", folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return run_here(main, arguments, folder, stdin)


def test_help_shows_every_command_and_examples() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("generate", "check", "abnf", "import", "decode", "examples:", "exit codes:"):
        assert word in done.stdout
    for command in ("generate", "check", "abnf", "import", "decode"):
        assert run(command, "--help").returncode == 0


def test_version() -> None:
    """In a process of its own; `tests/system/test_commands.py` has more of these."""
    command = [sys.executable, "-m", "zeps_codegen.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("zeps-codegen ")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("frobnicate",),
        ("check", "nowhere.xml"),
        ("check", "--format", "yaml"),
        ("decode", ZEPS),
        ("decode", ZEPS, "AAA"),
        ("decode", ZEPS, "not hex"),
        ("abnf", "nowhere.xml"),
        ("import", "nowhere.abnf"),
    ],
)
def test_wrong_use_exits_with_2_and_says_why(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_without_models_there_is_nothing_to_check(tmp_path: Path) -> None:
    done = run("check", folder=tmp_path)
    assert done.returncode == 2
    assert "protocol/*.xml" in done.stderr


def test_check_of_our_own_models_finds_nothing() -> None:
    done = run("check")
    assert done.returncode == 0, done.stdout
    assert " machines, 0 errors, 0 warnings" in done.stderr
    assert ": error " not in done.stdout


def test_check_counts_in_the_singular_too(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text('<class name="one"><message name="A"/></class>')
    said = run("check", "one.xml", folder=tmp_path).stderr
    assert said.startswith("1 protocol with 1 message, 0 machines, 0 errors, ")


def test_what_models_include_may_lie_beside_them(tmp_path: Path) -> None:
    models = tmp_path / "protocol"
    models.mkdir()
    (models / "license.xml").write_text("<?xml version='1.0'?>\n<!-- <class> -->\n<license>Free.</license>")
    (models / "parts.xml").write_text('<define name="N" value="3"/>\n<define name="M" value="4"/>')
    done = run("check", folder=tmp_path)
    assert done.stdout.splitlines()[0] == (
        "protocol/license.xml:3: info ZC136: the root element is <license>, not <class> (hint: it is ignored)"
    )
    assert run("generate", "--target", "abnf", folder=tmp_path).returncode == 1
    (models / "one.xml").write_text(
        '<class name="one"><include filename="license.xml"/><include filename="parts.xml"/><message name="A">'
        '<field name="x" type="number" size="1" value="N"/></message></class>'
    )
    done = run("check", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "protocol/parts.xml:1: info ZC136" in done.stdout
    diagnostics = json.loads(run("check", "--format", "json", folder=tmp_path).stdout)
    assert [item["code"] for item in diagnostics] == ["ZC136", "ZC136"]
    assert run("generate", "--target", "abnf", folder=tmp_path).returncode == 0
    assert run("diff", "protocol", "protocol", folder=tmp_path).returncode == 0
    named = run("check", "protocol/license.xml", folder=tmp_path)
    assert named.returncode == 1
    assert "protocol/license.xml:3: error ZC108" in named.stdout


def test_help_names_the_targets_and_what_is_refused() -> None:
    said = run("init", "--help").stdout
    assert "may be given several times" in " ".join(said.split())
    assert all(target.name in said.partition("targets:")[2] for target in TARGETS)
    assert "cannot be used with --no-format" in run("generate", "--help").stdout


@pytest.mark.parametrize("command", ["generate", "init", "check", "abnf", "import", "decode", "spin", "diff"])
def test_each_help_says_what_the_exit_codes_mean(command: str) -> None:
    said = " ".join(run(command, "--help").stdout.split()).partition("exit codes: ")[2]
    assert said.startswith("0 ")
    assert " 2 usage error" in said


def test_check_reports_with_file_line_code_and_hint() -> None:
    done = run("check", "tests/codegen/passes/bad/type-unknown.xml")
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith("tests/codegen/passes/bad/type-unknown.xml:6: error ZC203: ")
    assert first.endswith("(hint: did you mean 'string'?)")


def test_check_exits_with_1_for_warnings_and_0_for_remarks() -> None:
    assert run("check", "tests/codegen/passes/bad/include-missing.xml").returncode == 1
    done = run("check", "tests/codegen/source/models/ticker_proto.xml")
    assert done.returncode == 0
    assert "info ZC124" in done.stdout


def test_check_in_json() -> None:
    done = run(
        "check", "--format", "json", "tests/codegen/passes/bad/id.xml", "tests/codegen/passes/bad/next.xml"
    )
    assert done.returncode == 1
    diagnostics = json.loads(done.stdout)
    assert {item["file"].rpartition("/")[2] for item in diagnostics} == {"id.xml", "next.xml"}
    assert all(set(item) == {"code", "severity", "file", "line", "message", "hint"} for item in diagnostics)
    assert json.loads(run("check", "--format", "json", "tests/codegen/passes/bad/pair.xml").stdout) == []


def test_import_writes_a_model_that_reads(tmp_path: Path) -> None:
    grammar = "tests/codegen/source/grammars/zeps-readme.abnf"
    done = run("import", grammar)
    assert done.returncode == 0
    assert done.stdout.startswith("<?xml")
    assert "ZC803" in done.stderr
    output = tmp_path / "model.xml"
    named = run("import", grammar, "-o", str(output), "--name", "other")
    assert (named.returncode, named.stdout) == (0, "")
    assert load_bundle([output]).protocols[0].name == "other"


def test_import_of_what_is_no_grammar(tmp_path: Path) -> None:
    path = tmp_path / "bad.abnf"
    path.write_text("a = ( b\n")
    done = run("import", str(path), "-o", str(tmp_path / "model.xml"))
    assert done.returncode == 1
    assert "bad.abnf:1: error ZC801" in done.stderr
    assert not (tmp_path / "model.xml").exists()
    path.write_bytes(b"\xff\xfe")
    assert run("import", str(path)).returncode == 2


def test_decode_shows_every_field_with_its_offset() -> None:
    frame = "AAA5 07 0000000000000007 03616263 00000004 DEADBEEF"
    done = run("decode", ZEPS, frame)
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["DELIVER", "(id", "7),", "23", "bytes"]
    assert ["3", "8", "sequence", "7", "00", "00", "00", "00", "00", "00", "00", "07"] in lines
    assert ["11", "4", "key", '"abc"', "03", "61", "62", "63"] in lines
    assert ["15", "8", "body", "4", "bytes", "00", "00", "00", "04", "DE", "AD", "BE", "EF"] in lines
    assert run("decode", ZEPS, "-", stdin=f"{frame}\n").stdout == done.stdout
    assert run("decode", "protocol/zeps_server.xml", frame).stdout == done.stdout


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        ("", "truncated at byte 0"),
        ("AA", "truncated at byte 0"),
        ("AAA4 08", "bad-signature at byte 0"),
        ("AAA5", "truncated at byte 2"),
        ("AAA5 FF", "unknown-message at byte 2"),
        ("AAA5 08 00", "trailing: PING at byte 3"),
        ("AAA5 01 045A455051 0001 0161", "bad-constant: ATTACH.protocol at byte 3"),
        ("AAA5 01 045A455053 0002 0161", "bad-constant: ATTACH.version at byte 8"),
        ("AAA5 06 0161 00000002 00", "truncated: PUBLISH.body at byte 5"),
        ("AAA5 06 0161 01000001", "too-long: PUBLISH.body at byte 5"),
        ("AAA5 0C 0180", "bad-text: INVALID.reason at byte 3"),
        ("AAA5 0C 0107", "bad-text: INVALID.reason at byte 3"),
        ("AAA5 0C 02C285", "bad-text: INVALID.reason at byte 3"),
    ],
)
def test_decode_names_what_is_wrong_with_a_frame(frame: str, error: str) -> None:
    done = run("decode", ZEPS, frame)
    assert done.returncode == 1
    assert done.stderr.strip() == f"{ZEPS}: {error}"


def test_a_model_with_errors_decodes_nothing() -> None:
    done = run("decode", "tests/codegen/passes/bad/id.xml", "AAA101")
    assert done.returncode == 1
    assert "error ZC211" in done.stderr
