"""clang-format, over all files in one process."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..formatting import FormatterError

__all__ = ["STYLE", "clang_format"]

STYLE = "{BasedOnStyle: LLVM, IndentWidth: 4, ColumnLimit: 120, SortIncludes: Never}"


def _clang_format() -> str:
    beside = Path(sys.executable).parent / "clang-format"
    found = str(beside) if beside.exists() else shutil.which("clang-format")
    if found is None:
        raise FormatterError("clang-format is needed to format C: pip install clang-format")
    return found


def clang_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by file name, in clang-format's form. FormatterError if it is missing or refuses one."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{index}{Path(name).suffix}" for index, name in enumerate(sources)}
        for name, path in paths.items():
            path.write_text(sources[name], encoding="utf-8")
        command = [_clang_format(), "-i", f"--style={STYLE}", *map(str, paths.values())]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"clang-format refused generated C:\n{run.stdout}{run.stderr}")
        return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
