"""Verdicts, and the exceptions that end a case with a verdict other than pass."""

from __future__ import annotations

from enum import Enum

__all__ = [
    "KEEPS_RUNNING",
    "PEACEFUL",
    "Category",
    "CrashedError",
    "DeviationError",
    "FailureError",
    "LostError",
    "OutOfTimeError",
    "RefereeError",
    "RobustnessError",
    "UnservedError",
    "UnsupportedError",
    "Verdict",
]


class Verdict(str, Enum):
    """Verdict of a case, ordered from best to worst."""

    PASS = "pass"
    OBSERVED = "observed"  # the specification leaves it open: the behaviour is reported
    UNSUPPORTED = "unsupported"  # a probe at run time showed that the case cannot be run here
    WARN = "warn"  # a SHOULD is violated
    DEVIATION = "deviation"  # a MUST is violated, in the same way as libzmq violates it
    FLAKY = "flaky"  # failed, and passed when run again
    BLOCKED = "blocked"  # another case failed whose subject this one depends on
    INCONCLUSIVE = "inconclusive"  # error of the harness, not of the implementation
    FAIL = "fail"

    @property
    def is_finding(self) -> bool:
        """Whether a run with this verdict exits with 1, unless a baseline expects it: not for a warning, nor for a
        blocked case, because the case that blocks it is reported.
        """
        return self in (Verdict.DEVIATION, Verdict.FLAKY, Verdict.INCONCLUSIVE, Verdict.FAIL)

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict | None:
        """Returns the worst verdict of several cases, or None for an empty list; ``unsupported`` counts as best."""
        order = [Verdict.UNSUPPORTED, *(verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED)]
        return max(verdicts, key=order.index) if verdicts else None


class Category(str, Enum):
    """What a finding is about."""

    CONFORMANCE = "conformance"  # a rule of the specification
    ROBUSTNESS = "robustness"  # crash, hang, leak, or other peers that are not served


#: What a crash violates, in reports.
KEEPS_RUNNING = "the implementation keeps running"

PEACEFUL = (Verdict.PASS, Verdict.OBSERVED, Verdict.UNSUPPORTED)
"""Verdicts that are not retried, unless a baseline expects a finding."""


class FailureError(Exception):
    """A violated rule: what was `expected`, and what was `seen` instead. Without an id in `rule` it is the case's first
    rule.
    """

    def __init__(self, expected: str, seen: str, rule: str | None = None) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
        self.rule = rule


class LostError(FailureError):
    """The connection ended although an answer was due or it had to stay open."""


class RefereeError(FailureError):
    """The referee of the connections saw the violation; the case's own checks have passed."""


class DeviationError(FailureError):
    """The implementation violated a rule in the same way as libzmq."""


class UnservedError(FailureError):
    """A valid peer is not served. Without a rule it is a failure of robustness."""


class RobustnessError(UnservedError):
    """The implementation hangs, leaks, or uses more memory, time or descriptors than its input explains."""


class CrashedError(RobustnessError):
    """The implementation's process has exited, or was killed because it did not answer."""


class UnsupportedError(Exception):
    """The case cannot be run against this implementation, or in this run: not a finding. The text is the reason."""


class OutOfTimeError(Exception):
    """The case exceeded its time limit: its verdict is ``inconclusive``."""
