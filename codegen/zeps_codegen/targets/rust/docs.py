"""Documentation comments in rustdoc's Markdown: text of models is folded and escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...ir import Constant, Enumeration, Event, Field, Message, State, Variable
from ..comments import sentence, wrapped

__all__ = ["comment", "described", "lines", "sentence"]

Described = Constant | Enumeration | Event | Field | Message | State | Variable
_WIDTH = 92
_MARKUP = re.compile(r"(`[^`]*`)|([\\<>\[\]*_#|])")
_ITEM = re.compile(r"^(\d*)([-+.)](?=\s|$)|=+$|-+$)")


def lines(*paragraphs: str, default: str = "") -> list[str]:
    """A comment's lines without slashes, paragraphs separated by empty lines; `default` if no paragraph has text."""
    return list(map(_plain_beginning, wrapped(*map(_escape, paragraphs), width=_WIDTH))) or [default]


def described(item: Described, default: str = "") -> list[str]:
    """The lines of the documentation of `item`: `default` or its name if the model has none."""
    return lines(sentence(item.doc), default=default or f"{item.name}.")


def comment(lines: Iterable[str], mark: str = "///") -> str:
    """Joins `lines` to a comment."""
    return "".join(f"{mark}{f' {line}' if line else ''}\n" for line in lines)


def _escape(text: str) -> str:
    """Escapes characters that Markdown would interpret, except in back quotes."""
    text = text if text.count("`") % 2 == 0 else text.replace("`", "'")
    return _MARKUP.sub(lambda match: match[1] or f"\\{match[2]}", text)


def _plain_beginning(line: str) -> str:
    """Escapes a line that Markdown would take for an item of a list, or for the underline of a heading."""
    return _ITEM.sub(r"\1\\\2", line)
