"""A forwarder in a thread, and libzmq's sockets for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import zmq

sys.path.insert(0, str(Path(__file__).parent / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "transport" / "helpers"))

from forwarder_peers import Forward, Open
from transport_helpers import LONG, Context, context

from zeps_broker.devices.forwarder.policies import Policy, parse_policy
from zeps_broker.devices.forwarder.server import Forwarder, ForwarderOptions

__all__ = ["context", "forward", "opened"]


@pytest.fixture
def forward() -> Iterator[Forward]:
    """Starts a forwarder in a thread; returns the endpoint for subscribers, or for publishers if it binds there."""
    running: list[tuple[Forwarder, threading.Thread]] = []

    def make(
        *upstreams: str,
        policy: str | Policy = "count",
        binds: Sequence[str] = (),
        connects: Sequence[str] = (),
        **options: object,
    ) -> str:
        forwarder = Forwarder(
            upstreams,
            ["tcp://127.0.0.1:*"],
            parse_policy(policy) if isinstance(policy, str) else policy,
            ForwarderOptions(**options),  # type: ignore[arg-type]
            upstream_binds=binds,
            downstream_connects=connects,
        )
        thread = threading.Thread(target=forwarder.run)
        thread.start()
        running.append((forwarder, thread))
        return (forwarder.upstream_endpoints if binds else forwarder.endpoints)[0]

    yield make
    for forwarder, thread in running:
        forwarder.stop()
        thread.join(LONG)
        assert not thread.is_alive()


@pytest.fixture
def opened(context: Context) -> Iterator[Open]:
    sockets: list[zmq.Socket[bytes]] = []

    def make(kind: int) -> zmq.Socket[bytes]:
        made = context.socket(kind)
        made.linger = 0
        made.rcvtimeo = int(LONG * 1000)
        sockets.append(made)
        return made

    yield make
    for each in sockets:
        each.close()
