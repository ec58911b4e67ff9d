"""Names, literals and documentation in Elixir."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any

from ...ir import Type
from ...naming import Scope, pascal, snake
from ..comments import wrapped

__all__ = ["RUNTIME", "atom", "doc", "literal", "module_name", "scoped"]

#: The modules of the runtime and of the driver, whose names protocols and machines cannot have.
RUNTIME = frozenset(
    name
    for path in Path(__file__).with_name("runtime").rglob("*.ex")
    for name in re.findall(r"defmodule ZepsWire\.(\w+)", path.read_text())
)
_WIDTH = 110


def module_name(name: str) -> str:
    """`name` as the last part of a module's name, which begins with a capital letter."""
    spelled = pascal(name)
    return spelled if spelled[:1].isupper() else f"X{spelled}"


def lower(name: str) -> str:
    """`name` as a variable, a key or a function, which begins with a letter; it may be a reserved word."""
    spelled = snake(name)
    return spelled if spelled[:1].isalpha() else f"x{spelled}"


def scoped(scope: Scope, things: Iterable[Any], prefix: str = "") -> dict[str, str]:
    """The names of variables, keys or functions in Elixir, unique in `scope`, by the names of `things` in the model."""
    return {thing.name: scope.name(prefix + lower(thing.name)) for thing in things}


def literal(value: object, kind: Type | None = None) -> str:
    """A literal: text and bytes are binaries, members of Python's enumerations atoms, sequences lists, None is ``nil``.
    With the kind NUMBER a negative number becomes 0. Raises TypeError for other types.
    """
    match value:
        case None:
            return "nil"
        case bool():
            return str(value).lower()
        case int():
            return str(max(value, 0)) if kind is Type.NUMBER else str(value)
        case Enum():
            return f":{value.name.lower()}"
        case str() if value.isprintable():
            return '"' + re.sub(r'(["\\]|#(?={))', r"\\\1", value) + '"'
        case str():
            return literal(value.encode())
        case bytes() if value.isascii() and value.decode().isprintable():
            return literal(value.decode())
        case bytes():
            parts = re.findall(rb"[A-Za-z0-9 _./:-]{2,}|[\x00-\xff]", value)
            spelled = (f'"{part.decode()}"' if len(part) > 1 else f"0x{part[0]:02X}" for part in parts)
            return f"<<{', '.join(spelled)}>>"
        case tuple() | list():
            return f"[{', '.join(map(literal, value))}]"
    raise TypeError(f"{value!r} has no literal in Elixir")


def atom(name: str) -> str:
    """The atom with the model's spelling of `name`, quoted if necessary."""
    return f":{name}" if re.fullmatch(r"[a-zA-Z_]\w*", name, re.ASCII) else f":{literal(name)}"


def doc(*paragraphs: str, attribute: str = "doc", items: Iterable[tuple[str, str]] = ()) -> str:
    """A documentation attribute (``@doc``, ``@moduledoc``) with wrapped paragraphs and a list of `items` (names and
    texts), without items that have no text; empty without any text.
    """
    listed = [" ".join(f"- `{name}`: {text}".split()) for name, text in items if text.strip()]
    folded = "\n".join(textwrap.fill(item, _WIDTH, subsequent_indent="  ") for item in listed)
    text = "\n".join(wrapped(*paragraphs, width=_WIDTH, break_hyphens=True, break_words=True))
    body = "\n\n".join(filter(None, (text, folded))).replace('"""', "'''")
    return f'@{attribute} ~S"""\n{body}\n"""\n' if body else ""
