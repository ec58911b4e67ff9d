"""``zeps-conform durability``: the reference broker keeps its promises, planted faults are found, usage errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import SEED, SOAK, sized

from zeps_conformance.cli import main
from zeps_conformance.durability.campaign import FaultResult, Plan, _Round, profile
from zeps_conformance.durability.description import FAULTS, load_system
from zeps_conformance.durability.history import Counts

ROOT = Path(__file__).parents[3]
ZEPS = ROOT / "conformance" / "durability" / "zeps.toml"
PLANTED = ROOT / "tests" / "conformance" / "helpers" / "unsynced_broker.toml"
JUDGED = (
    [(mode, fault) for mode in ("always", "interval", "os") for fault in FAULTS]
    if SOAK
    else [("always", "torn")]
)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "fault"), JUDGED)
def test_the_reference_broker_keeps_its_promises(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, fault: str
) -> None:
    report = tmp_path / "report.json"
    arguments = ["durability", "--start", str(ZEPS), "--mode", mode, "--fault", fault, "--json", str(report)]
    size = ["--rounds", str(sized(2, 20)), "--faults-per-round", str(sized(1, 3)), "--time", "0.5"]
    assert main([*arguments, *size, "--seed", str(SEED)]) == 0, capsys.readouterr().out
    (result,) = json.loads(report.read_text())["results"]
    (measured,) = result["faults"]
    assert measured["counts"]["confirmed"] > 0
    assert measured["breaches"] == []
    capsys.readouterr()
    assert main(["durability", "--table", str(report)]) == 0
    assert f"### {fault}" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "fault"), [("data", "power-cut"), ("folders", "lost-entries")])
def test_a_broker_that_does_not_sync_is_found(
    capsys: pytest.CaptureFixture[str], mode: str, fault: str
) -> None:
    arguments = ["durability", "--start", str(PLANTED), "--mode", mode, "--fault", fault, "--time", "0.2"]
    assert main([*arguments, "--rounds", "1", "--faults-per-round", "1"]) == 1
    assert f"broken promise: planted, {mode}, {fault}: " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("freeze_at", [2, 3])
def test_a_start_that_is_killed_before_its_folder_is_durable_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, freeze_at: int
) -> None:
    """The data folder exists then, but its name is not synced yet, if this is the call after the one that made it."""

    def interrupt(one_round: _Round) -> None:
        one_round._fs.mount(freeze_at)
        with one_round._unless_frozen():
            one_round._broker.start()
        assert one_round._fs.frozen.is_set()
        one_round._fs.unmount()

    under_load = _Round._under_load
    monkeypatch.setattr(_Round, "_interrupt_start", lambda _: None)
    monkeypatch.setattr(
        _Round, "_under_load", lambda one_round: (interrupt(one_round), under_load(one_round))
    )
    system = load_system(ZEPS)
    plan = Plan(rounds=1, seconds=0.2, repeats=1)
    result = profile(system, system.modes[0], "lost-entries", plan, lambda *_: None)
    assert result.counts.confirmed > 0
    assert result.breaches == []


@pytest.mark.parametrize(
    ("promise", "counts", "breaches"),
    [
        ("kept", Counts(confirmed=9), []),
        ("kept", Counts(confirmed=9, lost=1, announced=2), ["3 confirmed and lost"]),
        ("announced", Counts(confirmed=9, announced=2), []),
        ("announced", Counts(confirmed=9, lost=1), ["1 confirmed and lost"]),
        ("recent", Counts(confirmed=9, lost=5), []),
        ("recent", Counts(confirmed=9, lost=5, early=1), ["1 confirmed and lost"]),
        ("nothing", Counts(confirmed=9, lost=9, corrupted=1, unavailable=1), []),
        ("kept", Counts(confirmed=9, corrupted=1, duplicated=2), ["2 duplicated", "1 corrupted"]),
        ("kept", Counts(), ["no message was confirmed, so nothing is proved"]),
    ],
)
def test_what_exceeds_a_promise(promise: str, counts: Counts, breaches: list[str]) -> None:
    assert FaultResult("kill", promise, counts=counts).breaches == breaches


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of the arguments --start --all --table is required"),
        (["--start", str(ZEPS), "--fault", "rain"], "unknown fault rain; known: power-cut, torn"),
        (["--start", str(ZEPS), "--mode", "never"], "unknown mode never; known: always, interval, os"),
        (["--start", "missing.toml"], "missing.toml: cannot be read"),
        (["--all", "--systems", "missing"], "missing: contains no description"),
        (["--table", str(ZEPS)], "not JSON"),
    ],
)
def test_usage_errors(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    try:
        code = main(["durability", *arguments])
    except SystemExit as error:
        code = int(error.code or 0)
    assert code == 2
    assert message in capsys.readouterr().err


MINIMAL = """
command = ["x"]
adapter = ["a"]
version = ["surely-missing-program"]
install = "apt-get install x"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL, "modes must be a table"),
        (MINIMAL + "[modes]", "must have at least one mode"),
        (MINIMAL + '[modes.a]\npromises = { rain = "kept" }', "unknown keys: rain"),
        (MINIMAL + '[modes.a]\npromises = { kill = "perhaps" }', "unknown promise perhaps"),
        (MINIMAL + '[modes.a]\npromises = { kill = "recent" }', "requires recent_seconds"),
        (MINIMAL + "[modes.a]", "surely-missing-program not found; install it: apt-get install x"),
    ],
)
def test_errors_of_a_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "system.toml"
    path.write_text(text)
    assert main(["durability", "--start", str(path)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "3",
        "{}",
        '{"format": "zeps-conform-durability-1"}',
        '{"format": "zeps-conform-durability-1", "results": [3]}',
        '{"format": "zeps-conform-durability-1", "results": [{"faults": [{}]}]}',
        '{"format": "zeps-conform-durability-1", "results": [{"faults": [{"fault": "kill", "counts": {}}]}]}',
    ],
)
def test_a_table_of_another_document(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    assert main(["durability", "--table", str(path)]) == 2
    assert f"error: {path}: not a result of zeps-conform durability" in capsys.readouterr().err


def test_a_program_that_does_not_print_its_version_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("zeps_conformance.durability.description.VERSION_SECONDS", 0.1)
    path = tmp_path / "system.toml"
    path.write_text(MINIMAL.replace('"surely-missing-program"', '"sleep", "60"') + "[modes.a]")
    assert main(["durability", "--start", str(path)]) == 2
    assert "sleep does not print its version" in capsys.readouterr().err


def test_all_descriptions_load() -> None:
    systems = [load_system(path) for path in sorted(ZEPS.parent.glob("*.toml"))]
    assert {system.name for system in systems} >= {
        "zeps broker",
        "NATS JetStream",
        "Redis Streams",
        "RabbitMQ",
    }
    assert all({"safest", "always"} & {mode.name for mode in system.modes} for system in systems)
    redis = next(system for system in systems if system.name == "Redis Streams")
    assert [redis.year(version) for version in ("7.0.15", "7.0.2", "99.1")] == ["2024", "2022", "unknown"]


def test_the_page_has_the_tables_of_the_results() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "durability-tables", "--check"], check=False)
    assert done.returncode == 0, "run tools/durability-tables"
