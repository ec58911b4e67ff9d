"""The ABNF target: the wire format of each protocol as a grammar."""

from .target import FOLDER, print_abnf, render

__all__ = ["FOLDER", "print_abnf", "render"]
