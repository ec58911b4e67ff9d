"""The output for our models, generated once, because the formatters of seven languages are slow."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

import pytest
from our_models import BUNDLE

from zeps_codegen import generate as driver
from zeps_codegen.generate import TARGETS, Target
from zeps_codegen.ir import Bundle
from zeps_codegen.package import CONFIGURATION, Package, read_package
from zeps_codegen.targets.gallery import Tree

ROOT = Path(__file__).parents[2]
PACKAGE = read_package(ROOT)

#: The files of each target, by its name.
Made = Mapping[str, Mapping[PurePosixPath, bytes]]


@pytest.fixture(scope="session")
def generated(built: Callable[..., Path]) -> Path:
    """A folder: `tree` has our models and their generated files, `made` the output of each target."""
    return built("generated", _generate)


@pytest.fixture
def recalled(generated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets each target return its recorded output for our models; other models are generated."""
    _recall(pickle.loads((generated / "made").read_bytes()), monkeypatch)


def _generate(folder: Path) -> None:
    made = {
        target.name: target.files(BUNDLE, package=PACKAGE) for target in TARGETS if not target.shows_others
    }
    (folder / "made").write_bytes(pickle.dumps(made))
    shutil.copytree(ROOT / "protocol", folder / "tree" / "protocol")
    for name in (CONFIGURATION, "LICENSE"):
        shutil.copy(ROOT / name, folder / "tree")
    with pytest.MonkeyPatch.context() as patch:
        _recall(made, patch)
        driver.generate(BUNDLE, folder / "tree", package=PACKAGE)


def _recall(made: Made, patch: pytest.MonkeyPatch) -> None:
    files = Target.files

    def recalling(
        self: Target,
        bundle: Bundle,
        formatted: bool = True,
        tree: Tree | None = None,
        package: Package = PACKAGE,
    ) -> Mapping[PurePosixPath, bytes]:
        if self.name in made and formatted and (bundle, package) == (BUNDLE, PACKAGE):
            return made[self.name]
        return files(self, bundle, formatted, tree, package)

    patch.setattr(Target, "files", recalling)
