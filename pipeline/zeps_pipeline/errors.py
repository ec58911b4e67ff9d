"""Errors that this package raises."""

from __future__ import annotations

__all__ = ["DataLossError", "OptionError", "PipelineError"]


class PipelineError(Exception):
    """A read, write or command failed. Base class of the errors of this package."""


class OptionError(PipelineError, ValueError):
    """An option of the data source is unknown, invalid or missing."""


class DataLossError(PipelineError):
    """Messages that should exist are damaged, missing, or were removed by retention."""
