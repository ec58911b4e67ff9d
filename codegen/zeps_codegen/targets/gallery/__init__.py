"""The page `docs/generated-code.md`: a fragment of the model, and what each target makes of it."""

from __future__ import annotations

from .target import PAGE, SECTIONS, Tree, render

__all__ = ["PAGE", "SECTIONS", "Tree", "render"]
