"""Many cases of many implementations: their assignment to adapters, and the confirmation of findings."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from implementations import LIBZMQ, bad, column, made
from zeps_conformance.common.baseline import Expected, expected_verdict
from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.columns import Effort, columns_of, profile_of, run_columns
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.pubsub import PubSubTrial

PATIENT = Settings(timeout=10.0)

PASS, FAIL = Verdict.PASS, Verdict.FAIL


def passes(t: PubSubTrial) -> None:
    t.app.send(b"fine")


def fails(t: PubSubTrial) -> None:
    t.check(False, "this", "that")


def sends_fatal(t: PubSubTrial) -> None:
    t.app.send(b"fatal")


def numbered(case: Case, count: int) -> list[Case]:
    return [replace(case, id=f"{case.id}-{number}") for number in range(count)]


def test_what_a_baseline_expects_is_looked_for_again() -> None:
    case = made(passes)
    entry = Expected(case.id, FAIL, "a race", datetime.date.max, ("PUB",))
    (run,) = run_columns(
        [column(LIBZMQ, [case])],
        PATIENT,
        Effort(jobs=1),
        baselines={column(LIBZMQ, [case]).implementation.id: [entry]},
    )
    assert run.cases[0].attempts == [PASS, PASS]
    assert expected_verdict([entry], case.id, "XPUB") is None


def test_columns_side_by_side() -> None:
    columns = [
        column(LIBZMQ, numbered(made(passes), 5)),
        column(LIBZMQ, [*numbered(made(passes), 5), made(fails)], "XPUB"),
        column(bad("no trouble"), [made(fails)]),
    ]
    seen: list[tuple[str, str]] = []
    runs = run_columns(
        columns, PATIENT, Effort(jobs=3), lambda judged, case: seen.append((judged.type, case.id))
    )
    assert [(run.implementation, run.type, len(run.cases)) for run in runs] == [
        ("libzmq", "PUB", 5),
        ("libzmq", "XPUB", 6),
        ("no trouble", "PUB", 1),
    ]
    assert len(seen) == 12
    assert [run.counts()[FAIL] for run in runs] == [0, 1, 1]
    assert runs[1].cases[-1].attempts == [FAIL, FAIL]
    assert [case.id for case in runs[0].cases] == [case.id for case in columns[0].cases]
    assert runs[0].version.startswith("libzmq 4.")


def test_a_crash_ends_one_case_and_the_next_gets_a_fresh_process() -> None:
    cases = [*numbered(made(passes), 3), made(sends_fatal), *numbered(made(passes), 6)[3:]]
    (run,) = run_columns([column(bad("crashes"), cases)], PATIENT, Effort(jobs=1))
    assert [case.verdict for case in run.cases] == [PASS] * 3 + [FAIL] + [PASS] * 3
    assert run.cases[3].attempts == [FAIL, FAIL]


def test_a_crash_that_does_not_come_again_is_flaky(tmp_path: Path) -> None:
    once = bad("crashes once", environment={"ONCE": str(tmp_path / "once")})
    (run,) = run_columns([column(once, [made(sends_fatal)])], PATIENT, Effort(jobs=1))
    assert run.cases[0].verdict is Verdict.FLAKY
    assert run.cases[0].attempts == [FAIL, PASS, PASS]
    assert "signal 6" in run.cases[0].seen


def test_with_one_repetition_what_does_not_come_again_is_flaky(tmp_path: Path) -> None:
    once = bad("crashes once", environment={"ONCE": str(tmp_path / "once")})
    (run,) = run_columns([column(once, [made(sends_fatal)])], PATIENT, Effort(jobs=1, retries=1))
    assert run.cases[0].verdict is Verdict.FLAKY
    assert run.cases[0].attempts == [FAIL, PASS]
    assert "signal 6" in run.cases[0].seen


def test_an_implementation_that_does_not_start_ends_the_run() -> None:
    with pytest.raises(OSError, match="no library here"):
        run_columns([column(bad("dies at once"), [made(passes)])], PATIENT, Effort(jobs=1))


def test_a_rule_that_the_model_lacks_ends_the_run() -> None:
    with pytest.raises(KeyError, match="ZMTP-Z-1"):
        run_columns([column(LIBZMQ, numbered(made(passes, "ZMTP-Z-1"), 3))], PATIENT, Effort(jobs=2))


def test_profiles_follow_from_types() -> None:
    assert profile_of("XPUB").name == "zmtp-pub"
    assert profile_of("SUB").name == "zmtp-sub"
    assert profile_of("PROXY").name == "zmtp-proxy"
    with pytest.raises(ValueError, match="no profile judges 'REP'"):
        profile_of("REP")


def test_columns_of_an_implementation() -> None:
    columns = columns_of(LIBZMQ)
    assert [judged.type for judged in columns] == ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]
    for judged in columns:
        assert all(not case.types or judged.type in case.types for case in judged.cases)
        assert {case.profile for case in judged.cases} == {judged.profile.name}
    assert [judged.type for judged in columns_of(LIBZMQ, patterns=["zmtp-proxy.data.*"])] == ["PROXY"]
    with pytest.raises(ValueError, match="is not judged as REP"):
        columns_of(LIBZMQ, ["REP"])
