"""The C++17 target: a library of codecs and machines, its driver and its tests."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
