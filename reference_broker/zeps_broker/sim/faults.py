"""What can go wrong, as exceptions."""

from __future__ import annotations

__all__ = ["BrokerCrashed", "Violation"]


class Violation(AssertionError):  # noqa: N818 - it is what the simulator looks for
    """The system broke a promise. The text says which, with the rule's id."""


class BrokerCrashed(BaseException):
    """The broker's process dies here and now."""
