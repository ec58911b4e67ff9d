"""Extracts pieces of files by their first line.

A piece begins with the first line that the regular expression `begins` matches, and, with `above`, the comments and
decorators above it. If it does not contain `holding`, the next match is tried. It has at most 60 lines, without their
common indentation; each function finds the end in another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["Cut", "after", "closed", "indented", "matching", "paragraph", "until"]

#: Extracts a piece of a text; returns None if it does not exist.
Cut = Callable[[str], str | None]

_ABOVE = re.compile(r"\s*(//|/\*|\*|#\[|#\s|@|--|;)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LINES_MAX = 60


def closed(begins: str, holding: str = "", above: bool = True) -> Cut:
    """Extracts up to the first line that ends with a closing bracket, ``;`` or ``,`` after brackets were opened and all
    were closed, else all.
    """

    def ends(lines: list[str], at: int) -> int:
        depth, opened = 0, False
        for number in range(at, len(lines)):
            plain = _STRING.sub("", lines[number].partition("//")[0])
            for character in plain:
                depth += (character in "{([") - (character in "})]")
                opened |= character in "{(["
            if opened and depth <= 0 and plain.rstrip().endswith(("}", ")", "]", ";", ",")):
                return number + 1
        return len(lines)

    return _cut(begins, ends, holding, above)


def indented(begins: str, holding: str = "", above: bool = True) -> Cut:
    """Extracts all lines before one that is not indented further and does not begin with a closing bracket or tag."""

    def ends(lines: list[str], at: int) -> int:
        indent = _indent(lines[at])
        for number in range(at + 1, len(lines)):
            line = lines[number].strip()
            if line and _indent(lines[number]) <= indent and not line.startswith((")", "]", "}", "</")):
                return number
        return len(lines)

    return _cut(begins, ends, holding, above)


def paragraph(begins: str, above: bool = True) -> Cut:
    """Extracts up to the next empty line."""
    return until(begins, r"\s*$", above=above)


def until(begins: str, ends: str, holding: str = "", above: bool = True) -> Cut:
    """Extracts up to the line before one whose beginning matches the regular expression `ends`, or to the end."""

    def find(lines: list[str], at: int) -> int:
        return next((n for n in range(at + 1, len(lines)) if re.match(ends, lines[n])), len(lines))

    return _cut(begins, find, holding, above)


def matching(expression: str) -> Cut:
    """Extracts the lines that contain a match of the regular expression, at most 60."""

    def cut(text: str) -> str | None:
        lines = [line for line in text.splitlines() if re.search(expression, line)]
        return _dedented(lines) if lines else None

    return cut


def after(line: str, cut: Cut) -> Cut:
    """Applies `cut` to the text after the first match of the regular expression `line`."""

    def later(text: str) -> str | None:
        match = re.search(line, text, re.MULTILINE)
        return cut(text[match.end() :]) if match else None

    return later


def _cut(begins: str, ends: Callable[[list[str], int], int], holding: str, above: bool) -> Cut:
    def cut(text: str) -> str | None:
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if re.search(begins, line):
                piece = lines[at : ends(lines, at)]
                if holding in "\n".join(piece):
                    return _dedented([*(_above(lines, at) if above else []), *piece])
        return None

    return cut


def _above(lines: list[str], at: int) -> list[str]:
    """The comments and decorators directly above a line."""
    first = at
    while first > 0 and _ABOVE.match(lines[first - 1]):
        first -= 1
    return lines[first:at]


def _dedented(lines: list[str]) -> str:
    """Joins at most 60 lines and ``…`` without common indentation, which does not count lines that begin with ``#``."""
    if len(lines) > _LINES_MAX:
        lines = [*lines[:_LINES_MAX], "…"]
    lines = [line.expandtabs(4).rstrip() for line in lines]
    free = min((_indent(line) for line in lines if line and not line.startswith("#")), default=0)
    return "\n".join(line if line.startswith("#") else line[free:] for line in lines).strip("\n")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
