"""Prettier over everything that is generated, in one process."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from ..formatting import format_files

__all__ = ["prettier_format"]

_OURS = Path(__file__).parents[4] / "tools/node/node_modules/prettier/bin/prettier.cjs"
_OPTIONS = "--no-config --no-editorconfig --ignore-path= --print-width=110 --log-level=warn --write"


def prettier_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by its path, in prettier's form."""
    program, arguments = (
        ("node", [str(_OURS)]) if _OURS.exists() and shutil.which("node") else ("prettier", [])
    )
    hint = "install Node 20, then npm ci --prefix tools/node"
    return format_files(program, [*arguments, *_OPTIONS.split()], sources, hint)
