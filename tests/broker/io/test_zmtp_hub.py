"""Connections that come and are made in one hub."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest
from transport_helpers import LONG

from zeps_broker.io.errors import TransportError
from zeps_broker.io.zmtp.connection import Connection, Limits
from zeps_broker.io.zmtp.hub import Hub
from zeps_broker.io.zmtp.pubsub import SubscribingConnection

LIMITS = Limits(1000, 1000, 1000)


def make(link: socket.socket, name: str) -> Connection:
    return SubscribingConnection(link, name, LIMITS)


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub(handshakes=2)
    yield made
    made.close()


def turn_until(hub: Hub, done: Callable[[], bool]) -> None:
    limit = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < limit
        hub.turn(0.01, lambda connection, found, octets: True)


def test_who_is_dialled_makes_no_room_for_strangers(hub: Hub) -> None:
    """Nor the other way round, and a connection that came about has not failed."""
    endpoint = hub.listen("tcp://127.0.0.1:*", make)
    address = "127.0.0.1", int(endpoint.rpartition(":")[2])
    failures: list[str] = []
    dialled: list[Connection] = []

    def dialling(link: socket.socket, name: str) -> Connection:
        dialled.append(make(link, name))
        return dialled[-1]

    with socket.create_server(("127.0.0.1", 0)) as server:
        first = [socket.create_connection(address) for _ in range(2)]
        turn_until(hub, lambda: len(hub.connections) == 2)
        strangers = list(hub.connections.values())
        there = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        hub.dial(there, dialling, lambda: failures.append(there))
        turn_until(hub, lambda: bool(dialled))
        assert not any(each.closed for each in strangers)
        second = [socket.create_connection(address) for _ in range(4)]
        turn_until(hub, lambda: strangers[1].closed)
        turn_until(hub, lambda: len(hub.connections) == 3)
        assert not dialled[0].closed
        assert failures == []
        for each in first + second:
            each.close()


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example"])
def test_a_name_that_no_host_can_have_is_no_endpoint(hub: Hub, host: str) -> None:
    with pytest.raises(TransportError, match="cannot connect to"):
        hub.dial(f"tcp://{host}:5556", make, lambda: pytest.fail("not to be tried again"))
