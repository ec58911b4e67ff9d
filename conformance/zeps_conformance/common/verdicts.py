"""Verdicts, and the exceptions that end a case with a verdict other than pass."""

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
    """Verdict of a case, ordered from best to worst."""

    PASS = "pass"
    OBSERVED = "observed"  # the specification leaves it open: the behaviour is reported
    UNSUPPORTED = "unsupported"  # a probe at run time showed that the case cannot be run here
    WARN = "warn"  # a SHOULD is violated
    DEVIATION = "deviation"  # a MUST is violated, in the same way as libzmq violates it
    FLAKY = "flaky"  # failed, and passed when run again
    INCONCLUSIVE = "inconclusive"  # error of the harness, not of the implementation
    FAIL = "fail"

    @property
    def is_finding(self) -> bool:
        """Whether a run with this verdict exits with 1, unless a baseline expects it: not for a warning."""
        return self in (Verdict.DEVIATION, Verdict.FLAKY, Verdict.INCONCLUSIVE, Verdict.FAIL)

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict | None:
        """Returns the worst verdict of several cases, or None for an empty list; unsupported cases do not matter."""
        order = [Verdict.UNSUPPORTED, *(verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED)]
        return max(verdicts, key=order.index) if verdicts else None


PEACEFUL = (Verdict.PASS, Verdict.OBSERVED, Verdict.UNSUPPORTED)
"""Verdicts that are not retried."""


class FailureError(Exception):
    """A violated rule: what was `expected`, and what was `seen` instead. Without an id in `rule` it is the case's first
    rule, with the strictest level of the case's rules.
    """

    def __init__(self, expected: str, seen: str, rule: str | None = None) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
        self.rule = rule


class LostError(FailureError):
    """The connection ended although an answer was due or it had to stay open."""


class DeviationError(FailureError):
    """The implementation violated a rule in the same way as libzmq."""


class UnservedError(FailureError):
    """The implementation crashed or does not serve valid peers: a failure whatever the level of the case's rules."""


class UnsupportedError(Exception):
    """The case cannot be run against this implementation, or in this run: not a finding. The text is the reason."""


class OutOfTimeError(Exception):
    """The case exceeded its time limit: its verdict is ``inconclusive``."""
