"""The model.json target: the intermediate representation as data, for other programs."""

from .target import FORMAT, MODEL, SCHEMA, dump, load, render

__all__ = ["FORMAT", "MODEL", "SCHEMA", "dump", "load", "render"]
