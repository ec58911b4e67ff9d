"""Files of reports and findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["read_json", "replace_json", "write_json", "write_text"]


def read_json(path: Path) -> Any:
    """Reads the document at `path`. Raises ValueError, with a message for the user, if it is unreadable or not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: not JSON: nested too deeply") from error


def write_json(path: Path, document: Any) -> None:
    """Writes `document` as JSON, and creates missing folders. Raises OSError if that fails."""
    write_text(path, json.dumps(document, indent=1) + "\n")


def replace_json(path: Path, document: Any) -> None:
    """As :func:`write_json`, but the file is never incomplete, even if the process is killed meanwhile."""
    partial = path.with_name(f"{path.name}.partial")
    write_json(partial, document)
    partial.replace(path)


def write_text(path: Path, text: str) -> None:
    """Writes `text` in UTF-8, and creates missing folders. Raises OSError if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
