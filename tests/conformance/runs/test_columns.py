"""Many cases of many implementations: their assignment to adapters, and the confirmation of findings."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from implementations import LIBZMQ, attempt, bad, column, made
from zeps_conformance.common.baseline import Expected, expected_verdict
from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import KEEPS_RUNNING, Verdict
from zeps_conformance.runs.columns import Effort, columns_of, confirm, doubted, profile_of, run_columns
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.pubsub import PubSubTrial

PATIENT = Settings(timeout=10.0)

PASS, FAIL, DEVIATION = Verdict.PASS, Verdict.FAIL, Verdict.DEVIATION
LOST, UNSUPPORTED = Verdict.INCONCLUSIVE, Verdict.UNSUPPORTED


def passes(t: PubSubTrial) -> None:
    t.app.send(b"fine")


def fails(t: PubSubTrial) -> None:
    t.check(False, "this", "that")


def sends_fatal(t: PubSubTrial) -> None:
    t.app.send(b"fatal")


def numbered(case: Case, count: int) -> list[Case]:
    return [replace(case, id=f"{case.id}-{number}") for number in range(count)]


@pytest.fixture(scope="module")
def result() -> CaseResult:
    with Adapter(LIBZMQ) as adapter:
        return attempt(made(passes), adapter)


@pytest.mark.parametrize(
    ("attempts", "verdict", "tried"),
    [
        ([PASS], PASS, 1),
        ([FAIL, FAIL], FAIL, 2),
        ([DEVIATION, DEVIATION], DEVIATION, 2),
        ([FAIL, PASS, PASS], Verdict.FLAKY, 3),
        ([FAIL, PASS, FAIL], Verdict.FLAKY, 3),
        ([FAIL, UNSUPPORTED, UNSUPPORTED], Verdict.FLAKY, 3),
        ([FAIL, DEVIATION, DEVIATION], DEVIATION, 3),
        ([FAIL, DEVIATION, FAIL], Verdict.FLAKY, 3),
        ([LOST, PASS, PASS], PASS, 3),
        ([LOST, PASS, FAIL], Verdict.FLAKY, 3),
        ([LOST, FAIL, FAIL], FAIL, 3),
        ([FAIL, LOST, FAIL], FAIL, 3),
        ([LOST, LOST, LOST], LOST, 3),
    ],
)
def test_a_finding_counts_if_it_is_found_again(
    result: CaseResult, attempts: list[Verdict], verdict: Verdict, tried: int
) -> None:
    left = [replace(result, verdict=attempted, attempts=[attempted]) for attempted in attempts]
    first = left.pop(0)
    settled = confirm(first, lambda: left.pop(0), 2)
    assert settled.verdict is verdict
    assert settled.attempts == attempts[:tried]
    assert left == []


@pytest.mark.parametrize(
    ("attempts", "verdict"),
    [
        ([FAIL, FAIL], FAIL),
        ([PASS, PASS], PASS),
        ([PASS, FAIL, FAIL], FAIL),
        ([PASS, FAIL, PASS], Verdict.FLAKY),
    ],
)
def test_a_finding_that_is_expected_is_missing_only_if_it_is_missing_again(
    result: CaseResult, attempts: list[Verdict], verdict: Verdict
) -> None:
    left = [replace(result, verdict=attempted, attempts=[attempted]) for attempted in attempts]
    settled = confirm(left.pop(0), lambda: left.pop(0), 2, expects=FAIL)
    assert settled.verdict is verdict
    assert settled.attempts == attempts
    assert left == []


@pytest.mark.parametrize(
    ("attempts", "late", "verdict"),
    [
        ([FAIL, PASS, PASS], {0}, PASS),
        ([FAIL, PASS, PASS], {1, 2}, Verdict.FLAKY),
        ([FAIL, FAIL], {0, 1}, FAIL),
        ([FAIL, PASS, FAIL], {0, 2}, LOST),
        ([PASS], {0}, PASS),
    ],
)
def test_a_finding_while_the_suite_was_late_counts_if_it_is_repeated(
    result: CaseResult, attempts: list[Verdict], late: set[int], verdict: Verdict
) -> None:
    left = [replace(result, verdict=attempted, attempts=[attempted]) for attempted in attempts]
    delays = {id(attempt): 0.4 * (index in late) for index, attempt in enumerate(left)}
    kept, first = list(left), left.pop(0)
    settled = confirm(first, lambda: left.pop(0), 2, delay_of=lambda attempt: delays[id(attempt)])
    assert settled.verdict is verdict
    assert (len(kept), left) == (len(attempts), [])


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


def test_without_repetitions_the_first_attempt_counts(result: CaseResult) -> None:
    failed = replace(result, verdict=FAIL, attempts=[FAIL])
    assert confirm(failed, lambda: result, 0).verdict is FAIL


@pytest.mark.parametrize(
    ("verdict", "expected", "delay", "doubtful"),
    [
        (FAIL, "an answer", 0.4, True),
        (FAIL, "an answer", 0.0, False),
        (PASS, "", 0.4, False),
        (FAIL, KEEPS_RUNNING, 0.4, False),
    ],
)
def test_a_finding_while_the_suite_was_late_is_inconclusive(
    result: CaseResult, verdict: Verdict, expected: str, delay: float, doubtful: bool
) -> None:
    before = replace(result, verdict=verdict, expected=expected, seen="nothing")
    after = doubted(before, delay)
    if doubtful:
        assert (after.verdict, after.reason) == (
            Verdict.INCONCLUSIVE,
            "the suite itself was late by 0.40 s; expected an answer; seen nothing",
        )
    else:
        assert after == before


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
