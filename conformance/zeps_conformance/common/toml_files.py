"""What the descriptions in TOML files have in common. Errors are ValueError with a text for a user."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

__all__ = ["check_keys", "fill_placeholders", "read_toml", "texts_of", "words_of"]


def read_toml(path: Path) -> dict[str, Any]:
    """The document in the file at `path`. ValueError if it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from error


def check_keys(path: Path, document: Mapping[str, Any], known: Collection[str]) -> None:
    """ValueError if `document` has another key than those `known`."""
    if unknown := set(document) - set(known):
        raise ValueError(f"{path}: unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")


def words_of(path: Path, document: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The list of words at `key`. ValueError if it is empty or anything else."""
    words = document.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{path}: {key} has to be a list of words")
    return tuple(words)


def texts_of(document: Mapping[str, Any], key: str) -> dict[str, str]:
    """The table of texts at `key`; empty if there is no such key."""
    return {str(name): str(text) for name, text in document.get(key, {}).items()}


def fill_placeholders(text: str, places: Mapping[str, str]) -> str:
    """`text` with the value of each of `places` for its name in braces; other braces stay."""
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text
