"""Documentation comments."""

from __future__ import annotations

import textwrap

__all__ = ["doc"]

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
    lines = lines or [default] * bool(default)
    if len(lines) < 2:
        return [f"/** {line} */" for line in lines]
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]
