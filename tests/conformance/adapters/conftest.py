"""Fixtures: an implementation, built, and its adapter, running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_processes import PATIENCE_MS, Adapter, build, described

from zeps_conformance.sockets.adapter import Implementation

#: Missing features of a library that has the type or the option, which its adapter does not emulate:
#: (implementation, test).
SHORTCOMINGS = {
    ("zmq4", "test_xpub_sees_subscriptions_come_and_go"): "its XPUB does not deliver subscriptions",
    ("zmq4", "test_xpub_sees_that_a_subscriber_is_gone"): "its XPUB does not deliver subscriptions",
    ("zmq4", "test_a_proxy_takes_subscriptions_up_and_messages_down"): "so it cannot restore any",
    (
        "jeromq",
        "test_heartbeats_carry_their_ttl_and_are_waited_for",
    ): "a running timer delays timers set meanwhile",
    ("zeromqrs", "test_xpub_sees_that_a_subscriber_is_gone"): "its XPUB does not report a connection's end",
}


@pytest.fixture(scope="module", params=described())
def implementation(request: pytest.FixtureRequest) -> Implementation:
    return build(request.param)


@pytest.fixture
def adapter(implementation: Implementation, request: pytest.FixtureRequest) -> Iterator[Adapter]:
    reason = SHORTCOMINGS.get((implementation.id, request.node.originalname))
    # strict: a library that has gained the feature fails here, and its line above must then be removed
    if reason:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    # A short timeout for a missing feature: if the library has gained it, a second is enough on most
    # machines.
    adapter = Adapter(implementation.filled_command(), 1000 if reason else PATIENCE_MS)
    with adapter.process:
        yield adapter
        adapter.process.kill()
