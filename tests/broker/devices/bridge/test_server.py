"""The bridge's loop between libzmq's sockets and a foreign broker in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
import zmq
from forwarder_peers import Open, events_at_the_limit, running
from waiting import until

from zeps_broker.devices.bridge.core import BridgeSettings
from zeps_broker.devices.bridge.memory_broker import MemoryBroker
from zeps_broker.devices.bridge.server import BridgeOptions, BridgeServer
from zeps_broker.service.logs import EventLog
from zeps_broker.topics.budget import TopicLimits
from zeps_broker.topics.subscriptions import SubscriptionChange
from zeps_broker.transport.zmtp.pubsub import SubscribingConnection

pytestmark = pytest.mark.slow  # sockets and threads


class Foreign(MemoryBroker):
    """A foreign broker that is always connected."""

    def __init__(self, wake: Callable[[], None]) -> None:
        super().__init__("me", 100)
        self._wake = wake

    def start(self) -> None:
        self.open()
        self._wake()

    def close(self) -> None:
        """Does nothing."""


@pytest.fixture
def server() -> Iterator[BridgeServer]:
    made = BridgeServer(
        Foreign,
        BridgeSettings("me"),
        upstream_binds=["tcp://127.0.0.1:*"],
        downstreams=["tcp://127.0.0.1:*"],
        options=BridgeOptions(exports=(b"a", b"b"), topics=TopicLimits(subscriptions_max=10)),
    )
    with running(made):
        yield made


def test_a_publisher_whose_queue_fills_while_it_is_asked_again_is_asked_once_more(
    server: BridgeServer, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first two times the queue is full for one step, and empty before the loop checks it again."""
    ask = SubscribingConnection.ask
    left = [2]

    def full_at_first(connection: SubscribingConnection, steps: Sequence[SubscriptionChange]) -> int:
        if not left[0]:
            return ask(connection, steps)
        left[0] -= 1
        connection.refused = True
        return 0

    monkeypatch.setattr(SubscribingConnection, "ask", full_at_first)
    publisher = opened(zmq.XPUB)
    publisher.connect(server.upstream_endpoints[0])
    assert {publisher.recv(), publisher.recv()} == {b"\1a", b"\1b"}


def test_a_subscriber_with_too_many_topics_is_closed_and_others_keep_theirs(
    server: BridgeServer, opened: Open
) -> None:
    for count in (10, 11):
        subscriber = opened(zmq.SUB)
        subscriber.reconnect_ivl = -1
        for number in range(count):
            subscriber.subscribe(b"%d %d" % (count, number))
        subscriber.connect(server.endpoints[0])
    until(lambda: server.stats()["over_limit"] != 0 and server.stats()["topics"] == 10)
    assert server.stats()["over_limit"] == 1
    assert server.stats()["connections"] == 1


def test_the_log_has_the_limit_of_connections_and_each_closed_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make(log: EventLog) -> BridgeServer:
        return BridgeServer(Foreign, BridgeSettings("me"), downstreams=["tcp://127.0.0.1:*"], log=log)

    events = events_at_the_limit(make, monkeypatch)
    assert events == ["connections-full", "connection-closed", "connection-closed"]
