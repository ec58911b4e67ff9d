"""The formatters of the target languages. One that is missing is an error: output has one form only."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["FormatterError", "ruff_format"]

_LINE_LENGTH = 110


class FormatterError(Exception):
    """A formatter is missing, or refused what it was given; the text says what to do."""


def _ruff() -> str:
    beside = Path(sys.executable).parent / "ruff"
    found = str(beside) if beside.exists() else shutil.which("ruff")
    if found is None:
        raise FormatterError("ruff is needed to format Python: pip install 'ruff>=0.6'")
    return found


def ruff_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by file name, in ruff's form."""
    command = [_ruff(), "format", "--isolated", "--quiet", "--no-cache", "--line-length", str(_LINE_LENGTH)]
    sort = [
        _ruff(),
        "check",
        "--isolated",
        "--quiet",
        "--no-cache",
        "--select",
        "F401,I,RUF022,RUF023",
        "--fix",
    ]
    sort += ["--target-version", "py311", "--line-length", str(_LINE_LENGTH)]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text)
        for step in (sort, [*command, "--target-version", "py311"]):
            run = subprocess.run([*step, folder], capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise FormatterError(f"ruff refused generated Python:\n{run.stdout}{run.stderr}")
        return {name: (Path(folder) / name).read_text() for name in sources}
