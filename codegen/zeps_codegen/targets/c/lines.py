"""Comments and lists as C has them."""

from __future__ import annotations

import textwrap

__all__ = ["comment", "doc"]

_WIDTH = 110


def doc(*paragraphs: str, indent: int = 0, default: str = "") -> list[str]:
    """The lines of a documentation comment; none without text."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        for mark in ("*/", "/*", "??/"):
            text = text.replace(mark, f"{mark[:-1]} {mark[-1]}")
        if text:
            lines += ([""] if lines else []) + textwrap.wrap(text, _WIDTH - indent, break_on_hyphens=False)
    if not lines and default:
        lines = [default]
    if len(lines) == 1:
        return [f"/** {lines[0]} */"]
    return comment(lines)


def comment(lines: list[str]) -> list[str]:
    """A documentation comment of several lines."""
    if not lines:
        return []
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]
