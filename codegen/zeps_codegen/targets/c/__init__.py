"""The C99 target: inline codecs for common messages, machines as tables, no allocation in decoders."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
