"""The formatters of the target languages. One that is missing is an error: output has one form only."""

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
    """A formatter is missing, or refused what it was given; the text says what to do."""


def format_files(
    program: str, arguments: Sequence[str], sources: Mapping[str, str], hint: str, settings: str = ""
) -> dict[str, str]:
    """Each source, by its path, as `program` leaves it when it is called once, in their folder, with `arguments` and
    all paths. `settings` is an empty file that has to be there; `hint` says how to install the program. It is looked
    for beside the interpreter, and then on the path.
    """
    found = _found(program)
    if found is None:
        raise FormatterError(f"{program} is needed to format what is generated: {hint}")
    with tempfile.TemporaryDirectory() as folder:
        written = {**sources, settings: ""} if settings else sources
        for path, text in written.items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        command = [found, *arguments, *sources]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"{program} refused what was generated:\n{run.stdout}{run.stderr}")
        return {path: (Path(folder) / path).read_text(encoding="utf-8") for path in sources}


def _found(program: str) -> str | None:
    beside = Path(sys.executable).parent / program
    return str(beside) if beside.exists() else shutil.which(program)


def _ruff() -> str:
    found = _found("ruff")
    if found is None:
        raise FormatterError("ruff is needed to format Python: pip install 'ruff>=0.6'")
    return found


def go_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by its path, in gofmt's form; of a Markdown file the first block of Go."""
    pages = {path: _split(text) for path, text in sources.items() if path.endswith(".md")}
    code = {path: text for path, text in sources.items() if path not in pages}
    code |= {f"{path}.go": block for path, (_, block, _) in pages.items() if block}
    made = format_files("gofmt", ["-w"], code, "install Go 1.21 or later (apt-get install golang)")
    for path, (before, _, after) in pages.items():
        made[path] = before + made.pop(f"{path}.go", "") + after
    return made


def _split(page: str) -> tuple[str, str, str]:
    """What precedes the first block of Go, the block, and what follows it."""
    before, fence, rest = page.partition("```go\n")
    block, end, after = rest.partition("```\n")
    return before + fence, block, end + after


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
