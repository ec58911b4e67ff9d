"""The Go target: a module with a package for each protocol and machine, with the standard library only."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
