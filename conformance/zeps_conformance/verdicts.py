"""Verdicts, and the exceptions by which a case reaches one that is not a pass."""

from __future__ import annotations

from enum import Enum

__all__ = ["FailureError", "LostError", "OutOfTimeError", "UnsupportedError", "Verdict"]


class Verdict(str, Enum):
    """What became of a case. The order is from best to worst."""

    PASS = "pass"
    UNSUPPORTED = "unsupported"  # a probe at run time found that the case cannot be tried here
    WARN = "warn"  # a SHOULD is not followed
    FLAKY = "flaky"  # failed, then passed when run again
    INCONCLUSIVE = "inconclusive"  # the harness, not the broker: no verdict
    FAIL = "fail"

    @property
    def is_finding(self) -> bool:
        """Whether a run with this verdict exits 1, unless a baseline expects it."""
        return self in (Verdict.FAIL, Verdict.FLAKY, Verdict.INCONCLUSIVE)

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict | None:
        """What several cases come to: the worst of their verdicts, or None if there are none.

        A case that could not be tried takes nothing from those that could.
        """
        order = [Verdict.UNSUPPORTED, *(verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED)]
        return max(verdicts, key=order.index) if verdicts else None


class FailureError(Exception):
    """The broker did something else than a rule says.

    `rule` is None if the case's own first rule is meant.
    """

    def __init__(self, expected: str, seen: str, rule: str | None = None) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
        self.rule = rule


class LostError(FailureError):
    """The broker ended the connection where it had to answer or to keep it."""


class UnsupportedError(Exception):
    """The case cannot be tried against this broker, or by this run. The text is the reason."""


class OutOfTimeError(Exception):
    """The case as a whole took longer than it may: nothing is known about the broker."""
