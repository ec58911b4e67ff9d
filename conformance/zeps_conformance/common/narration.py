"""Narration of a case, step by step, and its time limit, for every kind of trial."""

from __future__ import annotations

import random
import time
from typing import NoReturn

from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CheckResult, StepResult
from zeps_conformance.common.verdicts import FailureError, OutOfTimeError, UnsupportedError
from zeps_conformance.common.wirelog import WireLog

__all__ = ["Narration"]

CHECKS_KEPT = 12
TOO_LONG = "the case exceeded its time limit"


class Narration:
    """One attempt at a case, for at most its `limit` from now, multiplied by `pace`, as every time that it is allowed.
    Cases append behaviour that the specification leaves open to `observations`. `rng` depends only on the seed and the
    case's id. `left_open`: a MAY is not used. `record`: the log has the bytes of all connections.
    """

    def __init__(self, case: Case, seed: int, record: bool = False, pace: float = 1.0) -> None:
        self.case = case
        self.log = WireLog(record)
        self.rng = random.Random(f"{seed}/{case.id}")
        self.steps: list[StepResult] = []
        self.observations: list[str] = []
        self.left_open = False
        self._pace = pace
        self._deadline = time.monotonic() + case.limit * pace
        self._shortened = False  # whether a wait ended at the deadline, instead of its own end

    # Steps and checks ---------------------------------------------------------------------------------------

    def step(self, sentence: str) -> None:
        """Begins a step. The checks that follow belong to it."""
        self.steps.append(StepResult(sentence, self.log.elapsed()))

    def observe(self, expected: str, seen: str) -> None:
        """Records a check that passed, in the current step."""
        self._record(CheckResult(expected, seen, True))

    def check(self, ok: bool, expected: str, seen: str, rule: str | None = None) -> None:
        """Records a check. Raises FailureError under `rule`, or under the case's first rule, if it is not `ok`."""
        if not ok:
            raise FailureError(expected, seen, rule)
        self.observe(expected, seen)

    def record_failure(self, error: FailureError) -> None:
        """Records a failure in the current step."""
        self._record(CheckResult(error.expected, error.seen, False))

    def unsupported(self, reason: str) -> NoReturn:
        """Ends the case as unsupported, because it cannot be run here: raises UnsupportedError. Not for failures."""
        raise UnsupportedError(reason)

    def random_bytes(self, size: int) -> bytes:
        """The next `size` random bytes, the same in every run with the same seed and case."""
        return self.rng.randbytes(size)

    # Time ---------------------------------------------------------------------------------------------------

    def within(self, timeout: float) -> float:
        """Returns `timeout`, or the case's remaining seconds if that is less. Raises OutOfTimeError if none remain.
        Call :meth:`check_time` if nothing arrives in this time: that is not silence if the wait was shortened.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTimeError(TOO_LONG)
        self._shortened = left < timeout
        return min(timeout, left)

    @property
    def out_of_time(self) -> bool:
        """Whether the case exceeded its limit during a wait that this limit has shortened."""
        return self._shortened and time.monotonic() >= self._deadline

    def check_time(self) -> None:
        """Raises OutOfTimeError if the last wait ended because the case exceeded its limit."""
        if self.out_of_time:
            raise OutOfTimeError(TOO_LONG)

    def allow(self, seconds: float) -> None:
        """Extends the case's time limit by `seconds`, multiplied by the run's pace."""
        self._deadline += seconds * self._pace

    def renew(self, seconds: float) -> None:
        """Lets the case go on for `seconds` from now, multiplied by the run's pace, if less than that remains: for one
        part of a case whose parts are many.
        """
        self._deadline = max(self._deadline, time.monotonic() + seconds * self._pace)

    def _record(self, check: CheckResult) -> None:
        if not self.steps:
            self.step("At the start.")
        step = self.steps[-1]
        if check.ok and len(step.checks) >= CHECKS_KEPT:
            step.unlisted += 1
        else:
            step.checks.append(check)
