"""Checks values of TOML and JSON. A ValueError's message is for the user and begins with `where`, such as a path."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

__all__ = ["check_keys", "parsed_as", "seconds_of", "tables_of", "texts_of", "value_of", "words_of"]

V = TypeVar("V", str, int, dict[str, Any], list[Any])

_KINDS = {str: "a string", int: "a whole number", dict: "a table", list: "a list"}


def check_keys(where: Path | str, document: Mapping[str, Any], known: Collection[str]) -> None:
    """Raises ValueError if `document` has a key that is not in `known`."""
    if unknown := set(document) - set(known):
        raise ValueError(
            f"{where}: unknown keys: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}"
        )


def value_of(where: Path | str, document: object, key: str, kind: type[V], default: V | None = None) -> V:
    """Returns the value at `key` or the default. Raises ValueError for a wrong type, or if neither exists."""
    value = document.get(key, default) if isinstance(document, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{where}: {key} must be {_KINDS[kind]}")
    return value


def seconds_of(
    where: Path | str, document: Mapping[str, Any], key: str, default: float | None = None
) -> float:
    """Returns the seconds at `key` or the default. Raises ValueError if not positive, or if neither exists."""
    value = document.get(key, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
        raise ValueError(f"{where}: {key} must be a positive number of seconds")
    return float(value)


def words_of(where: Path | str, document: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Returns the list of strings at `key`. Raises ValueError if it is missing, empty or not a list of strings."""
    words = document.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{where}: {key} must be a non-empty list of words")
    return tuple(words)


def texts_of(where: Path | str, document: Mapping[str, Any], key: str) -> dict[str, str]:
    """Returns the table at `key` as texts, empty if missing. Raises ValueError if it is not a table or is nested."""
    table = value_of(where, document, key, dict, {})
    if wrong := [name for name, value in table.items() if isinstance(value, dict | list)]:
        raise ValueError(f"{where}: {key}: {wrong[0]} must be a string")
    return {name: str(value) for name, value in table.items()}


def tables_of(
    where: Path | str, document: object, key: str, default: list[Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the tables at `key` or the default. Raises ValueError for a wrong type, or if neither exists."""
    tables = document.get(key, default) if isinstance(document, Mapping) else None
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{where}: {key} must be a list of tables")
    return tables


def parsed_as(kind: Any, where: str, value: object) -> Any:
    """Returns a JSON value as a `kind`: a dataclass, an Enum, a list or an optional one of such, str, int, float or
    bool. Raises ValueError for a value of another type, a missing or unknown key, and a number that is not finite.
    """
    if type(None) in get_args(kind):
        return None if value is None else parsed_as(get_args(kind)[0], where, value)
    if get_origin(kind) is list and isinstance(value, list):
        (item,) = get_args(kind)
        return [parsed_as(item, f"{where}[{index}]", inner) for index, inner in enumerate(value)]
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, Mapping):
        known = fields(kind)
        check_keys(where, value, {field.name for field in known})
        for field in known:
            if field.name not in value and field.default is field.default_factory is MISSING:
                raise ValueError(f"{where}: {field.name} is missing")
        hints = get_type_hints(kind)
        values = {name: parsed_as(hints[name], f"{where}.{name}", inner) for name, inner in value.items()}
        return kind(**values)
    if isinstance(kind, type) and issubclass(kind, Enum):
        if type(value) is str and value in [member.value for member in kind]:
            return kind(value)
    elif type(value) is (int if kind is float and type(value) is int else kind) and _is_finite(value):
        return value
    raise ValueError(f"{where}: a value of another type than in this format")


def _is_finite(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)
