"""Text of models for documentation comments, in any language."""

from __future__ import annotations

import textwrap

__all__ = ["sentence", "wrapped"]


def sentence(text: str) -> str:
    """`text` on one line, with a full stop unless it is empty or ends with one of ``.?!:;``."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def wrapped(
    *paragraphs: str, width: int, break_hyphens: bool = False, break_words: bool = False
) -> list[str]:
    """The lines of the paragraphs with text, separated by empty lines. Lines end only at blanks, except after hyphens
    with `break_hyphens`, and in words longer than `width` with `break_words`.
    """
    lines: list[str] = []
    for text in filter(None, (" ".join(paragraph.split()) for paragraph in paragraphs)):
        lines += [""] * bool(lines)
        lines += textwrap.wrap(text, width, break_on_hyphens=break_hyphens, break_long_words=break_words)
    return lines
