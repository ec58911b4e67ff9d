"""Makes the harness importable, and gives each test brokers that end with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import zmq

sys.path.insert(0, str(Path(__file__).parent))

from attack_harness import CONFIGURATION, AttackProcess
from bystander import Bystander, HonestProcess
from harness import PATIENCE, BrokerProcess, Peer, Peers, eventually


@pytest.fixture
def peers() -> Iterator[Peers]:
    """Creates raw clients, and closes them."""
    made = Peers()
    yield made
    made.close()


@pytest.fixture
def connect(peers: Peers) -> Callable[..., Peer]:
    """`connect(endpoint, stream=None)` returns a raw client, attached if a stream is given."""
    return peers.connect


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., BrokerProcess]]:
    """`launch(*options, start=True, …)` returns a broker's process, ready if `start`; the data folder is the test's."""
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


@pytest.fixture
def opened() -> Iterator[Callable[..., zmq.Socket[bytes]]]:
    """`opened(kind, endpoint)` returns a socket connected to the endpoint, or unconnected without one."""
    with zmq.Context() as context, ExitStack() as sockets:

        def make(kind: int, endpoint: str | None = None) -> zmq.Socket[bytes]:
            made = sockets.enter_context(context.socket(kind))
            made.linger = 0
            made.reconnect_ivl = 20
            made.rcvtimeo = round(PATIENCE * 1000)
            made.rcvhwm = made.sndhwm = 0
            if endpoint is not None:
                made.connect(endpoint)
            return made

        yield make


@pytest.fixture
def attacked(launch: Callable[..., BrokerProcess]) -> BrokerProcess:
    """A broker with small bounds."""
    return launch(config=CONFIGURATION)


@pytest.fixture
def bystander(attacked: BrokerProcess, connect: Callable[..., Peer]) -> Bystander:
    """A well-behaved client of `attacked` that has been running for a while."""
    made = Bystander(connect(attacked.endpoint))
    eventually("the first rounds", lambda: made.rounds() >= 10)
    return made


@pytest.fixture
def attacking() -> Iterator[Callable[..., AttackProcess]]:
    """`attacking(…)` returns a process of attackers that ends with the test."""
    made: list[AttackProcess] = []

    def make(*arguments: Any, **options: Any) -> AttackProcess:
        made.append(AttackProcess(*arguments, **options))
        return made[-1]

    yield make
    for process in made:
        process.kill()


@pytest.fixture
def honest(attacked: BrokerProcess) -> Iterator[HonestProcess]:
    """20 well-behaved clients of `attacked`."""
    made = HonestProcess(attacked.endpoint)
    yield made
    made.kill()
