"""Fixtures of the suite's own tests. The helpers are plain modules beside the tests, found by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HELPERS = Path(__file__).parent / "helpers"
sys.path.insert(0, str(HELPERS))

from zeps_conformance.model.definitions import Model, load_model  # noqa: E402
from zeps_conformance.model.interpreter import Interpreter  # noqa: E402


@pytest.fixture(scope="session")
def model() -> Model:
    return load_model()


@pytest.fixture(scope="session")
def codec(model: Model) -> Interpreter:
    return Interpreter(model)
