"""Lines of Python with their indentation, as the emitters write them and templates print them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Lines", "add", "comment", "docstring", "times", "tuple_of"]

_WIDTH = 100


class Lines:
    """Statements, one a line; the formatter folds the long ones."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._indent = 0

    def put(self, *lines: str) -> None:
        """Append `lines` at the present indentation."""
        self.lines += [f"{'    ' * self._indent}{line}" for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """`head`, and what is put inside indented under it."""
        self.put(head)
        self._indent += 1
        yield
        self._indent -= 1

    def refuse(self, condition: str, error: str) -> None:
        """``if condition: raise error``."""
        with self.block(f"if {condition}:"):
            self.put(f"raise {error}")

    def attempt(self, statement: str, failure: str, error: str) -> None:
        """`statement`, and `error` raised instead of `failure`."""
        with self.block("try:"):
            self.put(statement)
        with self.block(f"except {failure}:"):
            self.put(f"raise {error} from None")


def add(base: str, offset: int) -> str:
    """The expression ``base + offset``; an empty base is 0."""
    if not base:
        return str(offset)
    return f"{base} + {offset}" if offset else base


def times(count: str, size: int) -> str:
    """The expression ``count * size``."""
    return count if size == 1 else f"{count} * {size}"


def tuple_of(items: list[str]) -> str:
    """The expression for a tuple."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def docstring(*paragraphs: str, indent: int = 0, default: str = "") -> list[str]:
    """The lines of a docstring, folded; a backslash is escaped."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split()).replace("\\", "\\\\").replace('"""', "'''")
        if not text:
            continue
        if lines:
            lines.append("")
        lines += textwrap.wrap(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    lines = lines or [default]
    if len(lines) == 1 and lines[0][-1:] not in (".", "?", "!", ":", ";", ""):
        lines[0] += "."
    if lines[-1].endswith('"'):
        lines[-1] += " "
    return lines


def comment(doc: str, indent: int) -> list[str]:
    """The lines of a comment, folded; those inside a class or a function are all as short."""
    return textwrap.wrap(" ".join(doc.split()), _WIDTH - 8 if indent else _WIDTH)
