"""TypeScript syntax: literals, calls and doc comments."""

from __future__ import annotations

import json

from ..comments import wrapped

__all__ = ["SAFE_MAX", "call", "doc", "latin", "literal", "quoted"]

#: The greatest integer up to which JavaScript numbers are exact.
SAFE_MAX = 2**53 - 1
_WIDTH = 104


def quoted(text: str | None) -> str:
    """`text` as a literal with characters beyond ASCII escaped; None is null."""
    return json.dumps(text)


def latin(data: bytes) -> str:
    """`data` as a string literal with one character for each byte."""
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}" for byte in data)
    return f'"{"".join(plain)}"'


def literal(value: int | str | bytes, big: bool | None = None) -> str:
    """`value` as a literal; a number is a bigint if `big`, or (without `big`) if it exceeds the exact range."""
    if isinstance(value, bytes):
        return f"Uint8Array.of({', '.join(f'{octet:#04x}' for octet in value)})"
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return json.dumps(value) + "n" * (is_number and (abs(int(value)) > SAFE_MAX if big is None else big))


def call(function: str, *arguments: object, limit: int | None = None) -> str:
    """A call, with `limit` as its last argument, if it is not None."""
    last = [] if limit is None else [literal(limit)]
    return f"{function}({', '.join([*map(str, arguments), *last])})"


def doc(*paragraphs: str) -> str:
    """The wrapped lines of a doc comment, each with its newline; empty without text."""
    lines = wrapped(*(text.replace("*/", "* /") for text in paragraphs), width=_WIDTH)
    if len(lines) <= 1:
        return "".join(f"/** {line} */\n" for line in lines)
    return "".join(f"{line}\n" for line in ("/**", *(f" * {line}".rstrip() for line in lines), " */"))
