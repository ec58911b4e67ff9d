"""rustfmt, one process for all files. One that is missing is an error: output has one form only."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..formatting import FormatterError

__all__ = ["EDITION", "rustfmt"]

EDITION = "2021"


def rustfmt(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by its path in the crate, in rustfmt's form."""
    program = shutil.which("rustfmt")
    if program is None:
        raise FormatterError("rustfmt is needed to format Rust: rustup component add rustfmt")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rustfmt.toml").touch()  # no settings but rustfmt's own
        for path, text in sources.items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        command = [program, "--edition", EDITION, "--config-path", folder, *sources]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"rustfmt refused generated Rust:\n{run.stdout}{run.stderr}")
        return {path: (Path(folder) / path).read_text(encoding="utf-8") for path in sources}
