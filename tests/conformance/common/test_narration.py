"""Time limits of a case: a wait that the limit shortens is not silence."""

from __future__ import annotations

import pytest

from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.judging import judge
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.verdicts import (
    KEEPS_RUNNING,
    CrashedError,
    FailureError,
    OutOfTimeError,
    Verdict,
)
from zeps_conformance.model.definitions import Model


def _case(limit: float) -> Case:
    return Case(
        "zeps1.test.time",
        "A case",
        ("ZEPS-PING-1",),
        Polarity.POSITIVE,
        Needs.NOTHING,
        print,
        limit=limit,
    )


def _verdict(trial: Narration, error: Exception, model: Model) -> Verdict:
    def act() -> None:
        raise error

    return judge(trial.case, model, trial, act, lambda line: "").verdict


def test_a_wait_within_the_limit_is_not_shortened() -> None:
    trial = Narration(_case(60.0), 0)
    assert trial.within(5.0) == 5.0
    trial.check_time()
    assert not trial.out_of_time


def test_a_shortened_wait_that_ends_is_out_of_time(model: Model) -> None:
    trial = Narration(_case(0.01), 0)
    left = trial.within(5.0)
    assert 0 < left <= 0.01
    while not trial.out_of_time:
        pass
    with pytest.raises(OutOfTimeError):
        trial.check_time()
    assert _verdict(trial, FailureError("a message", "nothing"), model) is Verdict.INCONCLUSIVE


def test_a_crash_is_a_failure_also_after_the_limit(model: Model) -> None:
    trial = Narration(_case(0.001), 0)
    trial.within(5.0)
    while not trial.out_of_time:
        pass
    assert _verdict(trial, CrashedError(KEEPS_RUNNING, "it exited"), model) is Verdict.FAIL


def test_the_pace_multiplies_limit_and_allowance() -> None:
    trial = Narration(_case(10.0), 0, pace=3.0)
    assert 29 < trial.within(1000.0) <= 30
    trial.allow(10.0)
    assert 59 < trial.within(1000.0) <= 60
