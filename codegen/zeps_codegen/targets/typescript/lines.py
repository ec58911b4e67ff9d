"""Lines of TypeScript as the emitters write them; the formatter indents and folds them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Lines", "add", "doc", "octets", "quoted"]

_WIDTH = 104


class Lines:
    """Statements, one a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        """Append `lines`."""
        self.lines += lines

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {``, what is put inside, ``}``."""
        self.put(f"{head} {{")
        yield
        self.put("}")

    def refuse(self, condition: str, error: str) -> None:
        """``if (condition) throw error;``."""
        self.put(f"if ({condition}) throw {error};")


def add(base: str, offset: int) -> str:
    """The expression ``base + offset``; an empty base is 0."""
    if not base:
        return str(offset)
    return f"{base} + {offset}" if offset else base


def octets(value: bytes) -> str:
    """`value` as a literal."""
    return f"Uint8Array.of({', '.join(f'0x{octet:02x}' for octet in value)})"


def quoted(text: str) -> str:
    """`text` as a literal; whatever is not ASCII is escaped."""
    return json.dumps(text)


def doc(*paragraphs: str) -> list[str]:
    """The lines of a doc comment, folded; none if there is nothing to say."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split()).replace("*/", "* /")
        if text:
            lines += ([""] if lines else []) + textwrap.wrap(
                text, _WIDTH, break_long_words=False, break_on_hyphens=False
            )
    if not lines:
        return []
    if len(lines) == 1:
        return [f"/** {lines[0]} */"]
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]
