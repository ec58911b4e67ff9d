"""How text and octets are written in Rust."""

from __future__ import annotations

__all__ = ["octets", "quoted"]


def quoted(text: str) -> str:
    """`text` as a string literal."""
    plain = {'"': '\\"', "\\": "\\\\"}
    found = (plain.get(one, one if one.isprintable() else f"\\u{{{ord(one):x}}}") for one in text)
    return f'"{"".join(found)}"'


def octets(value: bytes) -> str:
    """`value` as a byte string literal."""
    plain = {0x22: '\\"', 0x5C: "\\\\"}
    found = (plain.get(one, chr(one) if 0x20 <= one <= 0x7E else f"\\x{one:02x}") for one in value)
    return f'b"{"".join(found)}"'
