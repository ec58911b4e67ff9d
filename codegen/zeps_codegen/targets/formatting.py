"""Runs formatters of the target languages on generated files. A missing formatter is an error."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["FormatterError", "format_files", "go_format", "ruff_format"]

_LINE_LENGTH = 110


class FormatterError(Exception):
    """A formatter is missing or failed; the text says how to install it, or what it printed."""


def format_files(
    program: str, arguments: Sequence[str], sources: Mapping[str, str], hint: str, settings: str = ""
) -> dict[str, str]:
    """Formats all sources (text by path) with one call of `program` in a temporary folder. `settings` is the path of an
    empty file that the program needs, if any; `hint` says how to install the program, which is looked up beside the
    interpreter and then on the path. Raises FormatterError if the program is missing or fails.
    """
    beside = Path(sys.executable).parent / program
    executable = str(beside) if beside.exists() else shutil.which(program)
    if executable is None:
        raise FormatterError(f"{program} is needed to format generated files: {hint}")
    with tempfile.TemporaryDirectory() as folder:
        written = {**sources, settings: ""} if settings else sources
        for path, text in written.items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        command = [executable, *arguments, *sources]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"{program} could not format generated files:\n{run.stdout}{run.stderr}")
        return {path: (Path(folder) / path).read_text(encoding="utf-8") for path in sources}


def go_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Formats texts by path with gofmt, in Markdown only the first block of Go. Raises FormatterError."""
    pages = {path: _split(text) for path, text in sources.items() if path.endswith(".md")}
    code = {path: text for path, text in sources.items() if path not in pages}
    code |= {f"{path}.go": block for path, (_, block, _) in pages.items() if block}
    made = format_files("gofmt", ["-w"], code, "install Go 1.21 or later (apt-get install golang)")
    for path, (before, _, after) in pages.items():
        made[path] = before + made.pop(f"{path}.go", "") + after
    return made


def _split(page: str) -> tuple[str, str, str]:
    """The text up to the first block of Go, with its fence, the block, and the rest. Without a block all is first."""
    before, fence, rest = page.partition("```go\n")
    block, end, after = rest.partition("```\n")
    return before + fence, block, end + after


def ruff_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Formats texts by file name with ruff, sorts imports, `__all__` and `__slots__`, and removes unused imports.
    Raises FormatterError.
    """
    options = ["--isolated", "--quiet", "--no-cache", "--target-version", "py311"]
    options += ["--line-length", str(_LINE_LENGTH)]
    formatted = dict(sources)
    for step in (["check", "--select", "F401,I,RUF022,RUF023", "--fix"], ["format"]):
        formatted = format_files("ruff", [*step, *options], formatted, "pip install 'ruff>=0.6'")
    return formatted
