"""The model.json target: the intermediate representation as data, for whatever is not Python, or not ours."""

from __future__ import annotations

from .target import COPY, FORMAT, MODEL, SCHEMA, dump, load, render

__all__ = ["COPY", "FORMAT", "MODEL", "SCHEMA", "dump", "load", "render"]
