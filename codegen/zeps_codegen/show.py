"""Formats a decoded message as a table with the offset, size, name, value and bytes of each field."""

from __future__ import annotations

from collections.abc import Sequence

from .diagnostics import counted
from .interpret import Decoded, DecodedField, Value

__all__ = ["show_message"]

_ITEMS_MAX = 16


def show_message(decoded: Decoded, frames: Sequence[bytes]) -> str:
    """Formats the message's name, id and size, and a line for each field: offset, size (bytes), name, value, bytes. Of
    several frames the offset is `frame:offset`, both from 0. At most 16 bytes and 16 items are shown.
    """
    size = sum(len(frame) for frame in frames)
    title = f"{decoded.message.name} (id {decoded.message.id}), {counted(size, 'byte')}"
    if len(frames) > 1:
        title += f" in {len(frames)} frames"
    rows = [("offset", "size", "field", "value", "bytes")]
    for item in decoded.fields:
        offset = f"{item.frame}:{item.offset}" if len(frames) > 1 else str(item.offset)
        content = frames[item.frame][item.offset : item.offset + item.size]
        rows.append((offset, str(item.size), item.name, _value(item), _hex(content)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [title, ""]
    for row in rows:
        cells = [f"{cell:{side}{width}}" for cell, side, width in zip(row, ">><<", widths, strict=False)]
        lines.append("  ".join((*cells, row[4])).rstrip())
    return "\n".join(lines)


def _value(item: DecodedField) -> str:
    if item.name == "signature":
        return ""
    text = _plain(item.value)
    if item.reserved:
        return f"{text} (reserved)"
    return f"{text} (constant)" if item.constant else text


def _plain(value: Value) -> str:
    if isinstance(value, bytes):
        return counted(len(value), "byte")
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    parts = [
        f"{_quoted(item[0])}: {_quoted(item[1])}" if isinstance(item, tuple) else _plain(item)
        for item in value
    ]
    text = ", ".join(parts[:_ITEMS_MAX]) + (", …" if len(parts) > _ITEMS_MAX else "")
    return f"[{text}]"


def _quoted(text: str) -> str:
    """The text in quotes; characters that are not printable are escaped."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped)
    return f'"{printable}"'


def _hex(content: bytes) -> str:
    digits = content[:_ITEMS_MAX].hex(" ").upper()
    return f"{digits} …" if len(content) > _ITEMS_MAX else digits
