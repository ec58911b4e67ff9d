"""The bridge's loop between libzmq's sockets and a foreign broker in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
import zmq
from transport_helpers import LONG, Context

from zeps_broker.devices.bridge.core import BridgeSettings
from zeps_broker.devices.bridge.memory_broker import MemoryBroker
from zeps_broker.devices.bridge.server import BridgeOptions, BridgeServer
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
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join(LONG)
    assert not thread.is_alive()


def test_a_publisher_whose_queue_fills_while_it_is_asked_again_is_asked_once_more(
    server: BridgeServer, context: Context, monkeypatch: pytest.MonkeyPatch
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
    publisher = context.socket(zmq.XPUB)
    publisher.linger = 0
    publisher.rcvtimeo = int(LONG * 1000)
    publisher.connect(server.upstream_endpoints[0])
    try:
        assert {publisher.recv(), publisher.recv()} == {b"\1a", b"\1b"}
    finally:
        publisher.close()


def test_a_subscriber_with_too_many_topics_is_closed_and_others_keep_theirs(
    server: BridgeServer, context: Context
) -> None:
    modest, greedy = context.socket(zmq.SUB), context.socket(zmq.SUB)
    try:
        for subscriber, count in ((modest, 10), (greedy, 11)):
            subscriber.linger = 0
            subscriber.reconnect_ivl = -1
            for number in range(count):
                subscriber.subscribe(b"%d %d" % (count, number))
            subscriber.connect(server.endpoints[0])
        limit = time.monotonic() + LONG
        while server.stats()["over_limit"] == 0 or server.stats()["topics"] != 10:
            assert time.monotonic() < limit, server.stats()
            time.sleep(0.01)
        assert server.stats()["over_limit"] == 1
        assert server.stats()["connections"] == 1
    finally:
        modest.close()
        greedy.close()
