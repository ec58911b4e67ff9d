"""Lua literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["Raw", "lua", "number_pair", "text"]

_WIDTH = 110
_WORDS = "and break do else elseif end false for function goto if in local nil not or repeat return then true"
_RESERVED = frozenset([*_WORDS.split(), "until", "while"])


class Raw(str):
    """Lua source that is inserted unchanged."""

    __slots__ = ()


def text(content: str | bytes) -> str:
    """A string literal with its quotes; bytes that are not printable ASCII are escaped."""
    encoded = content.encode() if isinstance(content, str) else content
    parts = []
    for byte in encoded:
        if byte in b'"\\':
            parts.append("\\" + chr(byte))
        elif 0x20 <= byte < 0x7F:
            parts.append(chr(byte))
        else:
            parts.append(f"\\{byte:03}")
    return f'"{"".join(parts)}"'


def number_pair(value: int) -> dict[str, object]:
    """A number of 64 bits, signed or not, as two unsigned ones of 32 bits: the upper `hi` and the lower `lo`."""
    value &= (1 << 64) - 1
    return {"hi": value >> 32, "lo": value & 0xFFFFFFFF}


def lua(value: object, indent: int = 0) -> str:
    """`value` as a Lua expression. Lists and mappings (without None) are tables, with `indent` levels if long."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, bytes)):
        return text(value)
    if isinstance(value, Mapping):
        return _table(
            [f"{_key(key)} = {lua(item, indent + 1)}" for key, item in value.items() if item is not None],
            indent,
        )
    if isinstance(value, Sequence):
        return _table([lua(item, indent + 1) for item in value], indent)
    return str(value)


def _key(key: object) -> str:
    if isinstance(key, str) and key.isidentifier() and key not in _RESERVED:
        return key
    return f"[{lua(key)}]"


def _table(parts: list[str], indent: int) -> str:
    line = "{ " + ", ".join(parts) + " }" if parts else "{}"
    if "\n" not in line and len(line) + 2 * indent <= _WIDTH:
        return line
    inner = "".join(f"{'  ' * (indent + 1)}{part},\n" for part in parts)
    return "{\n" + inner + "  " * indent + "}"
