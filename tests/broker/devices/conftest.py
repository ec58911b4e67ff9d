"""A forwarder in a thread, and libzmq's sockets for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "transport" / "helpers"))

from forwarder_peers import Forward, Open, Peers, running
from transport_helpers import Context, context, socket_of

from zeps_broker.devices.forwarder.policies import Policy, parse_policy
from zeps_broker.devices.forwarder.server import Forwarder, ForwarderOptions

__all__ = ["context"]


@pytest.fixture
def peers() -> Iterator[Peers]:
    """Peers on plain sockets, closed at the end of the test."""
    with ExitStack() as stack:
        yield Peers(stack)


@pytest.fixture
def forward() -> Iterator[Forward]:
    """Starts a forwarder in a thread; returns the endpoint for subscribers, or for publishers if it binds there."""
    stack = ExitStack()

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
        stack.enter_context(running(forwarder))
        return (forwarder.upstream_endpoints if binds else forwarder.endpoints)[0]

    with stack:
        yield make


@pytest.fixture
def opened(context: Context) -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda kind: stack.enter_context(socket_of(context, kind))
