"""The model.json target: the intermediate representation as data, for other programs."""

from __future__ import annotations

from .target import FORMAT, MODEL, SCHEMA, dump, load, render

__all__ = ["FORMAT", "MODEL", "SCHEMA", "dump", "load", "render"]
