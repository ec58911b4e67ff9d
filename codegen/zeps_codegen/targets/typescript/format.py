"""Prettier over everything that is generated, in one process."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ..formatting import FormatterError

__all__ = ["prettier_format"]

_TOOLS = Path(__file__).parents[4] / "tools" / "node"
_OPTIONS = (
    "--no-config",
    "--no-editorconfig",
    "--ignore-path",
    "",
    "--print-width",
    "110",
    "--log-level",
    "warn",
)


def _prettier() -> list[str]:
    ours = _TOOLS / "node_modules" / "prettier" / "bin" / "prettier.cjs"
    if ours.exists() and (node := shutil.which("node")):
        return [node, str(ours)]
    if (found := shutil.which("prettier")) is not None:
        return [found]
    raise FormatterError(
        "prettier is needed to format TypeScript: install Node 20, then npm ci --prefix tools/node"
    )


def prettier_format(sources: Mapping[PurePosixPath, bytes]) -> dict[PurePosixPath, bytes]:
    """Each source, by its path, in prettier's form."""
    command = _prettier()
    with tempfile.TemporaryDirectory() as folder:
        for path, content in sources.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        run = subprocess.run(
            [*command, *_OPTIONS, "--write", "."], cwd=folder, capture_output=True, text=True, check=False
        )
        if run.returncode != 0:
            raise FormatterError(f"prettier refused generated TypeScript:\n{run.stdout}{run.stderr}")
        return {path: Path(folder, path).read_bytes() for path in sources}
