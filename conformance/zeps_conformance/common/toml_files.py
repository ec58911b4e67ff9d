"""Helpers for descriptions in TOML files. Errors are ValueError with a message for the user."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

__all__ = ["check_keys", "fill_placeholders", "read_toml", "texts_of", "words_of"]


def read_toml(path: Path) -> dict[str, Any]:
    """Reads the document at `path`. Raises ValueError, with a message for the user, if it is unreadable or not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from error


def check_keys(path: Path, document: Mapping[str, Any], known: Collection[str]) -> None:
    """Raises ValueError if `document` has a key that is not in `known`; `path` is for the message."""
    if unknown := set(document) - set(known):
        raise ValueError(
            f"{path}: unknown keys: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}"
        )


def words_of(path: Path, document: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Returns the list of strings at `key`. Raises ValueError if it is missing, empty or not a list of strings."""
    words = document.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{path}: {key} must be a non-empty list of words")
    return tuple(words)


def texts_of(document: Mapping[str, Any], key: str) -> dict[str, str]:
    """Returns the table at `key` with its values as texts; empty if the key is missing."""
    return {str(name): str(text) for name, text in document.get(key, {}).items()}


def fill_placeholders(text: str, places: Mapping[str, str]) -> str:
    """Returns `text` with each name of `places` in braces replaced by its value; other braces are kept."""
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text
