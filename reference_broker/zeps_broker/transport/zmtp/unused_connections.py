"""Unused connections: they are closed after a while, or when others need their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from zeps_broker.transport.zmtp.connection import Connection

__all__ = ["UnusedConnections"]


class UnusedConnections:
    """Open connections, each examined every `seconds_max`; one unused at two examinations in a row is closed."""

    def __init__(self, seconds_max: float, is_used: Callable[[Connection], bool]) -> None:
        self._seconds_max = seconds_max
        self._is_used = is_used
        self._due: dict[Connection, float] = {}
        """When each connection is examined, the earliest first."""
        self._idle: dict[Connection, None] = {}
        """Connections that were unused when they were added or last examined, the oldest first."""

    def add(self, connection: Connection, now: float) -> None:
        """Adds a connection; if it is unused now and at its first examination, `seconds_max` later, it is to be closed
        then. Without a finite `seconds_max` nothing is added.
        """
        if self._seconds_max < math.inf:
            self._due[connection] = now + self._seconds_max
            if not self._is_used(connection):
                self._idle[connection] = None

    def discard(self, connection: Connection) -> None:
        """Removes a connection."""
        self._due.pop(connection, None)
        self._idle.pop(connection, None)

    def next_due(self) -> float:
        """Returns when the next connection must be examined, or infinity."""
        return next(iter(self._due.values()), math.inf)

    def overdue(self, now: float) -> Iterator[Connection]:
        """Examines the connections that are due, and yields those that the caller must close; they are removed."""
        while self.next_due() <= now:
            connection = next(iter(self._due))
            del self._due[connection]
            if self._is_used(connection):
                self._idle.pop(connection, None)
            elif connection in self._idle:
                del self._idle[connection]
                yield connection
                continue
            else:
                self._idle[connection] = None
            self._due[connection] = now + self._seconds_max

    def oldest(self) -> Connection | None:
        """Returns the connection found unused first that is unused since then; None without such a connection."""
        return next((connection for connection in self._idle if not self._is_used(connection)), None)
