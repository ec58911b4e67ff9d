"""Transports of either engine, and libzmq clients for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from transport_helpers import LONG, Connect, Context, context

__all__ = ["connect", "context", "server_key"]


@pytest.fixture
def server_key() -> bytes | None:
    """The public key of the transport that clients connect to; None without CURVE."""
    return None


@pytest.fixture
def connect(context: Context, server_key: bytes | None) -> Iterator[Connect]:
    clients: list[zmq.Socket[bytes]] = []

    def make(endpoint: str, **options: object) -> zmq.Socket[bytes]:
        client = context.socket(zmq.DEALER)
        client.linger = 0
        client.rcvtimeo = int(LONG * 1000)
        if server_key is not None:
            client.curve_serverkey = server_key
            client.curve_publickey, client.curve_secretkey = zmq.curve_keypair()
        for name, value in options.items():
            setattr(client, name, value)
        client.connect(endpoint)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()
