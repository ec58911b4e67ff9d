"""Puts the shared helpers in reach, and gives tests a broker that ends with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from real_broker import RealBroker
from scripted_broker import ScriptedBroker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    """The real broker, running."""
    made = RealBroker(tmp_path)
    made.start()
    yield made
    made.kill()


@pytest.fixture
def scripted() -> Iterator[ScriptedBroker]:
    """A broker that a test can script."""
    with ScriptedBroker() as made:
        yield made
