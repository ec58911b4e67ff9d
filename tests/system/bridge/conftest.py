"""One RabbitMQ for all tests here, and for each test its bridges, its exchange and its sockets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from bridging import BridgeProcess, Exchange
from rabbit import Rabbit

logging.getLogger("pika").setLevel(logging.CRITICAL + 1)


@pytest.fixture(scope="session")
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rabbit]:
    made = Rabbit(tmp_path_factory.mktemp("rabbit"))
    try:
        made.start()
        yield made
    finally:
        made.end()


@pytest.fixture
def exchange(rabbit: Rabbit, request: pytest.FixtureRequest) -> Iterator[Exchange]:
    """A topic exchange for the test; indirectly, of another type."""
    kind = getattr(request, "param", "topic")
    made = Exchange(rabbit, f"exchange of {request.node.name}", kind)
    yield made
    made.close()


@pytest.fixture
def bridge(exchange: Exchange, tmp_path: Path) -> Iterator[Callable[..., BridgeProcess]]:
    """`bridge(*options)` starts a bridge to the exchange, and returns its process; it ends with the test."""
    made: list[BridgeProcess] = []

    def make(*options: str) -> BridgeProcess:
        made.append(
            BridgeProcess(
                tmp_path / f"bridge-{len(made)}.log",
                *("--amqp", exchange.rabbit.url, "--exchange", exchange.name),
                *("--downstream", "tcp://127.0.0.1:*", "--upstream-bind", "tcp://127.0.0.1:*"),
                *options,
            )
        )
        return made[-1]

    yield make
    for process in made:
        process.end()
