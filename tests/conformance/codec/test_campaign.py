"""The campaign: planted faults of every kind must be found, minimised, and reproduced."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from zeps_conformance.cli import main
from zeps_conformance.codec.driver_protocol import (
    Arrive,
    Call,
    Decode,
    Encode,
    Example,
    Put,
    Trace,
)
from zeps_conformance.codec.report import FINDING_FORMAT

pytestmark = pytest.mark.slow  # starts processes

ROOT = Path(__file__).parents[3]
FAULTY = Path(__file__).parents[1] / "helpers" / "faulty_driver.py"
GOOD = shlex.join([sys.executable, str(ROOT / "conformance" / "drivers" / "python" / "driver.py")])


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws few examples ahead, because most faults show early, and restarts drivers seldom to minimise examples."""
    for name, value in (("BATCH", 64), ("RESTARTS_MAX", 8), ("HANGS_MAX", 2)):
        monkeypatch.setattr(f"zeps_conformance.codec.campaign.{name}", value)


#: Faults that are looked for with the good driver beside the faulty one: of decoding, encoding, a trace, a process.
WITH_GOOD = ("no controls", "encoded other", "other state", "dies")


def faulty(fault: str) -> str:
    return shlex.join([sys.executable, str(FAULTY), fault])


def codec(tmp_path: Path, *options: str) -> int:
    shared = ("--protocol", "zeps", "--model", str(ROOT / "generated" / "model.json"))
    return main(["codec", *shared, "--work-dir", str(tmp_path), *options])


def finding(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "finding-0.json").read_text(encoding="utf-8"))


