"""Test vectors: the expected behaviour of every codec and machine of the models, byte by byte."""

from .target import FOLDER, render
from .traces import Trace, traces

__all__ = ["FOLDER", "Trace", "render", "traces"]
