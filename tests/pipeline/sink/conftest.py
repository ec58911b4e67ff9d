"""The broker of each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from killable_broker import KillableBroker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[KillableBroker]:
    """A running broker process."""
    made = KillableBroker(tmp_path)
    made.start()
    yield made
    made.end()
