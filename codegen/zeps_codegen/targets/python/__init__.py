"""The Python target: a codec and machines for Python 3.11 and later, with the standard library only."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
