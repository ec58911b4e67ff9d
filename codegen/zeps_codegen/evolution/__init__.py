"""Comparison of two versions of the models: breaking and compatible changes of the wire format and the machines."""

from __future__ import annotations

from .changes import CODES, Change, Code, Effect
from .compare import compare
from .sources import SourceError, read_source

__all__ = ["CODES", "Change", "Code", "Effect", "SourceError", "compare", "read_source"]
