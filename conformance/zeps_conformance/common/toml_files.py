"""Reading of descriptions in TOML files, and placeholders in them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["fill_placeholders", "read_toml"]


def read_toml(path: Path) -> dict[str, Any]:
    """Reads the document at `path`. Raises ValueError, with a message for the user, if it is unreadable or not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: not TOML: nested too deeply") from error


def fill_placeholders(text: str, places: Mapping[str, str]) -> str:
    """Returns `text` with each name of `places` in braces replaced by its value; other braces are kept."""
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text
