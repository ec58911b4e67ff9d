"""Small models, whose generated files are kept beside the tests.

``ZEPS_UPDATE_GOLDEN=1 pytest tests/codegen/targets/test_golden.py`` writes them again: read the difference first.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zeps_codegen.generate import generate
from zeps_codegen.load import load_bundle
from zeps_codegen.manifest import MANIFEST
from zeps_codegen.targets.python.target import RUNTIME

GOLDEN = Path(__file__).parent / "golden"
MODELS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
#: The targets whose output is kept; the packages of other languages are compiled and run instead.
TARGETS = ("python", "model", "abnf", "docs")
#: The same for every model, and kept elsewhere.
NOT_KEPT = {*RUNTIME, "__init__.py", "test_vectors.py", "model.schema.json", MANIFEST.name}


def _is_of_a_package(path: Path) -> bool:
    """Whether the file belongs to the Python package, but is not a module."""
    return path.parent.name == "vectors" or path.parent.name == "python"


def files(folder: Path) -> dict[str, str]:
    """The files below `folder` that are kept, by the names of the golden files."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_of_a_package(path))
    kept = {path.name: path.read_text(encoding="utf-8") for path in paths if path.name not in NOT_KEPT}
    return {f"{name}.txt" if name.endswith(".py") else name: text for name, text in kept.items()}


@pytest.mark.parametrize("model", MODELS)
def test_golden(model: str, tmp_path: Path) -> None:
    bundle = load_bundle(sorted((GOLDEN / model).glob("*.xml")))
    generate(bundle, tmp_path, TARGETS)
    made = files(tmp_path)
    kept = GOLDEN / model / "expected"
    if os.environ.get("ZEPS_UPDATE_GOLDEN"):
        kept.mkdir(exist_ok=True)
        for path in kept.iterdir():
            path.unlink()
        for name, text in made.items():
            (kept / name).write_text(text, encoding="utf-8")
    expected = files(kept)
    assert sorted(made) == sorted(expected)
    for name, text in made.items():
        assert text == expected[name], name
