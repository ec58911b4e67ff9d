"""The real broker as a process that a test may kill and restart on the same port and journal."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import BrokerProcess


class RealBroker(BrokerProcess):
    """`zeps broker` on loopback, running inside a `with` block. `endpoint` stays the same over restarts, and each reads
    the configuration `zeps.toml` in `folder` again.
    """

    def __init__(self, folder: Path, config: str = "") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        super().__init__(folder, config=config, bind=[f"tcp://127.0.0.1:{port}"])

    def __enter__(self) -> RealBroker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    """The real broker, running."""
    with RealBroker(tmp_path) as made:
        yield made
