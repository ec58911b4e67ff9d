"""Documentation comments: rustdoc's Markdown, folded, with nothing in it that a model did not mean."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from ...ir import Constant, Enumeration, Event, Field, Message, State, Variable

__all__ = ["comment", "described", "lines", "sentence"]

_WIDTH = 92
_MARKUP = re.compile(r"([\\<>\[\]*_#|])")


def lines(*paragraphs: str, default: str = "") -> list[str]:
    """The lines of a comment, without its slashes; an empty line stands between paragraphs."""
    found: list[str] = []
    for text in filter(None, (" ".join(paragraph.split()) for paragraph in paragraphs)):
        folded = textwrap.wrap(_escape(text), _WIDTH, break_long_words=False, break_on_hyphens=False)
        found += [""] * bool(found) + [_plain_beginning(line) for line in folded]
    return found or [default]


def sentence(text: str) -> str:
    """`text` with a full stop, unless it ends like a sentence."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def described(
    item: Constant | Enumeration | Event | Field | Message | State | Variable, default: str = ""
) -> list[str]:
    """The lines of what the model says of `item`; its name if that is nothing."""
    return lines(sentence(item.doc), default=default or f"{item.name}.")


def comment(lines: Iterable[str], mark: str = "///") -> str:
    """`lines` as a comment."""
    return "".join(f"{mark}{f' {line}' if line else ''}\n" for line in lines)


def _escape(text: str) -> str:
    """Markup of a model's that is none; what stands in back quotes stays."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _MARKUP.sub(r"\\\1", text.replace("`", "'"))
    return "`".join(part if index % 2 else _MARKUP.sub(r"\\\1", part) for index, part in enumerate(parts))


def _plain_beginning(line: str) -> str:
    """A line that Markdown would take for an item of a list is none."""
    if re.match(r"[-+](\s|$)|=+$|-+$", line):
        return f"\\{line}"
    return re.sub(r"^(\d+)([.)])(\s|$)", r"\1\\\2\3", line)
