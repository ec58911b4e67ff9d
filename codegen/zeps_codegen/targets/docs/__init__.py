"""The docs target: specifications, reference pages in Markdown, and state diagrams."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
