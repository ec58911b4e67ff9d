"""The Go target: a module with a package for each protocol and machine, which needs only the standard library."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
