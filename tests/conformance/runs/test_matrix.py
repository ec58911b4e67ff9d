"""The matrix and its commands over real implementations: output, files and exit codes."""

from __future__ import annotations

import datetime
import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing

from implementations import ADAPTER
from zeps_conformance.cli import main
from zeps_conformance.commands import matrix as command
from zeps_conformance.common.results import RunResult
from zeps_conformance.runs.matrix import FORMAT, Matrix

DESCRIPTION = f"""
kind = "adapter"
name = "libzmq here"
command = ["{sys.executable}", "{ADAPTER}"]
types = ["XPUB", "SUB", "XSUB", "PROXY"]
"""
BROKER = 'name = "a broker"\ncommand = ["x"]\n'
FORM = "zmtp-sub.subscribe.as-command-3-1"
EXPECTED = f"""
[[expected]]
case = "{FORM}"
types = ["XSUB"]
verdict = "deviation"
reason = "messages are all that XSUB sends"
expires = {datetime.date.today() + datetime.timedelta(days=90)}
"""
CASES = ["--case", "zmtp-sub.subscribe.as-*", "--case", "zmtp-proxy.subscriptions.forwarded-*"]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(DESCRIPTION, encoding="utf-8")
    (tmp_path / "broker.toml").write_text(BROKER, encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.toml").write_text(DESCRIPTION, encoding="utf-8")
    (tmp_path / "baselines").mkdir()
    return tmp_path


def schema(name: str) -> Any:
    return json.loads(resources.files("zeps_conformance.reports").joinpath(name).read_text(encoding="utf-8"))


def test_the_earlier_option_runs_an_implementation_with_a_warning(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [here / "new.json", here / "old.json"]
    for option, file in zip(("--implementation", "--testee"), files, strict=True):
        asked = [option, str(here / "mine.toml"), "--type", "SUB", "--case", "subscribe.as-message-3-0"]
        assert main(["run", *asked, "--json", str(file)]) == 0
        warned = "zeps-conform: warning: --testee was renamed: use --implementation\n"
        assert (warned in capsys.readouterr().err) is (option == "--testee")
    new, old = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    assert (
        [case["verdict"] for case in old["cases"]] == [case["verdict"] for case in new["cases"]] == ["pass"]
    )
    assert old["testee"] == new["testee"] == "mine"


def test_the_matrix_is_printed_and_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(here / "mine.toml"), str(here / "broker.toml")]
    written = ["--pages", str(here / "m"), "--json", str(here / "m.json"), "--keep", str(here / "kept")]
    assert main(["matrix", *files, *CASES, *written]) == 1
    printed = capsys.readouterr().out
    assert "a  libzmq here SUB (libzmq 4." in printed
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    assert "as-message-3-0 . ." in lines
    assert "as-command-3-1 . D" in lines
    assert "forwarded-3-0 ." in lines
    assert f"DEVIATION libzmq here XSUB: {FORM}" in lines
    assert f"zeps-conform replay {here}/kept/mine-xsub/{FORM}.json" in lines
    assert any(line.startswith("3 columns, 6 cells: 5 pass, 1 deviation · 1 finding") for line in lines)

    document = json.loads((here / "m.json").read_text(encoding="utf-8"))
    registry = referencing.Registry().with_resource(
        "report.schema.json", referencing.Resource.from_contents(schema("report.schema.json"))
    )
    jsonschema.Draft202012Validator(schema("matrix.schema.json"), registry=registry).validate(document)
    assert Matrix.from_json(document).to_json() == document

    page = here / f"m/finding-mine-xsub-{FORM}.html"
    text = page.read_text(encoding="utf-8")
    assert [path.name for path in (here / "m").glob(f"finding-*{FORM}.html")] == [page.name]
    for part in (
        "A subscriber MUST send a subscription in version 3.1 as the command SUBSCRIBE with the topic.",
        "RFC 37 §The Publish-Subscribe Pattern",
        "forwarded unchanged",
        "00 01 01",
        f"zeps-conform replay {here}/kept/mine-xsub/{FORM}.json",
        f"zeps-conform run --implementation {here}/mine.toml --type XSUB --case {FORM}",
    ):
        assert part in text
    again = [
        "report",
        str(here / "m.json"),
        "--pages",
        str(here / "again"),
        "--against",
        str(here / "m.json"),
    ]
    assert main(again) == 1
    assert "0 new, 0 added, 0 changed, 0 gone" in capsys.readouterr().out
    assert (here / "again" / page.name).exists()


def test_the_earlier_option_of_one_file_names_the_new_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["matrix", str(here / "mine.toml"), "--html", str(here / "m.html")]) == 2
    assert "use --pages FOLDER" in capsys.readouterr().err


