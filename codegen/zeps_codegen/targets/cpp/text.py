"""Literals and comments in C++."""

from __future__ import annotations

from ..comments import sentence, wrapped

__all__ = ["COMPARISONS", "byte_list", "comment", "literal", "quoted"]

_WIDTH = 104
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal_to", "not_equal_to")
#: The names of the functions for comparisons.
COMPARISONS = dict(zip(("<", "<=", ">", ">=", "==", "!="), _COMPARISONS, strict=True))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "?"}


def quoted(text: str | bytes) -> str:
    """A literal of the bytes of `text`."""
    content = text.encode() if isinstance(text, str) else text
    escaped = (
        _ESCAPES.get(chr(byte)) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in content
    )
    return f'"{"".join(escaped)}"'


def literal(value: int | str | bytes | None) -> str:
    """A number, or a string literal, as a `std::string_view` if it contains a zero byte; ``""`` for None."""
    if isinstance(value, int):
        return f"{value}U" if value >= 0 else "INT64_MIN" if value == -(1 << 63) else str(value)
    content = value.encode() if isinstance(value, str) else value or b""
    return f"std::string_view({quoted(content)}, {len(content)})" if b"\0" in content else quoted(content)


def byte_list(content: bytes | str) -> str:
    """The elements of an array of bytes."""
    return ", ".join(f"0x{byte:02X}" for byte in (content.encode() if isinstance(content, str) else content))


def comment(text: str, indent: int = 0) -> str:
    """The lines of a wrapped documentation comment, each with a newline; empty without text. `indent` narrows them."""
    paragraphs = (sentence(paragraph).replace("\\", "\\\\") for paragraph in text.split("\n\n"))
    lines = (f"/// {line}".rstrip() for line in wrapped(*paragraphs, width=_WIDTH - indent))
    # a backslash at the end of a line would continue the comment
    return "".join(f"{line}.\n" if line.endswith("\\") else f"{line}\n" for line in lines)
