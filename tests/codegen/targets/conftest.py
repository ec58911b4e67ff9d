"""Makes the shared helpers importable; builds each language's driver once, for many models together."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "passes" / "helpers"))
sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from built_models import CORPUS, DRIVERS, DROPPED, Model, handmade, joined, mutant, random_bundle

from zeps_codegen.generate import generate
from zeps_conformance.codec.campaign import DriverCommand


@pytest.fixture(scope="session")
def helpers(built: Callable[..., Path]) -> Model:
    """The models of `helpers` and of the corpus, a mutant of ZEPS, and a random model, as one bundle.

    The package of each language is in its folder.
    """

    def join(folder: Path) -> None:
        known = handmade("known", "signed", "deep", "features", CORPUS)
        random = random_bundle()
        model = Model(joined(known, mutant(DROPPED, folder), random), folder)
        model.random = [protocol.name for protocol in random.protocols]
        generate(model.bundle, folder, sorted(DRIVERS), formatted=False)
        (folder / "model").write_bytes(pickle.dumps(model))

    model: Model = pickle.loads((built("models", join) / "model").read_bytes())
    return model


@pytest.fixture
def driver(language: str, helpers: Model, built: Callable[..., Path]) -> DriverCommand:
    """The language's driver for these models, built once for all tests that are `grouped`."""

    def build(folder: Path) -> None:
        package = helpers.folder / "generated" / language
        words = DRIVERS[language].made(package, folder, lambda _text: None)
        (folder / "command.json").write_text(json.dumps(words))

    folder = built(f"helpers-{language}", build)
    return DriverCommand(language, tuple(json.loads((folder / "command.json").read_text())))
