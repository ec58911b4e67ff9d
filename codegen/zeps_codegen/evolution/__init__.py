"""Two versions of the models: which changes break the wire or the machines, and which do not."""

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
