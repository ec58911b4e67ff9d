"""The fates of mutants, their selection, and kept results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import SOAK

from zeps_conformance.broker.process import BrokerDescription, BrokerProcess
from zeps_conformance.cli import main
from zeps_conformance.common.case import Needs
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.mutants.campaign import Baseline, Campaign, Fate, Judged, Kill, Settings, choose
from zeps_conformance.mutants.mutant import Mutant
from zeps_conformance.mutants.tally import score_of
from zeps_conformance.mutants.targets import ModelTarget
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.runs.runner import Plan

ZEPS1 = PROFILES["zeps1"]
TARGET = ModelTarget(None)
CASES = ZEPS1.cases(["opening.grants", "credit.counts-octets", "heartbeat.answered"])
EXITS_SOON = "import sys, time; print('ready', flush=True); time.sleep(0.2); sys.exit(3)"
SILENT_SERVER = (
    "import socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1])));"
    "print('ready', flush=True); time.sleep(600)"
)
SILENT = replace(
    TARGET.description(),
    command=(
        *("{python}", "-c"),
        SILENT_SERVER,
        "{port}",
    ),
)


def mutant(name: str, description: BrokerDescription, proof: str = "") -> Mutant:
    return Mutant(name, "machine", "x", "p", "b", "a", lambda folder: description, lambda: proof)


def of_model(mutant_id: str) -> Mutant:
    return next(m for family in TARGET.families for m in TARGET.mutants(family) if m.id == mutant_id)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return Campaign(
        ZEPS1,
        TARGET.model,
        CASES,
        Settings(timeout=2.0),
        tmp_path,
        {"machine": "fingerprint", "codec": "fingerprint"},
        "cases",
    )


BASELINE = Baseline({case.id: 0.1 for case in CASES})


def judged(name: str, fate: str, *kills: Kill) -> Judged:
    return Judged(name, "machine", "x", "p", "b", "a", fate, kills=list(kills))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "fate"),
    [
        (lambda: mutant("sound", TARGET.description()), Fate.SURVIVED),
        (lambda: mutant("proved", TARGET.description(), "a proof"), Fate.EQUIVALENT),
        (lambda: mutant("absent", replace(TARGET.description(), command=("false",))), Fate.STILLBORN),
        (
            lambda: mutant("exits", replace(TARGET.description(), command=("{python}", "-c", EXITS_SOON))),
            Fate.CRASHED,
        ),
        (lambda: of_model("machine:open/PING:drop-row"), Fate.KILLED),
        (lambda: of_model("codec:encode:DELIVER:extended"), Fate.KILLED),
    ],
    ids=["survived", "equivalent", "stillborn", "crashed", "killed", "killed by the codec"],
)
def test_a_mutant_has_its_fate(
    make: Callable[[], Mutant], fate: str, campaign: Campaign, tmp_path: Path
) -> None:
    result = campaign.judge(make(), BASELINE, tmp_path)
    assert result.fate == fate, result
    assert bool(result.kills) is (fate == Fate.KILLED)
    assert bool(result.reason) is (fate in (Fate.EQUIVALENT, Fate.STILLBORN, Fate.CRASHED))


@pytest.mark.slow
@pytest.mark.parametrize(("original", "fate"), [(SILENT, Fate.SURVIVED), (TARGET.description(), Fate.KILLED)])
def test_a_late_answer_kills_only_if_the_original_is_in_time(
    original: BrokerDescription, fate: str, campaign: Campaign, tmp_path: Path
) -> None:
    campaign.baseline("machine", original, BASELINE)
    result = campaign.judge(mutant("silent", SILENT), BASELINE, tmp_path)
    assert result.fate == fate, result
    assert result.reason.startswith("failed once: ") is (fate == Fate.SURVIVED)


@pytest.mark.slow
def test_a_mutant_that_does_not_start_again_survives(campaign: Campaign, tmp_path: Path) -> None:
    """The failure to start may have another cause, and no case has failed twice."""
    failing = of_model("machine:open/PING:drop-row").install(tmp_path)
    once = f'mkdir "{tmp_path}/started" || exit 1; exec "$0" "$@"'
    description = replace(failing, command=("sh", "-c", once, *failing.command))
    result = campaign.judge(mutant("once", description), BASELINE, tmp_path)
    assert (result.fate, result.kills) == (Fate.SURVIVED, [])
    assert "a later start" in result.reason


@pytest.mark.slow
def test_the_model_broker_passes_what_does_not_wait(campaign: Campaign) -> None:
    """All cases in `make soak`, every eighth in `make test`."""
    cases = [case for case in ZEPS1.cases() if case.needs is not Needs.TIME][:: 1 if SOAK else 8]
    with BrokerProcess(TARGET.description()) as process:
        results = campaign.run_cases(process, cases, Plan(8, 1), 20.0)
    assert [(r.id, r.seen) for r in results if r.verdict not in (Verdict.PASS, Verdict.OBSERVED)] == []


def test_results_are_kept_and_survivors_are_judged_again_with_other_cases(tmp_path: Path) -> None:
    def made(cases_digest: str, fingerprint: str = "f") -> Campaign:
        return Campaign(
            ZEPS1, TARGET.model, CASES, Settings(), tmp_path, {"machine": fingerprint}, cases_digest
        )

    first = made("before")
    sound = mutant("m", TARGET.description())
    first._keep(judged("killed", Fate.KILLED, Kill(CASES[0].id, "R", "")), sound)
    first._keep(judged("survived", Fate.SURVIVED), sound)
    first._keep(judged("other", Fate.KILLED, Kill("zeps1.no.longer", "R", "")), sound)
    assert set(made("before").known) == {"killed", "survived"}
    assert set(made("after").known) == {"killed"}
    assert made("before", "g").known == {}


@pytest.mark.parametrize(
    "line", ["null", "3", "{}", '{"id": "m"', '{"fingerprint": "f", "cases": "c", "kills": 3}']
)
def test_kept_results_of_another_form_are_computed_again(tmp_path: Path, line: str) -> None:
    (tmp_path / "results.jsonl").write_text(f"{line}\n")
    (tmp_path / "baseline-machine.json").write_text(line)
    made = Campaign(ZEPS1, TARGET.model, CASES, Settings(), tmp_path, {"machine": "f"}, "c")
    assert made.known == {}
    assert not made.has_baseline("machine")


def test_a_selection_is_seeded_even_and_only_grows() -> None:
    families = {
        name: [mutant(f"{name}{n}", TARGET.description()) for n in range(size)]
        for name, size in (("a", 9), ("b", 3))
    }
    names = [m.id for m in choose(families, 1, None)]
    assert sorted(names) == sorted(m.id for mutants in families.values() for m in mutants)
    assert [m.id for m in choose(families, 1, 4)] == names[:4]
    assert {name[0] for name in names[:2]} == {"a", "b"}
    assert [m.id for m in choose(families, 2, None)] != names


def test_only_killed_and_surviving_mutants_count() -> None:
    fates = [
        Fate.KILLED,
        Fate.KILLED,
        Fate.KILLED,
        Fate.SURVIVED,
        Fate.STILLBORN,
        Fate.CRASHED,
        Fate.EQUIVALENT,
    ]
    assert score_of(judged(fate, fate) for fate in fates) == 0.75
    assert score_of([]) == 1.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--source", "src"], "must be given together"),
        (["--family", "source"], "must be given together"),
        (["--skip", "falls"], "requires --source"),
        (["--observer", "matching.py"], "requires --source"),
        (["@absent.args"], "absent.args"),
        (["--time", "soon"], "is not a time"),
        (["--bar", "2"], "--bar"),
    ],
)
def test_usage_errors(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["mutants", *arguments])
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == 2
    assert text in capsys.readouterr().err


def test_a_source_without_python_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = tmp_path / "broker.toml"
    start.write_text('command = ["true"]')
    assert main(["mutants", "--source", str(tmp_path), "--start", str(start)]) == 2
    assert "no Python file" in capsys.readouterr().err


def test_kept_lines_are_json(campaign: Campaign, tmp_path: Path) -> None:
    campaign._keep(judged("m", Fate.SURVIVED), mutant("m", TARGET.description()))
    (line,) = (tmp_path / "results.jsonl").read_text().splitlines()
    assert json.loads(line)["fate"] == "survived"
