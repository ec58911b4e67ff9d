"""Verdicts, and the exceptions by which a case reaches one that is not a pass."""

from __future__ import annotations

from enum import Enum

__all__ = [
    "PEACEFUL",
    "DeviationError",
    "FailureError",
    "LostError",
    "OutOfTimeError",
    "UnservedError",
    "UnsupportedError",
    "Verdict",
]


class Verdict(str, Enum):
    """What became of a case. The order is from best to worst."""

    PASS = "pass"
    OBSERVED = "observed"  # the specification leaves it open: what is done is reported
    UNSUPPORTED = "unsupported"  # a probe at run time found that the case cannot be tried here
    WARN = "warn"  # a SHOULD is not followed
    DEVIATION = "deviation"  # a MUST is broken, in the way in which libzmq breaks it
    FLAKY = "flaky"  # failed, then did not when run again
    INCONCLUSIVE = "inconclusive"  # the harness, not the implementation: no verdict
    FAIL = "fail"

    @property
    def is_finding(self) -> bool:
        """Whether a run with this verdict exits 1, unless a baseline expects it."""
        return self in (Verdict.DEVIATION, Verdict.FLAKY, Verdict.INCONCLUSIVE, Verdict.FAIL)

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict | None:
        """What several cases come to: the worst of their verdicts, or None if there are none.

        A case that could not be tried takes nothing from those that could.
        """
        order = [Verdict.UNSUPPORTED, *(verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED)]
        return max(verdicts, key=order.index) if verdicts else None


PEACEFUL = (Verdict.PASS, Verdict.OBSERVED, Verdict.UNSUPPORTED)
"""What need not be tried again."""


class FailureError(Exception):
    """The implementation did something else than a rule says.

    `rule` is None if the case's own first rule is meant.
    """

    def __init__(self, expected: str, seen: str, rule: str | None = None) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
        self.rule = rule


class LostError(FailureError):
    """The connection was ended where an answer, or keeping it, was due."""


class DeviationError(FailureError):
    """What was seen is what libzmq does, and a rule asks for something else."""


class UnservedError(FailureError):
    """The implementation died, or does not serve those who have done nothing wrong.

    That is a failure whatever the level of the rule that a case is about.
    """


class UnsupportedError(Exception):
    """The case cannot be tried against this implementation, or by this run. The text is the reason."""


class OutOfTimeError(Exception):
    """The case as a whole took longer than it may: nothing is known about the implementation."""
