"""Lines of Python with their indentation, as the emitters write them and templates print them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Lines", "add", "octets"]


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


def add(base: str, offset: int) -> str:
    """The expression ``base + offset``; an empty base is 0."""
    if not base:
        return str(offset)
    return f"{base} + {offset}" if offset else base


def octets(value: bytes) -> str:
    """`value` as a literal, in double quotes."""
    text = repr(value)
    if text[1] == "'" and '"' not in text:
        text = f'b"{text[2:-1]}"'
    return text
