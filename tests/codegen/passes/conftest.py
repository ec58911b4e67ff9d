"""Makes the shared helpers importable, and loads our models of ZEPS."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle

sys.path.insert(0, str(Path(__file__).parent / "helpers"))


@pytest.fixture(scope="session")
def zeps() -> Bundle:
    """The protocol `zeps` with its server and its client."""
    return load_bundle(sorted((Path(__file__).parents[3] / "protocol").glob("zeps*.xml")))
