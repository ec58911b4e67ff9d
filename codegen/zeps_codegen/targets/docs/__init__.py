"""The docs target: reference pages in Markdown, with state diagrams."""

from __future__ import annotations

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
