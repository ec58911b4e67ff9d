"""Constants and comments in C++'s spelling."""

from __future__ import annotations

import textwrap

__all__ = ["COMPARISONS", "comment", "literal", "octets", "quoted"]

_WIDTH = 104
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal_to", "not_equal_to")
#: What the functions of comparisons are called.
COMPARISONS = dict(zip(("<", "<=", ">", ">=", "==", "!="), _COMPARISONS, strict=True))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "?"}


def quoted(text: str | bytes) -> str:
    """A literal of the octets of `text`."""
    content = text.encode() if isinstance(text, str) else text
    shown = (
        _ESCAPES.get(chr(one)) or (chr(one) if 0x20 <= one < 0x7F else f"\\{one:03o}") for one in content
    )
    return f'"{"".join(shown)}"'


def literal(value: int | str | bytes | None) -> str:
    """A number, or what a `std::string_view` of the octets of a text is made of."""
    if isinstance(value, int):
        return f"{value}U" if value >= 0 else "INT64_MIN" if value == -(1 << 63) else str(value)
    content = value.encode() if isinstance(value, str) else value or b""
    return f"std::string_view({quoted(content)}, {len(content)})" if b"\0" in content else quoted(content)


def octets(content: bytes | str) -> str:
    """The elements of an array of octets."""
    return ", ".join(f"0x{one:02X}" for one in (content.encode() if isinstance(content, str) else content))


def _sentence(text: str) -> str:
    """`text` with a stop at its end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def comment(text: str, indent: int = 0) -> str:
    """The lines of a documentation comment, each paragraph folded and made a sentence; nothing if there is no text."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        content = _sentence(paragraph).replace("\\", "\\\\")
        folded = textwrap.wrap(content, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
        lines += ["///"] if folded and lines else []
        # a backslash at a line's end would take the next line into the comment
        lines += [f"/// {line}." if line.endswith("\\") else f"/// {line}" for line in folded]
    return "".join(f"{line}\n" for line in lines)
