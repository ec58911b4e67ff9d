"""Formats mappings, lists and scalars as readable YAML: the subset that a .ksy file needs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from ..comments import wrapped

__all__ = ["Hex", "Node", "dump"]


class Hex(int):
    """A byte, shown in hexadecimal."""

    __slots__ = ()


Node = Mapping[str, "Node"] | Sequence["Node"] | str | int | bool
_PLAIN = re.compile(r"[A-Za-z_][\w./:-]*\w|[A-Za-z_]")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_WIDTH = 100


def dump(node: Node) -> str:
    """Formats `node` as a YAML document."""
    return "\n".join(_lines(node, 0)) + "\n"


def _lines(node: Node, indent: int) -> list[str]:
    before = "  " * indent
    if isinstance(node, Mapping):
        return [
            line for key, item in node.items() for line in _entry(f"{before}{_scalar(key)}:", item, indent)
        ]
    assert isinstance(node, Sequence)
    lines = []
    for item in node:
        first, *rest = (
            _lines(item, indent + 1)
            if isinstance(item, Mapping) and item
            else [before + "  " + _inline(item)]
        )
        lines += [f"{before}- {first[2 * indent + 2 :]}", *rest]
    return lines


def _entry(head: str, item: Node, indent: int) -> list[str]:
    if isinstance(item, str) and head.endswith("doc:"):
        return _doc(head, item, indent)
    if isinstance(item, (str, int)) or not item or _is_flat(item):
        return [f"{head} {_inline(item)}"]
    return [head, *_lines(item, indent + 1)]


def _doc(head: str, text: str, indent: int) -> list[str]:
    before = "  " * (indent + 1)
    lines = wrapped(*text.split("\n\n"), width=_WIDTH - len(before))
    if len(lines) == 1:
        return [f"{head} {_scalar(lines[0])}"]
    return [f"{head} |", *(before + line if line else "" for line in lines)]


def _is_flat(item: Node) -> bool:
    return isinstance(item, Sequence) and all(isinstance(part, (str, int)) for part in item)


def _inline(item: Node) -> str:
    if isinstance(item, (str, int)):
        return _scalar(item)
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_inline(value)}" for key, value in item.items()) + "}"
    return "[" + ", ".join(map(_inline, item)) + "]"


def _scalar(value: str | int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Hex):
        return f"0x{value:02x}"
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS and not value.endswith(":"):
        return value
    return json.dumps(value, ensure_ascii=False)
