"""Generated Python passes our own settings of formatter, linter and strict types."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from programs import GOLDEN, ROOT, models, run

from zeps_codegen.generate import generate
from zeps_codegen.load import load_bundle


@pytest.mark.slow
def test_generated_python_is_clean(tmp_path: Path) -> None:
    packages = []
    for model in sorted(path for path in GOLDEN.iterdir() if path.is_dir()):
        generate(load_bundle(models(model)), tmp_path / "made", ["python"])
        package = tmp_path / f"wire_{model.name}"
        shutil.move(tmp_path / "made" / "generated" / "python" / "zeps_wire", package)
        packages.append(package.name)
    ruff = ["--no-cache", "--config", ROOT / "pyproject.toml"]
    run(["ruff", "check", *ruff, *packages], tmp_path)
    run(["ruff", "format", "--check", *ruff, *packages], tmp_path)
    run(["mypy", "--strict", "--config-file=", "--cache-dir", "cache", *packages], tmp_path)
