"""An implementation, built, and its adapter, running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_processes import Adapter, Implementation, build, described

#: What a library does not do, though it has the type or the option, and its adapter does not mend: (implementation,
#: test).
SHORTCOMINGS = {
    ("zmq4", "test_xpub_sees_subscriptions_come_and_go"): "its XPUB keeps subscriptions to itself",
    ("zmq4", "test_xpub_sees_that_a_subscriber_is_gone"): "its XPUB keeps subscriptions to itself",
    ("zmq4", "test_a_proxy_takes_subscriptions_up_and_messages_down"): "so there are none to take up",
    (
        "jeromq",
        "test_heartbeats_carry_their_ttl_and_are_waited_for",
    ): "a running timer delays those set meanwhile",
    ("zeromqrs", "test_xpub_sees_that_a_subscriber_is_gone"): "its XPUB says nothing of a connection's end",
}


@pytest.fixture(scope="module", params=described())
def implementation(request: pytest.FixtureRequest) -> Implementation:
    return build(request.param)


@pytest.fixture
def adapter(implementation: Implementation, request: pytest.FixtureRequest) -> Iterator[Adapter]:
    reason = SHORTCOMINGS.get((implementation.name, request.node.originalname))
    if reason:  # strict: a library that has learnt it fails here, and then its line above has to go
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    # Nobody waits long for what a library does not do: if it has learnt it, a second will do on most machines.
    adapter = Adapter(implementation.command, 1000) if reason else Adapter(implementation.command)
    with adapter.process:
        yield adapter
        adapter.process.kill()
