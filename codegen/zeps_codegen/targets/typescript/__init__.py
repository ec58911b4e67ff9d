"""The TypeScript target: a package of codecs and machines for browsers and Node."""

from __future__ import annotations

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
