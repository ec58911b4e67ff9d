"""Puts the harness in reach, and gives each test brokers that end with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import BrokerProcess, Peer, Peers


@pytest.fixture
def peers() -> Iterator[Peers]:
    """Makes raw clients, and closes them."""
    made = Peers()
    yield made
    made.close()


@pytest.fixture
def connect(peers: Peers) -> Callable[..., Peer]:
    """`connect(endpoint, stream=None)` is a raw client, attached if a stream is given."""
    return peers.connect


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., BrokerProcess]]:
    """`launch(*options, …)` is a broker's process that is ready; the data folder is the test's."""
    made: list[BrokerProcess] = []

    def make(*options: str, start: bool = True, **more: object) -> BrokerProcess:
        more.setdefault("data", tmp_path / "data")
        broker = BrokerProcess(tmp_path / f"broker-{len(made)}", *options, **more)  # type: ignore[arg-type]
        made.append(broker)
        if start:
            broker.start()
        return broker

    yield make
    for broker in made:
        broker.end()
