"""Constants and comments in C++'s spelling."""

from __future__ import annotations

import textwrap

__all__ = ["array", "comment", "number", "string", "string_view"]

_WIDTH = 104
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "?"}


def number(value: int) -> str:
    """A number that is not less than 0, or a signed one."""
    if value == -(1 << 63):
        return "INT64_MIN"
    return f"{value}U" if value >= 0 else str(value)


def string(text: str | bytes) -> str:
    """A literal of the octets of `text`."""
    octets = text.encode() if isinstance(text, str) else text
    shown = (_ESCAPES.get(chr(one)) or (chr(one) if 0x20 <= one < 0x7F else f"\\{one:03o}") for one in octets)
    return f'"{"".join(shown)}"'


def string_view(text: str | bytes) -> str:
    """What a `std::string_view` of the octets of `text` is made of."""
    octets = text.encode() if isinstance(text, str) else text
    return f"std::string_view({string(octets)}, {len(octets)})" if b"\0" in octets else string(octets)


def array(octets: bytes) -> str:
    """The elements of an array of octets."""
    return ", ".join(f"0x{octet:02X}" for octet in octets)


def comment(*paragraphs: str, indent: int = 0, after: str = "///") -> list[str]:
    """The lines of a documentation comment, folded; a paragraph that is empty is none."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split()).replace("\\", "\\\\")
        folded = textwrap.wrap(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
        if folded and lines:
            lines.append(after)
        # a backslash at a line's end would take the next line into the comment
        lines += [f"{after} {line}." if line.endswith("\\") else f"{after} {line}" for line in folded]
    return lines
