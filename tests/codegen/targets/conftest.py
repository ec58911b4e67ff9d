"""Makes the shared helpers importable; builds each driver for the models of `helpers` and of the corpus once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from built_models import CORPUS, DRIVERS, Model, handmade

from zeps_conformance.codec.campaign import DriverCommand


@pytest.fixture(scope="session")
def helpers(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The models of `helpers` as one bundle."""
    return Model(handmade("known", "signed", "deep", "features", CORPUS), tmp_path_factory.mktemp("helpers"))


@pytest.fixture
def driver(language: str, helpers: Model, built: Callable[..., Path]) -> DriverCommand:
    """The language's driver for these models, built once for all tests that are `grouped`."""

    def build(folder: Path) -> None:
        words = Model(helpers.bundle, folder).build(DRIVERS[language]).words
        (folder / "command.json").write_text(json.dumps(words))

    folder = built(f"helpers-{language}", build)
    return DriverCommand(language, tuple(json.loads((folder / "command.json").read_text())))