def test_an_earlier_result_is_read_before_anything_is_judged(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "old.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["matrix", str(here / "mine.toml"), "--against", str(here / "old.json")])
    assert left.value.code == 2
    assert "not a report" in capsys.readouterr().err


def test_a_kept_finding_is_found_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = here / "kept"
    run = ["run", "--implementation", str(here / "mine.toml"), "--type", "XSUB", "--case", FORM]
    reports = [
        word for name in ("json", "html", "junit", "sarif") for word in (f"--{name}", str(here / name))
    ]
    assert main([*run, "--keep", str(kept), *reports]) == 1
    capsys.readouterr()
    assert main(["replay", str(kept / f"{FORM}.json")]) == 1
    assert "kept verdict: deviation, verdict now: deviation" in capsys.readouterr().out
    result = RunResult.from_json(json.loads((here / "json").read_text(encoding="utf-8")))
    assert (result.type, result.implementation, result.profile) == ("XSUB", "mine", "zmtp-sub")
    for name in ("html", "junit", "sarif"):
        assert FORM in (here / name).read_text(encoding="utf-8")


def test_a_folder_of_findings_is_replayed_whole(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matrix = ["matrix", str(here / "mine.toml"), "--case", FORM, "--keep", str(here / "kept")]
    assert main(matrix) == 1
    assert main(["replay", str(here / "kept")]) == 0
    assert "1 findings: 1 reproduced, 0 not reproduced" in capsys.readouterr().out
    (file,) = (here / "kept").rglob("*.json")
    file.write_text(file.read_text(encoding="utf-8").replace('"deviation"', '"fail"'), encoding="utf-8")
    assert main(["replay", str(here / "kept")]) == 1
    assert f"{file}: kept verdict: fail, verdict now: deviation" in capsys.readouterr().out
    file.unlink()
    assert main(["replay", str(here / "kept")]) == 2
    assert "does not contain a kept finding" in capsys.readouterr().err


def test_a_baseline_excuses_one_type(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "baselines/mine.toml").write_text(EXPECTED, encoding="utf-8")
    matrix = ["matrix", str(here / "mine.toml"), "--case", FORM, "--baselines", str(here / "baselines")]
    assert main(matrix) == 0
    assert "as-command-3-1 . d" in " ".join(capsys.readouterr().out.split())
    run = ["run", "--implementation", str(here / "mine.toml"), "--case", FORM, "--baseline"]
    assert main([*run, str(here / "baselines/mine.toml"), "--type", "XSUB"]) == 0
    other = EXPECTED.replace("XSUB", "SUB")
    (here / "baselines/mine.toml").write_text(other, encoding="utf-8")
    assert main(matrix) == 1
    assert "the baseline expects deviation, but the verdict is pass" in capsys.readouterr().out


def test_a_wrong_baseline_is_told_before_anything_is_judged(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "baselines/mine.toml").write_text(EXPECTED.replace("deviation", "warn"), encoding="utf-8")
    monkeypatch.setattr(command, "run_columns", lambda *_: pytest.fail("judged"))
    assert main(["matrix", str(here / "mine.toml"), "--baselines", str(here / "baselines")]) == 2
    assert "warn is not a finding" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["run", "--implementation", "mine.toml"],
            "--type is required, one of XPUB, SUB, XSUB, PROXY",
        ),
        (["run", "--implementation", "mine.toml", "--type", "PUB"], "is not judged as PUB"),
        (
            ["run", "--implementation", "broker.toml", "--type", "PUB"],
            'it needs kind = "adapter" or kind = "client"',
        ),
        (["run", "--implementation", "mine.toml", "--type", "SUB", "--case", "x"], "no case"),
        (["run", "--profile", "zmtp-pub", "tcp://127.0.0.1:1"], "judges implementations"),
        (["matrix", "broker.toml"], "no case"),
        (["matrix", "none.toml"], "cannot be read"),
        (["matrix", "mine.toml", "other/mine.toml"], "other/mine.toml: mine.toml has the same file name"),
        (["matrix", "mine.toml", "mine.toml"], "mine.toml: mine.toml has the same file name"),
    ],
)
def test_what_cannot_be_done_is_said(
    here: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(here)
    assert main(arguments) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "not a matrix"),
        ({}, "not a matrix"),
        ({"format": "other"}, "not a matrix"),
        ({"format": FORMAT}, "not a matrix.*: runs must be a list of tables"),
        ({"format": FORMAT, "runs": 3}, "not a matrix.*: runs must be a list of tables"),
        ({"format": FORMAT, "runs": [3]}, "not a matrix.*: runs must be a list of tables"),
        ({"format": FORMAT, "runs": [{}]}, "not a report"),
    ],
)
def test_an_invalid_document_is_not_a_matrix(document: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Matrix.from_json(document)


def test_nulls_of_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nulls", "--profile", "zmtp-proxy", "--timeout", "0.2"]) == 0
    assert "accept-everything        passes 0 negative and 0 positive cases of" in capsys.readouterr().out
