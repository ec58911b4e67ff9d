"""Keeps endpoints connected: redials after a growing, randomised pause (ZMTP-N-23), except after ERROR (ZMTP-N-22)."""

from __future__ import annotations

import logging
import random
import socket
import time
from dataclasses import dataclass, field

from zeps_broker.transport.zmtp.connection import Connection
from zeps_broker.transport.zmtp.hub import Hub, Make

__all__ = ["Pause", "Redialler"]

_PAUSE_FIRST = 0.05
_PAUSE_LAST = 5.0


class Pause:
    """The pause before the next attempt; it grows with each attempt."""

    def __init__(self) -> None:
        self._next = _PAUSE_FIRST

    def take(self) -> float:
        """Returns the next pause in seconds: 0.05, then doubled each time up to 5, randomised by up to half."""
        pause = self._next * random.uniform(0.5, 1.5)
        self._next = min(self._next * 2, _PAUSE_LAST)
        return pause

    def reset(self) -> None:
        """Makes the next pause the shortest again, after a successful attempt."""
        self._next = _PAUSE_FIRST


@dataclass(slots=True, eq=False)
class _Remote:
    endpoint: str
    make: Make
    pause: Pause = field(default_factory=Pause)
    due: float | None = 0.0
    """When to dial, in seconds of the monotonic clock; None while it is dialled or connected, and after ERROR."""

    def later(self) -> None:
        self.due = time.monotonic() + self.pause.take()


class Redialler:
    """Keeps endpoints connected. The owner calls :meth:`dial` regularly, and reports opened and ended connections."""

    def __init__(self, hub: Hub, log: logging.Logger) -> None:
        self._hub = hub
        self._log = log
        self._remotes: list[_Remote] = []
        self._by_connection: dict[Connection, _Remote] = {}

    def add(self, endpoint: str, make: Make) -> None:
        """Adds an endpoint, connected at the next :meth:`dial` and after each end, until its peer sends ERROR."""
        self._remotes.append(_Remote(endpoint, make))

    @property
    def endpoints(self) -> list[str]:
        """Returns all endpoints that were added."""
        return [remote.endpoint for remote in self._remotes]

    def dial(self) -> None:
        """Dials the endpoints that are due; does not wait for them. Raises TransportError if an endpoint is invalid."""
        now = time.monotonic()
        for remote in self._remotes:
            if remote.due is not None and remote.due <= now:
                remote.due = None
                self._dial_one(remote)

    def wait(self, most: float) -> float:
        """Returns the seconds until an attempt is due, at least 0 and at most `most`; `most` if no attempt waits."""
        due = min((remote.due for remote in self._remotes if remote.due is not None), default=None)
        return most if due is None else max(0.0, min(due - time.monotonic(), most))

    def opened(self, connection: Connection) -> None:
        """Handles a completed handshake: the next pause is the shortest. Accepted connections are ignored."""
        remote = self._by_connection.get(connection)
        if remote is not None:
            remote.pause.reset()

    def ended(self, connection: Connection) -> bool:
        """Returns whether an ended connection's endpoint will be dialled again; logs an error if ERROR prevents it."""
        remote = self._by_connection.pop(connection, None)
        if remote is None:
            return False
        if connection.peer_error is not None:
            reason = connection.peer_error.decode(errors="backslashreplace")
            fields = {
                "event": "refused",
                "endpoint": remote.endpoint,
                "reason": f"the peer sent ERROR: {reason}",
            }
            self._log.error("", extra={"zeps": fields})
            return False
        remote.later()
        return True

    def _dial_one(self, remote: _Remote) -> None:
        def make(link: socket.socket, name: str) -> Connection:
            connection = remote.make(link, name)
            self._by_connection[connection] = remote
            return connection

        self._hub.dial(remote.endpoint, make, remote.later)
