"""Test vectors: what every codec and machine of the models has to do, octet by octet."""

from __future__ import annotations

from .target import FOLDER, render
from .traces import Trace, traces

__all__ = ["FOLDER", "Trace", "render", "traces"]
