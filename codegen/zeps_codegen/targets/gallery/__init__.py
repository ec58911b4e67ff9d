"""The gallery target: `docs/generated-code.md`, a fragment of the model with the code that each target generates."""

from .target import PAGE, SECTIONS, Tree, render

__all__ = ["PAGE", "SECTIONS", "Tree", "render"]
