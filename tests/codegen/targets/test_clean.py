"""Generated Python passes our own settings of formatter, linter and strict types."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from zeps_codegen.generate import generate
from zeps_codegen.load import load_bundle

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.slow
def test_generated_python_is_clean(tmp_path: Path) -> None:
    packages = []
    for model in sorted(path for path in GOLDEN.iterdir() if path.is_dir()):
        generate(load_bundle(sorted(model.glob("*.xml"))), tmp_path / "made", ["python"])
        package = tmp_path / f"wire_{model.name}"
        shutil.move(tmp_path / "made" / "generated" / "python" / "zeps_wire", package)
        packages.append(package.name)
    tools = Path(sys.executable).parent
    for command in (
        [tools / "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml", *packages],
        [tools / "ruff", "format", "--check", "--no-cache", "--config", ROOT / "pyproject.toml", *packages],
        [tools / "mypy", "--strict", "--config-file=", "--cache-dir", "cache", *packages],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
