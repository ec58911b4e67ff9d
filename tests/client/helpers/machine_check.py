"""Runs the client machine's rows `DELIVER` and `post` beside the batches of the session, and compares."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import islice
from typing import cast

import pytest

from zeps_client.session import ClientSession
from zeps_wire import zeps
from zeps_wire.zeps_client import ClientHost


class _Host:
    """Keeps the messages that its machine takes and sends."""

    def __init__(self) -> None:
        self.taken: list[zeps.Deliver] = []
        self.sent: list[bytes] = []

    def send(self, message: zeps.Message) -> None:
        self.sent.append(message.encode())

    def take_message(self, message: zeps.Deliver) -> None:
        self.taken.append(message)


def check_batches(patch: pytest.MonkeyPatch) -> None:
    """Patches ClientSession: an AssertionError is raised where a batch differs from its machine's rows."""
    deliveries, publish = ClientSession._deliveries, ClientSession._publish

    def checked_deliveries(self: ClientSession, frames: Sequence[bytes], at: int) -> int:
        machine, host = copy.copy(self._machine), _Host()
        machine.host = cast("ClientHost", host)
        end = deliveries(self, frames, at)
        for frame in frames[at:end]:
            machine.receive(zeps.decode(frame))
        assert [message.encode() for message in host.taken] == [bytes(frame) for frame in frames[at:end]]
        assert (machine.credit, machine.state) == (self._machine.credit, self._machine.state)
        return end

    def checked_publish(self: ClientSession) -> None:
        before, machine, host = len(self.outbox), copy.copy(self._machine), _Host()
        machine.host = cast("ClientHost", host)
        publish(self)
        added = list(islice(self.outbox, before, None))
        posted = [frame for frame in added if frame.startswith(zeps.PUBLISH_HEAD)]
        for frame in posted:
            message = cast("zeps.Publish", zeps.decode(frame))
            assert machine.post(message.key, message.body)
        assert host.sent == posted

    patch.setattr(ClientSession, "_deliveries", checked_deliveries)
    patch.setattr(ClientSession, "_publish", checked_publish)
