"""Lines of Rust, as the emitters write them and templates print them; rustfmt indents them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Lines", "octets", "quoted"]


class Lines:
    """Statements, one a line; the formatter folds the long ones."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        """Append `lines`."""
        self.lines += lines

    @contextmanager
    def block(self, head: str, end: str = "}") -> Iterator[None]:
        """`head`, and what is put inside between braces."""
        self.put(f"{head} {{" if head else "{")
        yield
        self.put(end)


def quoted(text: str) -> str:
    """`text` as a string literal."""
    found = []
    for character in text:
        if character in '"\\':
            found.append(f"\\{character}")
        elif character.isprintable():
            found.append(character)
        else:
            found.append(f"\\u{{{ord(character):x}}}")
    return f'"{"".join(found)}"'


def octets(value: bytes) -> str:
    """`value` as a byte string literal."""
    plain = {0x22: '\\"', 0x5C: "\\\\"}
    found = (plain.get(one, chr(one)) if 0x20 <= one <= 0x7E else f"\\x{one:02x}" for one in value)
    return f'b"{"".join(found)}"'
