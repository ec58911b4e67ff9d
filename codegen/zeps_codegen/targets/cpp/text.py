"""Literals and comments in C++."""

from __future__ import annotations

import textwrap

__all__ = ["COMPARISONS", "comment", "literal", "octets", "quoted"]

_WIDTH = 104
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal_to", "not_equal_to")
#: The names of the functions for comparisons.
COMPARISONS = dict(zip(("<", "<=", ">", ">=", "==", "!="), _COMPARISONS, strict=True))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "?"}


def quoted(text: str | bytes) -> str:
    """A literal of the bytes of `text`."""
    content = text.encode() if isinstance(text, str) else text
    shown = (
        _ESCAPES.get(chr(one)) or (chr(one) if 0x20 <= one < 0x7F else f"\\{one:03o}") for one in content
    )
    return f'"{"".join(shown)}"'


def literal(value: int | str | bytes | None) -> str:
    """A number, or the arguments of a `std::string_view` of the bytes of a text."""
    if isinstance(value, int):
        return f"{value}U" if value >= 0 else "INT64_MIN" if value == -(1 << 63) else str(value)
    content = value.encode() if isinstance(value, str) else value or b""
    return f"std::string_view({quoted(content)}, {len(content)})" if b"\0" in content else quoted(content)


def octets(content: bytes | str) -> str:
    """The elements of an array of bytes."""
    return ", ".join(f"0x{one:02X}" for one in (content.encode() if isinstance(content, str) else content))


def _sentence(text: str) -> str:
    """`text` with a full stop at its end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def comment(text: str, indent: int = 0) -> str:
    """The lines of a documentation comment, with wrapped paragraphs that end in a full stop; empty without text."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        content = _sentence(paragraph).replace("\\", "\\\\")
        folded = textwrap.wrap(content, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
        lines += ["///"] if folded and lines else []
        # a backslash at the end of a line would continue the comment
        lines += [f"/// {line}." if line.endswith("\\") else f"/// {line}" for line in folded]
    return "".join(f"{line}\n" for line in lines)
