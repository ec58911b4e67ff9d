"""Adds the helpers' folder to the module path, and defines the fixture `broker`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from killable_broker import KillableBroker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[KillableBroker]:
    """A running broker process."""
    made = KillableBroker(tmp_path)
    made.start()
    yield made
    made.end()
