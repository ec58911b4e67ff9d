"""Errors that this package raises. Each message says what is wrong and what may be done about it."""

from __future__ import annotations

__all__ = ["DataLossError", "OptionError", "PipelineError"]


class PipelineError(Exception):
    """What was asked cannot be done."""


class OptionError(PipelineError, ValueError):
    """An option of the data source means nothing."""


class DataLossError(PipelineError):
    """Messages that should be there are not: damaged, removed by retention, or missing."""
