"""C99: codecs whose common path is inline, machines as tables, no allocation in decode."""

from __future__ import annotations

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
