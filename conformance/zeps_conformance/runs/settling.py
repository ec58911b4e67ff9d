"""Which verdict a case gets from several attempts at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from zeps_conformance.common.pace import Timed
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import KEEPS_RUNNING, PEACEFUL, Verdict

__all__ = ["doubted", "is_settled", "settle"]

Attempt = Timed[CaseResult]


def settle(
    first: Attempt, again: Callable[[], Attempt], retries: int, expects: Verdict | None = None
) -> CaseResult:
    """Returns the result of `first` if it is in PEACEFUL and no finding is expected; otherwise the outcome after at
    most `retries` calls of `again`. A verdict is settled when it occurs twice in a row. Verdicts that differ, other
    than inconclusive ones, make the case flaky; its result then shows the first failed attempt. With retries, a finding
    that is not settled is inconclusive if the suite was late during the attempt.
    """
    timed = [first]
    while len(timed) <= retries and not is_settled(timed, expects):
        timed.append(again())
    settled = is_settled(timed, expects)
    final = not retries or (settled and timed[-1].result.verdict not in PEACEFUL)
    attempts = [attempt.result if final else doubted(attempt) for attempt in timed]
    verdicts = [attempt.verdict for attempt in attempts]
    last = attempts[-1]
    conclusive = [attempt for attempt in attempts if attempt.verdict is not Verdict.INCONCLUSIVE]
    alike = settled or len({attempt.verdict for attempt in conclusive}) <= 1
    if alike and (last.verdict not in PEACEFUL or verdicts[0] in (*PEACEFUL, Verdict.INCONCLUSIVE)):
        return replace(last, attempts=verdicts)
    reason = f"different results on retry: {', '.join(map(_in_short, attempts))}"
    bad = next((attempt for attempt in conclusive if attempt.verdict not in PEACEFUL), last)
    return replace(bad, verdict=Verdict.FLAKY, attempts=verdicts, reason=bad.reason or reason)


def is_settled(attempts: Sequence[Attempt], expects: Verdict | None = None) -> bool:
    """Returns whether the last verdict is final: first, in PEACEFUL and as expected, or a conclusive repetition."""
    last = attempts[-1].result.verdict
    if len(attempts) == 1:
        return last in PEACEFUL and expects is None
    return last is attempts[-2].result.verdict and last is not Verdict.INCONCLUSIVE


def doubted(attempt: Attempt) -> CaseResult:
    """Returns the result; as inconclusive if it is a finding, and the suite itself was late. The end of the
    implementation's process stays a finding.
    """
    result = attempt.result
    if not attempt.delay or result.verdict in PEACEFUL or result.expected == KEEPS_RUNNING:
        return result
    reason = (
        f"the suite itself was late by {attempt.delay:.2f} s; expected {result.expected}; seen {result.seen}"
    )
    return replace(result, verdict=Verdict.INCONCLUSIVE, reason=reason)


def _in_short(result: CaseResult) -> str:
    why = result.seen or result.reason
    return f"{result.verdict.value} ({why})" if why else result.verdict.value
