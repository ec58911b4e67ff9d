"""The Kaitai Struct target: the wire format of each protocol as a .ksy file."""

from .target import FOLDER, ksy_source, render

__all__ = ["FOLDER", "ksy_source", "render"]
