"""gofmt, once for all files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..formatting import FormatterError

__all__ = ["go_format"]


def go_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by its path in the module, in gofmt's form. FormatterError without gofmt."""
    return dict(zip(sources, _formatted(tuple(sources.values())), strict=True))


@lru_cache(maxsize=8)
def _formatted(sources: tuple[str, ...]) -> tuple[str, ...]:
    found = shutil.which("gofmt")
    if found is None:
        raise FormatterError(
            "gofmt is needed to format Go: install Go 1.21 or later (apt-get install golang)"
        )
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.go" for number in range(len(sources))]
        for file, text in zip(files, sources, strict=True):
            file.write_text(text, encoding="utf-8")
        run = subprocess.run([found, "-w", folder], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"gofmt refused generated Go:\n{run.stderr}")
        return tuple(file.read_text(encoding="utf-8") for file in files)
