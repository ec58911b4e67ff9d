"""Puts the shared helpers in reach."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "broker" / "journal" / "helpers"))

from journal_helpers import QuickDisk

from zeps_broker.journal import JournalStore


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., JournalStore]]:
    """`opened(...)` is a JournalStore in the test's folder, on a quick disk, closed at the end if the test did not."""
    stores: list[JournalStore] = []

    def open_store(**options: Any) -> JournalStore:
        options.setdefault("disk", QuickDisk())
        store = JournalStore(options.pop("path", tmp_path / "data"), **options)
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        store.close()
