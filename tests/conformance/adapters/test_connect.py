"""Libraries whose connect performs the handshake: the adapter answers the suite meanwhile, and keeps calls apart."""

from __future__ import annotations

import pytest
from adapter_processes import GREETING, READY_PUB, Adapter, having, listen, read_until

pytestmark = [pytest.mark.timeout(1800), having(names=["zmq4", "zeromqrs"])]


def test_connect_leaves_the_handshake_to_the_background(adapter: Adapter) -> None:
    """A request that arrives meanwhile waits for a limited time, and is then not executed at all."""
    server, endpoint = listen()
    with server:
        adapter.do("open", socket="in", type="SUB", options={})
        adapter.do("connect", socket="in", endpoint=endpoint)
        connection, _ = server.accept()
        with connection:
            assert "blocked" in adapter.ask("subscribe", socket="in", topic="61")["error"]
            connection.sendall(GREETING + READY_PUB)
            adapter.do("subscribe", socket="in", topic="62")
            received = read_until(connection, b"\x00\x02\x01b")
    assert b"\x01a" not in received
