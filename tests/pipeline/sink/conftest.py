"""Puts the shared helpers in reach, and gives tests a broker that ends with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from sink_broker import SinkBroker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[SinkBroker]:
    """A broker's process, running."""
    made = SinkBroker(tmp_path)
    made.start()
    yield made
    made.kill()
