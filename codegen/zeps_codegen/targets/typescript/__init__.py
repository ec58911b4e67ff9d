"""The TypeScript package: codecs and machines for browsers and Node."""

from __future__ import annotations

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
