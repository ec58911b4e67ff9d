"""Which verdict a case gets from several attempts at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from zeps_conformance.common.pace import Timed
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import KEEPS_RUNNING, Verdict
from zeps_conformance.runs.settling import doubted, settle

PASS, FAIL, DEVIATION = Verdict.PASS, Verdict.FAIL, Verdict.DEVIATION
LOST, UNSUPPORTED = Verdict.INCONCLUSIVE, Verdict.UNSUPPORTED


def attempt(verdict: Verdict, delay: float = 0.0, expected: str = "an answer") -> Timed[CaseResult]:
    return Timed(
        CaseResult(
            "a.case", "A case", "a", "positive", "nothing", [], "MUST", verdict, 1.0,
            expected=expected, seen="nothing", attempts=[verdict],
        ),
        delay,
    )  # fmt: skip


def settled(
    attempts: Sequence[Timed[CaseResult]], retries: int = 2, expects: Verdict | None = None
) -> CaseResult:
    """Settles a case with these attempts, each of which must be made."""
    left = list(attempts)
    again: Callable[[], Timed[CaseResult]] = lambda: left.pop(0)  # noqa: E731
    result = settle(again(), again, retries, expects)
    assert left == []
    return result


@pytest.mark.parametrize(
    ("attempts", "verdict"),
    [
        ([PASS], PASS),
        ([FAIL, FAIL], FAIL),
        ([DEVIATION, DEVIATION], DEVIATION),
        ([FAIL, PASS, PASS], Verdict.FLAKY),
        ([FAIL, PASS, FAIL], Verdict.FLAKY),
        ([FAIL, UNSUPPORTED, UNSUPPORTED], Verdict.FLAKY),
        ([FAIL, DEVIATION, DEVIATION], DEVIATION),
        ([FAIL, DEVIATION, FAIL], Verdict.FLAKY),
        ([LOST, PASS, PASS], PASS),
        ([LOST, PASS, FAIL], Verdict.FLAKY),
        ([LOST, FAIL, FAIL], FAIL),
        ([FAIL, LOST, FAIL], FAIL),
        ([LOST, LOST, LOST], LOST),
    ],
)
def test_a_finding_counts_if_it_is_found_again(attempts: list[Verdict], verdict: Verdict) -> None:
    result = settled([attempt(each) for each in attempts])
    assert result.verdict is verdict
    assert result.attempts == attempts


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
    attempts: list[Verdict], verdict: Verdict
) -> None:
    result = settled([attempt(each) for each in attempts], expects=FAIL)
    assert result.verdict is verdict
    assert result.attempts == attempts


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
    attempts: list[Verdict], late: set[int], verdict: Verdict
) -> None:
    result = settled([attempt(each, 0.4 * (index in late)) for index, each in enumerate(attempts)])
    assert result.verdict is verdict


@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_without_repetitions_the_first_attempt_counts(delay: float) -> None:
    assert settled([attempt(FAIL, delay)], retries=0).verdict is FAIL


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
    verdict: Verdict, expected: str, delay: float, doubtful: bool
) -> None:
    timed = attempt(verdict, delay, expected)
    after = doubted(timed)
    if doubtful:
        assert (after.verdict, after.reason) == (
            Verdict.INCONCLUSIVE,
            "the suite itself was late by 0.40 s; expected an answer; seen nothing",
        )
    else:
        assert after == timed.result
