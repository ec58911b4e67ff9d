"""clang-format, once for all files."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ..formatting import FormatterError

__all__ = ["clang_format"]

_STYLE = (
    "{BasedOnStyle: Google, ColumnLimit: 110, AllowShortFunctionsOnASingleLine: All,"
    " AllowShortCaseLabelsOnASingleLine: true, IncludeBlocks: Preserve, CommentPragmas: '^/'}"
)


def _binary() -> str:
    beside = Path(sys.executable).parent / "clang-format"
    found = str(beside) if beside.exists() else shutil.which("clang-format")
    if found is None:
        raise FormatterError("clang-format is needed to format C++: pip install clang-format")
    return found


def clang_format(sources: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """Each source, by path, in clang-format's form. Raises FormatterError."""
    return dict(zip(sources, _formatted(tuple(sources.values())), strict=True))


@lru_cache(maxsize=8)
def _formatted(sources: tuple[str, ...]) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.cpp" for number in range(len(sources))]
        for file, text in zip(files, sources, strict=True):
            file.write_text(text, encoding="utf-8")
        command = [_binary(), "-i", f"--style={_STYLE}", *map(str, files)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"clang-format refused generated C++:\n{run.stdout}{run.stderr}")
        return tuple(file.read_text(encoding="utf-8") for file in files)
