"""Transports of either engine, and libzmq clients for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import zmq

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from raw_peer import Raw
from transport_helpers import Connect, Context, context, socket_of

from zeps_broker.transport.options import ENGINES, Engine
from zeps_broker.transport.zmtp.router_transport import RouterTransport

__all__ = ["context"]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Ends what a test has opened, in reverse order."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.param


@pytest.fixture
def dial(stack: ExitStack) -> Callable[[RouterTransport], Raw]:
    """Connects a peer on a plain socket to a transport."""
    return lambda router: stack.enter_context(closing(Raw(router)))


@pytest.fixture
def server_key() -> bytes | None:
    """The public key of the transport that clients connect to; None without CURVE."""
    return None


@pytest.fixture
def connect(context: Context, server_key: bytes | None, stack: ExitStack) -> Connect:
    """`connect(endpoint, …)` returns a DEALER with these socket options."""

    def make(endpoint: str, **options: object) -> zmq.Socket[bytes]:
        client = stack.enter_context(socket_of(context, zmq.DEALER))
        if server_key is not None:
            client.curve_serverkey = server_key
            client.curve_publickey, client.curve_secretkey = zmq.curve_keypair()
        for name, value in options.items():
            setattr(client, name, value)
        client.connect(endpoint)
        return client

    return make
