"""Endpoints that are to be connected, and are dialled again and again: after a pause that grows and is never the same
(ZMTP-N-15)."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterable

from zeps_broker.io.zmtp.connection import Connection
from zeps_broker.io.zmtp.hub import Hub

__all__ = ["Pause", "Redialler"]

_PAUSE_FIRST = 0.05
_PAUSE_LAST = 5.0


class Pause:
    """How long to wait before the next attempt; longer each time."""

    def __init__(self) -> None:
        self._next = _PAUSE_FIRST

    def take(self) -> float:
        """Seconds."""
        pause = self._next * random.uniform(0.5, 1.5)
        self._next = min(self._next * 2, _PAUSE_LAST)
        return pause

    def reset(self) -> None:
        """An attempt has succeeded."""
        self._next = _PAUSE_FIRST


class _Endpoint:
    def __init__(self, name: str) -> None:
        self.name = name
        self.pause = Pause()
        self.due: float | None = 0.0
        """When to dial; None while it is dialled or connected."""


class Redialler:
    """Keeps `endpoints` connected through `hub`; `make` is told a link and the endpoint's name."""

    def __init__(
        self, hub: Hub, endpoints: Iterable[str], make: Callable[[socket.socket, str], Connection]
    ) -> None:
        self._hub = hub
        self._make = make
        self._endpoints = [_Endpoint(name) for name in endpoints]
        self._by_connection: dict[Connection, _Endpoint] = {}

    def dial(self, now: float) -> None:
        """Dial what is due. TransportError if an endpoint is none."""
        for endpoint in self._endpoints:
            if endpoint.due is not None and endpoint.due <= now:
                endpoint.due = None
                self._dial_one(endpoint)

    def wait(self, now: float, most: float) -> float:
        """Seconds until something is due, at most `most`."""
        return max(
            0.0, min((each.due - now for each in self._endpoints if each.due is not None), default=most)
        )

    def opened(self, connection: Connection) -> None:
        """A connection has shaken hands; one that was accepted is nothing to this."""
        endpoint = self._by_connection.get(connection)
        if endpoint is not None:
            endpoint.pause.reset()

    def ended(self, connection: Connection) -> None:
        """A connection is over: if it was dialled, it will be again."""
        endpoint = self._by_connection.pop(connection, None)
        if endpoint is not None:
            self._later(endpoint)

    def _dial_one(self, endpoint: _Endpoint) -> None:
        def make(link: socket.socket, _name: str) -> Connection:
            connection = self._make(link, endpoint.name)
            self._by_connection[connection] = endpoint
            return connection

        self._hub.dial(endpoint.name, make, lambda: self._later(endpoint))

    @staticmethod
    def _later(endpoint: _Endpoint) -> None:
        endpoint.due = time.monotonic() + endpoint.pause.take()
