"""What our models generate, made once: the formatters of seven languages take their time."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from zeps_codegen import generate as driver
from zeps_codegen.generate import TARGETS, Target
from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle

ROOT = Path(__file__).parents[2]
BUNDLE = load_bundle(sorted((ROOT / "protocol").glob("*.xml")))

#: The files of each target by its name.
Made = Mapping[str, Mapping[PurePosixPath, bytes]]


@pytest.fixture(scope="session")
def generated(built: Callable[..., Path]) -> Path:
    """A folder: `tree` has our models and all that they generate, `made` what each target made of them."""
    return built("generated", _generate)


@pytest.fixture
def recalled(generated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of our models each target makes what it made before; of others, what it makes."""
    _recall(pickle.loads((generated / "made").read_bytes()), monkeypatch)


def _generate(folder: Path) -> None:
    made = {target.name: target.files(BUNDLE, True) for target in TARGETS if not target.shows_others}
    (folder / "made").write_bytes(pickle.dumps(made))
    grammars = shutil.ignore_patterns("grammar")
    shutil.copytree(ROOT / "protocol", folder / "tree" / "protocol", ignore=grammars)
    with pytest.MonkeyPatch.context() as patch:
        _recall(made, patch)
        driver.generate(BUNDLE, folder / "tree")


def _recall(made: Made, patch: pytest.MonkeyPatch) -> None:
    found = [_recalling(one, made[one.name]) if one.name in made else one for one in TARGETS]
    patch.setattr(driver, "TARGETS", tuple(found))


def _recalling(target: Target, made: Mapping[PurePosixPath, bytes]) -> Target:
    def render(bundle: Bundle, formatted: bool = True) -> Mapping[PurePosixPath, bytes]:
        return made if formatted and bundle == BUNDLE else target.files(bundle, formatted)

    return replace(target, render=render)
