"""The command: its output, its files and its exit codes."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import jsonschema
import pytest
from junitparser import JUnitXml
from toy_broker import ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance import cli
from zeps_conformance.cli import main
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter

HELPERS = Path(__file__).parent / "helpers"
TOY = str(HELPERS / "toy.toml")
ROOT = Path(__file__).parents[2]
EXPECTED = f"""
[[expected]]
case = "zeps1.credit.saturates"
verdict = "fail"
reason = "it wraps"
expires = {datetime.date.today() + datetime.timedelta(days=90)}
"""


def kept_document(**changes: object) -> str:
    run = {
        "case": "zeps1.credit.saturates",
        "profile": "zeps1",
        "seed": 0,
        "timeout": 5,
        "client_timeout": None,
        "verdict": "fail",
    }
    return json.dumps({"format": "zeps-conform-failure/1", "run": {**run, **changes}})


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    for command in (
        "run",
        "list",
        "show",
        "coverage",
        "replay",
        "report",
        "nulls",
        "exit codes: 0 no findings",
    ):
        assert command in text


@pytest.mark.parametrize("command", ["run", "list", "show", "coverage", "replay", "report", "nulls", "check"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert "usage: zeps-conform " + command in capsys.readouterr().out


def test_every_argument_has_help() -> None:
    (commands,) = (action.choices for action in cli._parser()._actions if isinstance(action.choices, dict))
    bare = [
        f"{name} {action.dest}"
        for name, parser in commands.items()
        for action in parser._actions
        if not action.help
    ]
    assert bare == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run", "--timeout", "0", "x"],
        ["run", "--jobs", "0", "x"],
        ["run", "--retries", "-1", "x"],
        ["run", "--profile", "none"],
        ["replay", "kept.json", "--seed", "3"],
        ["replay", "kept.json", "--timeout", "3"],
        ["replay", "kept.json", "--type", "SUB"],
    ],
)
def test_a_command_line_that_means_nothing(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run"], "give the broker's ENDPOINT"),
        (["run", "tcp://127.0.0.1:1", "--start", TOY], "but not both"),
        (["run", "nowhere"], "is not an endpoint"),
        (["run", "tcp://127.0.0.1:1"], "connection failed"),
        (["run", "tcp://127.0.0.1:1", "--pid", str(1 << 30)], f"--pid {1 << 30}: no such process"),
        (["run", "--start", "none.toml"], "cannot be read"),
        (["run", "--start", TOY, "--case", "nothing"], "no case of profile zeps1 matches 'nothing'"),
        (["run", "--start", TOY, "--baseline", "none.toml"], "cannot be read"),
        (["run", "--start", TOY, "--model", "none.json"], "cannot be read"),
        (["show", "nothing"], "unknown case 'nothing'"),
        (["replay", "none.json", "--start", TOY], "cannot be read"),
        (["report", "none.json"], "No such file"),
        (["report", str(ROOT / "generated/model.json")], "not a report"),
    ],
)
def test_what_cannot_be_done_is_said_and_exits_2(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("zeps-conform: ")
    assert complaint in error


def test_files_that_are_nested_too_deeply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, nested = tmp_path / "file", 100_000 * "["
    for text, arguments, kind in (
        (nested, ["report"], "JSON"),
        (nested, ["replay"], "JSON"),
        (f"command = {nested}", ["run", "--start"], "TOML"),
    ):
        path.write_text(text, encoding="utf-8")
        assert main([*arguments, str(path)]) == 2
        assert f"error: {path}: not {kind}: nested too deeply" in capsys.readouterr().err


def test_list_show_and_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--case", "credit.*"]) == 0
    listed = capsys.readouterr().out
    assert "zeps1.credit.adds-up" in listed
    assert "zeps1.opening.grants" not in listed
    assert main(["show", "zeps1.credit.adds-up"]) == 0
    printed = capsys.readouterr().out
    assert (
        "ZEPS-CREDIT-3 (MUST) A broker MUST add the credit of each CREDIT to the credit that is left."
        in printed
    )
    assert "Our decision: CREDIT and DELIVER cross on their way" in printed
    assert "1. A grants one byte at a time" in printed
    assert main(["coverage"]) == 0
    assert "LACKING" not in capsys.readouterr().out


def test_the_catalogue_of_cases_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == (ROOT / "generated/docs/conformance-cases.md").read_text(encoding="utf-8"), (
        "run: make generate"
    )


def test_coverage_finds_a_rule_without_a_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads((ROOT / "generated/model.json").read_text(encoding="utf-8"))
    zeps = next(protocol for protocol in document["protocols"] if protocol["name"] == "zeps")
    zeps["rules"].append({**zeps["rules"][0], "id": "ZEPS-NEW-1", "text": "Something new."})
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main(["coverage", "--model", str(path)]) == 1
    assert "LACKING a case:\n  ZEPS-NEW-1           Something new." in capsys.readouterr().out


def test_run_start_writes_every_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = [
        f"--{kind}={tmp_path}/deep/report.{kind}"
        for kind in ("json", "junit", "html", "sarif", "badge", "pages")
    ]
    status = main(
        ["run", "--start", TOY, "--case", "opening.*", "--case", "restart.after-stop", "-v", *reports]
    )
    text = capsys.readouterr().out
    assert status == 0, text
    assert "zeps1.restart.after-stop (" in text
    assert "no findings" in text
    document = json.loads((tmp_path / "deep/report.json").read_text(encoding="utf-8"))
    schema = json.loads(
        (ROOT / "conformance/zeps_conformance/reports/report.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(document, schema)
    assert document["target"] == "toy broker"
    assert JUnitXml.fromfile(str(tmp_path / "deep/report.junit")).tests == len(document["cases"])
    assert (tmp_path / "deep/report.html").read_text(encoding="utf-8").lstrip().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "deep/report.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert document["command"] == f"zeps-conform run --start {TOY}"
    assert document["description"] == TOY
    assert f"zeps1: {len(document['cases'])} of {len(document['cases'])}" in (
        tmp_path / "deep/report.badge"
    ).read_text(encoding="utf-8")
    assert (tmp_path / "deep/report.pages/implementation-toy-broker-zeps1.html").exists()
    twice = [f"{tmp_path}/deep/report.json"] * 2
    assert main(["report", *twice, "--html", f"{tmp_path}/two.html"]) == 0
    assert (tmp_path / "two.html").exists()
    assert main(["report", f"{tmp_path}/deep/report.json"]) == 0
    assert "toy broker" in capsys.readouterr().out


def test_findings_exit_1_are_kept_and_can_be_replayed(
    tmp_path: Path, codec: Interpreter, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept/zeps1.credit.saturates.json"
    with MUTANTS["CreditWraps"](codec, 20.0) as broker:
        arguments = [broker.endpoint, "--timeout", "0.5", "--retries", "0"]
        arguments += [
            "--case",
            "credit.saturates",
            "--case",
            "credit.adds-up",
            "--keep",
            str(tmp_path / "kept"),
        ]
        assert main(["run", *arguments]) == 1
        text = capsys.readouterr().out
        assert "FAIL         zeps1.credit.saturates" in text
        assert f"kept: {kept}" in text
        assert main(["replay", str(kept), broker.endpoint]) == 1
        assert "kept verdict: fail, verdict now: fail" in capsys.readouterr().out

        baseline = tmp_path / "baseline.toml"
        baseline.write_text(EXPECTED, encoding="utf-8")
        assert main(["run", *arguments, "--baseline", str(baseline)]) == 0
        assert "expected: it wraps" in capsys.readouterr().out
        written = tmp_path / "written.toml"
        assert main(["run", *arguments, "--write-baseline", str(written)]) == 1
        assert f"baseline: {written}: 1 entries" in capsys.readouterr().out
        assert main(["run", *arguments, "--baseline", str(written)]) == 0
        assert "expected:" in capsys.readouterr().out
    with ToyBroker(codec, 20.0) as broker:
        assert main(["replay", str(kept), broker.endpoint]) == 0
        assert "kept verdict: fail, verdict now: pass" in capsys.readouterr().out
        assert main(["run", broker.endpoint, "--case", "credit.saturates", "--baseline", str(baseline)]) == 1
        assert "the baseline expects fail, but the verdict is pass" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not JSON"),
        ("{}", "not a kept finding"),
        ("[]", "not a kept finding"),
        ('{"format": "zeps-conform-failure/1"}', "not a kept finding: run must be a table"),
        ('{"format": "zeps-conform-failure/1", "run": []}', "not a kept finding: run must be a table"),
        ('{"format": "zeps-conform-failure/1", "run": {"profile": "x"}}', "not a kept finding: case must be"),
        (kept_document(more=1), "not a kept finding: unknown keys: more"),
        (kept_document(seed="0"), "not a kept finding: seed must be a whole number"),
        (kept_document(timeout="5"), "not a kept finding: timeout must be a positive number of seconds"),
        (kept_document(client_timeout=[]), "not a kept finding: client_timeout must be a positive number"),
    ],
)
def test_a_file_that_is_no_kept_failure(
    tmp_path: Path, text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text, encoding="utf-8")
    assert main(["replay", str(path), "tcp://127.0.0.1:1"]) == 2
    assert complaint in capsys.readouterr().err


def test_options_of_a_broker_are_refused_for_findings_of_implementations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.json"
    path.write_text(kept_document(testee="none.toml", type="SUB"), encoding="utf-8")
    for kept in (path, tmp_path):
        assert main(["replay", str(kept), "tcp://127.0.0.1:1", "--name", "x", "--client-timeout", "1"]) == 2
        said = "ENDPOINT, --name, --client-timeout: not allowed for a finding of an implementation"
        assert said in capsys.readouterr().err
    assert main(["replay", str(path)]) == 2
    assert "none.toml: cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            [
                "tcp://127.0.0.1:1",
                "--implementation",
                "none.toml",
                "--type",
                "SUB",
                "--pid",
                "1",
                "--complete",
            ],
            "ENDPOINT, --pid, --complete: not allowed with --implementation",
        ),
        (["tcp://127.0.0.1:1", "--type", "SUB"], "--type: not allowed without --implementation"),
    ],
)
def test_options_of_the_other_kind_are_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_complete_suite_for_a_further_state(capsys: pytest.CaptureFixture[str]) -> None:
    """It is the same case, with more sequences: a fault that both detect ends it."""
    with MUTANTS["PingOkIsAnswered"](Interpreter(load_model()), 20.0) as broker:
        arguments = ["run", broker.endpoint, "--case", "machine.*", "--complete", "--retries", "0"]
        assert main(arguments) == 1
    assert "ZEPS-PING-OK-1" in capsys.readouterr().out
