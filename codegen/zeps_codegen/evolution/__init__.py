"""Comparison of two versions of the models: breaking and compatible changes of the wire format and the machines."""

from __future__ import annotations

from .changes import CODES, Change, Code, Effect, breaks, render_json, render_text
from .compare import compare
from .sources import SourceError, read_source

__all__ = [
    "CODES",
    "Change",
    "Code",
    "Effect",
    "SourceError",
    "breaks",
    "compare",
    "read_source",
    "render_json",
    "render_text",
]
