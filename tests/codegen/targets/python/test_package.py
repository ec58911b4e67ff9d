"""The Python package for users: its README works, its own tests pass, and its wheel contains only the package."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from programs import GOLDEN, HELPERS, ROOT, examples, models, write
from programs import run as run_in

from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets.python import render

MODELS = {
    "zeps": models(ROOT / "protocol"),
    "features": sorted((HELPERS / "features").glob("features*.xml")),
    "weather": models(GOLDEN / "weather"),
}
PACKAGE = Package("acme-wire", "1.2.3", license="MPL-2.0", license_text="the license\n", authors=("Acme",))


@pytest.fixture(scope="module", params=MODELS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("package")
    return write(render(load_bundle(MODELS[request.param]), package=PACKAGE), root) / "generated" / "python"


def run(folder: Path, *words: str) -> str:
    """Runs the interpreter and returns its output."""
    return run_in(
        [sys.executable, *words], folder, PYTHONPATH=str(folder), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"
    )


def test_the_readme_runs(folder: Path) -> None:
    readme_examples = examples((folder / "README.md").read_text(encoding="utf-8"), "python")
    assert readme_examples
    printed = [run(folder, "-c", example) for example in readme_examples]
    assert not printed[0]
    assert all("send " in text and text.splitlines()[-1].isupper() for text in printed[1:])


def test_its_own_tests_pass(folder: Path) -> None:
    assert " passed" in run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")


def test_the_wheel_holds_the_package_alone(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    run(copy, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path))
    (path,) = tmp_path.glob("acme_wire-1.2.3-*.whl")
    wheel = zipfile.ZipFile(path)
    names = set(wheel.namelist())
    assert {"acme_wire/__init__.py", "acme_wire/py.typed", "acme_wire/layout.py"} <= names
    assert {name.split("/")[0] for name in names} == {"acme_wire", "acme_wire-1.2.3.dist-info"}
    metadata = wheel.read("acme_wire-1.2.3.dist-info/METADATA").decode()
    assert "License-Expression: MPL-2.0" in metadata
    assert "Requires-Dist" not in metadata
    assert any(name.endswith("LICENSE") for name in names)
