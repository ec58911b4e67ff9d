"""The docs target: reference pages in Markdown, with state diagrams."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
