"""What every kind of trial has: the narration of a case, sentence by sentence, and its clock."""

from __future__ import annotations

import random
import time

from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CheckResult, StepResult
from zeps_conformance.common.verdicts import FailureError, OutOfTimeError, UnsupportedError
from zeps_conformance.common.wirelog import WireLog

__all__ = ["Narration"]

CHECKS_KEPT = 12


class Narration:
    """One attempt at one case as it tells of itself, for at most `limit` seconds.

    `observations` are what was seen where the specification leaves open what should be.
    """

    def __init__(self, case: Case, seed: int, limit: float) -> None:
        self.case = case
        self.log = WireLog()
        self.rng = random.Random(f"{seed}/{case.id}")
        self.steps: list[StepResult] = []
        self.observations: list[str] = []
        self._deadline = time.monotonic() + limit

    # What happens -------------------------------------------------------------------------------------------

    def step(self, sentence: str) -> None:
        """Say what happens next. The checks that follow belong to it."""
        self.steps.append(StepResult(sentence, self.log.elapsed()))

    def observe(self, expected: str, seen: str) -> None:
        """Record something that was as expected."""
        self._record(CheckResult(expected, seen, True))

    def check(self, ok: bool, expected: str, seen: str, rule: str | None = None) -> None:
        """Record a check. FailureError under `rule`, or the case's first, if it is not `ok`."""
        if not ok:
            raise FailureError(expected, seen, rule)
        self.observe(expected, seen)

    def record_failure(self, error: FailureError) -> None:
        """Put a failure into the narration, under the step that it happened in."""
        self._record(CheckResult(error.expected, error.seen, False))

    def unsupported(self, reason: str) -> None:
        """Give up: a probe showed that the case cannot be tried.

        Never called because something went wrong.
        """
        raise UnsupportedError(reason)

    def octets(self, size: int) -> bytes:
        """`size` octets of any value, the same for the same seed."""
        return self.rng.randbytes(size)

    # Time ---------------------------------------------------------------------------------------------------

    def within(self, timeout: float) -> float:
        """`timeout`, or what is left of the case's time if that is less. OutOfTimeError if none is left."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTimeError("the case took longer than it may")
        return min(timeout, left)

    def allow(self, seconds: float) -> None:
        """Give the case `seconds` more."""
        self._deadline += seconds

    def _record(self, check: CheckResult) -> None:
        if not self.steps:
            self.step("To begin with.")
        step = self.steps[-1]
        if check.ok and len(step.checks) >= CHECKS_KEPT:
            step.unlisted += 1
        else:
            step.checks.append(check)
