"""Verdicts of failures, and cases that another case blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.judging import blame, block, judge, judge_rules
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import (
    Category,
    CrashedError,
    DeviationError,
    FailureError,
    RefereeError,
    RobustnessError,
    UnservedError,
    Verdict,
)
from zeps_conformance.runs.profiles import PROFILES

BOOK = PROFILES["zmtp-pub"].rulebook()
MUST, SHOULD, MAY, OPEN = "ZMTP-S-8", "ZMTP-P-6", "ZMTP-X-1", "ZMTP-S-14"


def case_of(*rules: str, name: str = "subject") -> Case:
    return Case(f"zmtp-pub.test.{name}", "A case", rules, Polarity.POSITIVE, Needs.NOTHING, print)


def result_of(failure: Exception | None, *rules: str, name: str = "subject") -> CaseResult:
    case = case_of(*rules, name=name)

    def act() -> None:
        if failure is not None:
            raise failure

    return judge(case, BOOK, Narration(case, 0), act, lambda line: "")


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [(MUST, Verdict.FAIL), (SHOULD, Verdict.WARN), (MAY, Verdict.OBSERVED), (OPEN, Verdict.OBSERVED)],
)
def test_the_grade_is_that_of_the_violated_rule(rule: str, verdict: Verdict) -> None:
    assert blame(case_of(MUST), BOOK, FailureError("this", "that", rule)) is verdict
    assert blame(case_of(rule, MUST), BOOK, FailureError("this", "that")) is verdict
    assert blame(case_of(MUST), BOOK, UnservedError("this", "that", rule)) is verdict


def test_a_deviation_is_one_only_under_a_must() -> None:
    assert blame(case_of(MUST), BOOK, DeviationError("this", "that")) is Verdict.DEVIATION
    assert blame(case_of(SHOULD), BOOK, DeviationError("this", "that")) is Verdict.WARN


@pytest.mark.parametrize("kind", [UnservedError, RobustnessError, CrashedError])
def test_failures_of_robustness_violate_no_rule(kind: type[UnservedError]) -> None:
    result = result_of(kind("this", "that"), MAY)
    assert (result.verdict, result.category, result.rule) == (Verdict.FAIL, Category.ROBUSTNESS, "")
    (row,) = [row for row in judge_rules(BOOK, [result]) if row.id == MAY]
    assert (row.verdict, row.cases) == (None, [result.id])


def test_a_failure_under_the_rule_of_another_case_is_blocked_by_it() -> None:
    owner = result_of(FailureError("this", "that", MUST), MUST, name="owner")
    other = result_of(FailureError("this", "that", MUST), SHOULD, name="other")
    passing = result_of(None, SHOULD, name="passing")
    block([other, owner, passing])
    assert (owner.verdict, owner.blocked_by) == (Verdict.FAIL, "")
    assert (other.verdict, other.blocked_by) == (Verdict.BLOCKED, "zmtp-pub.test.owner")
    assert (passing.verdict, passing.blocked_by) == (Verdict.PASS, "")
    verdicts = {row.id: row.verdict for row in judge_rules(BOOK, [other, owner])}
    assert (verdicts[MUST], verdicts[SHOULD]) == (Verdict.FAIL, Verdict.BLOCKED)


def test_what_only_the_referee_saw_stays_with_the_case_that_lists_the_rule() -> None:
    owner = result_of(FailureError("this", "that", MUST), MUST, name="owner")
    other = result_of(RefereeError("this", "that", MUST), SHOULD, name="other")
    open_ = result_of(RefereeError("this", "that", MUST), OPEN, name="open")
    assert (other.verdict, other.checked, open_.checked) == (Verdict.FAIL, Verdict.PASS, Verdict.OBSERVED)
    block([other, open_, owner])
    assert (owner.verdict, other.verdict, open_.verdict) == (Verdict.FAIL, Verdict.PASS, Verdict.OBSERVED)
    assert (other.rule, other.attempts, other.checked) == ("", [Verdict.PASS], None)
    assert MUST in other.seen
    assert owner.id in other.seen
    verdicts = {row.id: row.verdict for row in judge_rules(BOOK, [other, open_, owner])}
    assert (verdicts[MUST], verdicts[SHOULD], verdicts[OPEN]) == (
        Verdict.FAIL,
        Verdict.PASS,
        Verdict.OBSERVED,
    )


def test_what_only_the_referee_saw_stays_with_the_first_case_if_none_lists_the_rule() -> None:
    first, second = (
        result_of(RefereeError("this", "that", MUST), SHOULD, name=name) for name in ("first", "second")
    )
    lists = result_of(RefereeError("this", "that", MAY), MAY, name="lists")
    block([first, second, lists])
    assert (first.verdict, first.rule, second.verdict) == (Verdict.FAIL, MUST, Verdict.PASS)
    assert (lists.verdict, lists.rule) == (Verdict.OBSERVED, MAY)


@pytest.mark.parametrize("kind", [FailureError, RefereeError])
def test_a_violation_is_not_explained_by_a_deviation_of_another_case(kind: type[FailureError]) -> None:
    """The case that lists the rule behaves as libzmq there, so a baseline may expect it; this one does not."""
    owner = result_of(DeviationError("this", "as libzmq", MUST), MUST, name="owner")
    other = result_of(kind("this", "that", MUST), SHOULD, name="other")
    like = result_of(DeviationError("this", "as libzmq", MUST), SHOULD, name="like")
    block([owner, other, like])
    assert (owner.verdict, other.verdict, other.blocked_by) == (Verdict.DEVIATION, Verdict.FAIL, "")
    assert (like.verdict, like.blocked_by) == (Verdict.BLOCKED, owner.id)


def test_a_failure_under_a_rule_that_no_case_fails_is_not_blocked() -> None:
    result = result_of(FailureError("this", "that", MUST), SHOULD)
    block([result, result_of(None, MUST, name="owner")])
    assert (result.verdict, result.blocked_by) == (Verdict.FAIL, "")


def test_only_an_unserved_peer_is_blocked_by_the_case_that_checks_only_this() -> None:
    served = replace(result_of(FailureError("this", "that", MUST), MUST), id="zmtp-pub.barrier.served-3-1")
    unserved = result_of(UnservedError("this", "that"), MUST, name="unserved")
    older = replace(result_of(UnservedError("this", "that"), MUST), id="zmtp-pub.test.older-3-0")
    crashed = result_of(CrashedError("this", "that"), MUST, name="crashed")
    block([served, unserved, older, crashed])
    assert served.verdict is Verdict.FAIL
    assert (unserved.verdict, unserved.blocked_by) == (Verdict.BLOCKED, served.id)
    assert (older.verdict, older.blocked_by) == (Verdict.FAIL, "")
    assert (crashed.verdict, crashed.blocked_by) == (Verdict.FAIL, "")


def test_an_unserved_peer_is_a_finding_if_that_case_passes() -> None:
    served = replace(result_of(None, MUST), id="zmtp-pub.barrier.served")
    unserved = result_of(UnservedError("this", "that"), MUST, name="unserved")
    block([served, unserved])
    assert (unserved.verdict, unserved.blocked_by) == (Verdict.FAIL, "")
