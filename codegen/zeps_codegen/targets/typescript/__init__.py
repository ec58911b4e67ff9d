"""The TypeScript target: a package of codecs and machines for browsers and Node."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
