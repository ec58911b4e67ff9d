"""Accepted and dialled connections in one hub."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from transport_helpers import LONG, Clock, address_of
from waiting import until

from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.zmtp.connection import Connection, Limits
from zeps_broker.transport.zmtp.hub import Hub, Make
from zeps_broker.transport.zmtp.pubsub import SubscribingConnection

LIMITS = Limits(1000, 1000, 1000)


def make(link: socket.socket, name: str) -> Connection:
    return SubscribingConnection(link, name, LIMITS)


@pytest.fixture
def dialled() -> list[Connection]:
    """The connections that `dialling` has made."""
    return []


@pytest.fixture
def dialling(dialled: list[Connection]) -> Make:
    def dialling(link: socket.socket, name: str) -> Connection:
        dialled.append(make(link, name))
        return dialled[-1]

    return dialling


@pytest.fixture
def hub() -> Iterator[Hub]:
    with closing(Hub(handshakes_max=2)) as made:
        yield made


def turn(hub: Hub) -> None:
    hub.turn(0.01, lambda connection, received, size: True)


def turn_until(hub: Hub, done: Callable[[], object]) -> None:
    until(done, lambda: turn(hub), seconds=LONG)


def test_who_is_dialled_makes_no_room_for_strangers(
    hub: Hub, dialling: Make, dialled: list[Connection]
) -> None:
    """Also in the other order; and an established connection has not failed."""
    address = address_of(hub.listen("tcp://127.0.0.1:*", make))
    failures: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        first = [socket.create_connection(address) for _ in range(2)]
        turn_until(hub, lambda: len(hub.connections) == 2)
        strangers = list(hub.connections.values())
        there = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        hub.dial(there, dialling, lambda: failures.append(there))
        turn_until(hub, lambda: dialled)
        assert not any(stranger.closed for stranger in strangers)
        second = [socket.create_connection(address) for _ in range(4)]
        turn_until(hub, lambda: strangers[1].closed)
        turn_until(hub, lambda: len(hub.connections) == 3)
        assert not dialled[0].closed
        assert failures == []
        for link in first + second:
            link.close()


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example"])
def test_a_name_that_no_host_can_have_is_no_endpoint(hub: Hub, host: str) -> None:
    with pytest.raises(TransportError, match="cannot connect to"):
        hub.dial(f"tcp://{host}:5556", make, lambda: pytest.fail("not to be tried again"))


class Names:
    """A name server that answers once `answers` is set. Numeric addresses do not use it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.known: dict[str, list[tuple[str, int]]] = {}
        self.answers = threading.Event()
        self.asked = threading.Event()
        self.askers: set[int] = set()
        self._loop = threading.get_ident()
        self._real = socket.getaddrinfo
        patch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: str, *arguments: Any, **options: Any) -> list[Any]:
        if host[0].isdigit() or options.get("flags", 0) & socket.AI_NUMERICHOST:
            return self._real(host, *arguments, **options)
        self.askers.add(threading.get_ident())
        self.asked.set()
        if threading.get_ident() != self._loop:
            assert self.answers.wait(LONG)
        if host not in self.known:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in self.known[host]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    made = Names(monkeypatch)
    yield made
    made.answers.set()


def test_others_are_served_while_a_name_is_looked_up(
    hub: Hub, names: Names, dialling: Make, dialled: list[Connection]
) -> None:
    address = address_of(hub.listen("tcp://127.0.0.1:*", make))
    with socket.create_server(("127.0.0.1", 0)) as server:
        names.known["slow.example"] = [server.getsockname()]
        hub.dial("tcp://slow.example:5556", dialling, lambda: pytest.fail("it is there"))
        assert names.asked.wait(LONG)
        assert names.askers.isdisjoint({threading.get_ident()}), "the loop itself waits for the name"
        other = socket.create_connection(address)
        turn_until(hub, lambda: len(hub.connections) == 1)
        assert dialled == []
        names.answers.set()
        turn_until(hub, lambda: len(dialled) == 1)
        other.close()


def test_all_addresses_of_a_name_are_tried_in_turn(
    hub: Hub, names: Names, dialling: Make, dialled: list[Connection]
) -> None:
    """Two of the addresses have no listener; the name fails when the last address has failed."""
    names.answers.set()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()
    failures: list[str] = []
    names.known["closed.example"] = [nobody, ("127.0.0.2", nobody[1])]
    hub.dial("tcp://closed.example:5556", dialling, lambda: failures.append("closed"))
    hub.dial("tcp://unknown.example:5556", dialling, lambda: failures.append("unknown"))
    turn_until(hub, lambda: sorted(failures) == ["closed", "unknown"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        names.known["third.example"] = [nobody, ("127.0.0.2", nobody[1]), server.getsockname()]
        hub.dial("tcp://third.example:5556", dialling, lambda: failures.append("third"))
        turn_until(hub, lambda: dialled)
        link, _ = server.accept()
        link.close()
    assert len(failures) == 2


def test_an_address_that_does_not_answer_is_given_up_for_the_next(
    names: Names, dialling: Make, dialled: list[Connection], stack: ExitStack
) -> None:
    """Its accept queue is full, so that it does not even refuse."""
    clock = Clock()
    hub = stack.enter_context(closing(Hub(handshake_seconds_max=5.0, clock=clock)))
    names.answers.set()
    deaf = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
    server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    for _ in range(4):
        filler = stack.enter_context(socket.socket())
        filler.setblocking(False)
        filler.connect_ex(deaf.getsockname())
    names.known["two.example"] = [deaf.getsockname(), server.getsockname()]
    hub.dial("tcp://two.example:5556", dialling, lambda: pytest.fail("the second is there"))
    turn_until(hub, names.asked.is_set)
    for _ in range(20):
        turn(hub)
    assert dialled == []
    clock.now += 6.0
    turn_until(hub, lambda: dialled)


def test_a_hub_is_closed_while_a_name_is_looked_up(names: Names) -> None:
    hub = Hub()
    hub.dial("tcp://slow.example:5556", make, lambda: pytest.fail("a report after the end of the hub"))
    assert names.asked.wait(LONG)
    threads = [thread for thread in threading.enumerate() if thread.daemon and thread.ident in names.askers]
    hub.close()
    names.answers.set()
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()
