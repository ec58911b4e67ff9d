"""The Go target: a module of packages, one for each protocol and each machine, of the standard library only."""

from __future__ import annotations

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