def test_the_good_driver_is_found_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "result.json"
    assert codec(tmp_path, "--driver", GOOD, "--examples", "2000", "--seed", "7", "--json", str(report)) == 0
    assert "no difference" in capsys.readouterr().out
    result = json.loads(report.read_text(encoding="utf-8"))
    assert (result["examples"], result["finding"], result["advice"]) == (2000, None, {})
    assert all(count > 0 for count in result["drawn"].values())


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("no controls", "accepted or not"),
        ("other code", "error"),
        ("lost bit", "values"),
        ("other message", "message"),
        ("encoded shorter", "re-encoded bytes"),
        ("encoded other", "encoded bytes"),
        ("other state", "state"),
        ("actions reversed", "actions"),
        ("accepted anyway", "outcome"),
        ("no guard", "outcome"),
        ("terminated", "terminated"),
        ("one variable less", "variables"),
        ("cannot say", "no answer"),
        ("garbled", "an unreadable answer"),
        ("dies", "the driver ends"),
    ],
)
def test_a_planted_fault_is_found(
    fault: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = [*(["--driver", GOOD] if fault in WITH_GOOD else []), "--driver", faulty(fault)]
    assert codec(tmp_path, *target, "--examples", "4000") == 1
    document = finding(tmp_path)
    assert (document["driver"], document["kind"]) == (fault, kind)
    out = capsys.readouterr().out
    assert f"DIFFERENCE: {fault}: {kind}" in out
    assert len(bytes.fromhex(document["request"])) < 450
    replayed = codec(tmp_path, *target, "--replay", str(tmp_path / "finding-0.json"))
    assert replayed == 1
    assert kind in capsys.readouterr().out


def test_small_means_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One control character, in a message without other content."""
    assert codec(tmp_path, "--driver", faulty("no controls"), "--examples", "3000") == 1
    assert len(bytes.fromhex(finding(tmp_path)["request"])) < 60
    assert "the suite: " in capsys.readouterr().out


def test_a_driver_that_hangs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--driver", faulty("hangs"), "--examples", "600", "--timeout", "2")
    assert codec(tmp_path, *options) == 1
    assert finding(tmp_path)["kind"] == "the driver hangs"
    assert "no answer for 2 s" in capsys.readouterr().out


def test_what_a_dying_driver_said_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codec(tmp_path, "--driver", faulty("dies"), "--examples", "2000") == 1
    out = capsys.readouterr().out
    assert "killed by signal 6: it hurts" in out


def test_a_driver_that_ends_badly(tmp_path: Path) -> None:
    assert codec(tmp_path, "--driver", faulty("ends badly"), "--examples", "300") == 1
    assert (finding(tmp_path)["kind"], finding(tmp_path)["request"]) == ("the end of the input", None)


def test_another_place_is_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codec(tmp_path, "--driver", faulty("other field"), "--examples", "1000") == 0
    assert "advice: other field names another location in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "select drivers"),
        (["--driver", ""], "empty"),
        (["--driver", "no-such-program-anywhere"], "No such file"),
        (["--driver", "true"], "invalid answer to the information request: exit status 0"),
        (["--driver", faulty("knows little")], "does not support zeps_client, zeps_server"),
        (["--driver", GOOD, "--protocol", "nothing"], "unknown protocol nothing"),
        (["--driver", GOOD, "--language", "go"], "--language requires --all"),
        (["--driver", GOOD, "--replay", "/no/such/file"], "cannot be read"),
        (["--all", "--drivers", "/no/such/folder"], "is not a folder"),
    ],
)
def test_what_is_wrong_with_the_command_line_is_said(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert codec(tmp_path, *options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (Decode("journal", (b"",)), "the finding is of protocol journal; selected protocols: zeps"),
        (Encode("zmtp", "PING", ()), "the finding is of protocol zmtp; selected protocols: zeps"),
        (Encode("zeps", "NONE", ()), "the finding is of protocol zeps and its unknown message NONE"),
        (
            Trace("zmtp_publisher", ()),
            "is of machine zmtp_publisher of protocol zmtp; selected protocols: zeps",
        ),
        (Trace("none", ()), "is of machine none of protocol unknown; selected protocols: zeps"),
    ],
)
def test_a_finding_of_another_protocol_is_a_usage_error(
    example: Example, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "finding.json"
    kept.write_text(
        json.dumps({"format": FINDING_FORMAT, "request": example.request().hex()}), encoding="utf-8"
    )
    assert codec(tmp_path, "--driver", GOOD, "--replay", str(kept)) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "example",
    [
        Decode("zeps", (), True),
        Encode("zeps", "CREDIT", ()),
        Encode("zeps", "CREDIT", (("s", b"x"),)),
        Encode("zeps", "ATTACH", (("l", (("u", 1),)),)),
        Trace("zeps_server", (Put("credit", ("s", b"x")),)),
        Trace("zeps_server", (Call("expired", (("u", 1),)),)),
        Trace("zeps_server", (Arrive((), True),)),
    ],
)
def test_a_request_that_does_not_fit_the_model_is_not_a_finding(
    example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "finding.json"
    kept.write_text(
        json.dumps({"format": FINDING_FORMAT, "request": example.request().hex()}), encoding="utf-8"
    )
    assert codec(tmp_path, "--driver", "true", "--replay", str(kept)) == 2
    assert f"{kept}: not a finding: its request does not fit the model" in capsys.readouterr().err


def recipe(folder: Path, language: str, text: str) -> None:
    (folder / language).mkdir(parents=True)
    (folder / language / "driver.toml").write_text(f'language = "{language}"\n{text}', encoding="utf-8")


def test_all_drivers_are_built_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("one", "two"):
        driver = shlex.split(GOOD)[1]
        recipe(
            tmp_path / "drivers",
            language,
            'build = [["cp", "recipe", "{out}/made"]]\n'
            f'command = ["{{python}}", "{driver}"]\nrequires = [["true"]]\n',
        )
        (tmp_path / "packages" / language).mkdir(parents=True)
        (tmp_path / "packages" / language / "recipe").write_text("")
    folders = ("--drivers", str(tmp_path / "drivers"), "--packages", str(tmp_path / "packages"))
    assert codec(tmp_path, "--all", *folders, "--examples", "300") == 0
    captured = capsys.readouterr()
    assert "one, two: 300 examples" in captured.out
    assert "building one (1 of 2)" in captured.err
    assert (tmp_path / "two" / "made").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('command = ["x"]\nrequires = [["no-such-tool-here"]]', "no-such-tool-here is required"),
        ('command = ["x"]\nrequires = [["false"]]', "false failed"),
        ('command = ["x"]\nbuild = [["sh", "-c", "echo too bad; exit 1"]]', "too bad"),
        ("command = []", "command (a list of strings) are required"),
        ('command = ["x"]\nbuild = "make"', "build and requires must be lists"),
        ('command = ["x"]\nbiuld = []', "unknown keys: biuld"),
        ("command = [", "driver.toml"),
    ],
)
def test_a_recipe_that_fails_says_why(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe(tmp_path / "drivers", "one", text)
    (tmp_path / "generated" / "one").mkdir(parents=True)
    folders = ("--drivers", str(tmp_path / "drivers"), "--packages", str(tmp_path / "generated"))
    assert codec(tmp_path, "--all", *folders) == 2
    assert said in capsys.readouterr().err


def test_a_request_that_is_too_large_ends_the_driver() -> None:
    announced = (1 << 27).to_bytes(4, "big")
    done = subprocess.run(shlex.split(GOOD), input=announced, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
