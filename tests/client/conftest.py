"""Makes the shared helpers importable, and provides a scriptable broker."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from machine_check import check_batches
from real_broker import broker
from scripted_broker import ScriptedBroker

__all__ = ["broker", "scripted"]


@pytest.fixture
def scripted() -> Iterator[ScriptedBroker]:
    """A broker that a test can script."""
    with ScriptedBroker() as made:
        yield made


@pytest.fixture(autouse=True)
def _machine_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch of deliveries and publishes is compared with the client machine's rows."""
    check_batches(monkeypatch)
