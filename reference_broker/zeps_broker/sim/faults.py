"""Failures of a run, as exceptions."""

from __future__ import annotations

__all__ = ["BrokerCrashed", "Violation"]


class Violation(AssertionError):  # noqa: N818 - the simulator searches for violations
    """The system violated a guarantee. The text begins with the rule's id if it is a rule of the specification."""


class BrokerCrashed(BaseException):
    """The broker's process dies at this point."""
