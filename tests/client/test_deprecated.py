"""Former names of the public API: they work, and warn."""

from __future__ import annotations

import pytest

from zeps_client.engine import Statistics
from zeps_client.multicast import MulticastClient


def test_trouble_of_statistics() -> None:
    statistics = Statistics(False, 0, 0, 0, 0, 0, 0, 0, "no answer")
    with pytest.warns(DeprecationWarning, match="use last_error"):
        assert statistics.trouble == "no answer"


def test_trouble_of_a_multicast_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MulticastClient, "last_error", "no answer")
    client = MulticastClient.__new__(MulticastClient)
    with pytest.warns(DeprecationWarning, match="use last_error"):
        assert client.trouble == "no answer"
