"""Puts the shared helpers in reach, and gives tests a broker that ends with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from killable_broker import KillableBroker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[KillableBroker]:
    """A broker's process, running."""
    made = KillableBroker(tmp_path)
    made.start()
    yield made
    made.kill()
