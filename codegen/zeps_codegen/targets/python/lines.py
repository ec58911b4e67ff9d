"""Lines of Python with their indentation, as the emitters write them and templates print them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

from ...ir import Text
from ...naming import snake
from ...plan.operations import Content, Number

__all__ = ["Lines", "add", "comment", "docstring", "no_member", "no_text", "times", "tuple_of"]

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

    def refuse(self, condition: str | None, error: str) -> None:
        """``if condition: raise error``, if there is a condition."""
        if condition is None:
            return
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


def no_member(part: Number | Content, value: str) -> str:
    """The condition that `value` is no member of the part's enumeration, or no union of members."""
    name = snake(part.enumeration or "")
    if isinstance(part, Number) and part.flags:
        return f"{value} & ~_mask_of_{name}"
    return f"{value} not in _members_of_{name}"


def no_text(text: Text, value: str) -> str | None:
    """The condition that `value` has a character that may not be in such text."""
    match text:
        case Text.PRINTABLE:
            return f"not {value}.isprintable() and has_control({value})"
        case Text.VCHAR:
            return f"not is_vchar({value})"
        case _:
            return None


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
