"""Connections that nothing is done with: they are closed after a while, or when others need their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from zeps_broker.transport.zmtp.connection import Connection

__all__ = ["UnusedConnections"]


class UnusedConnections:
    """Open connections, each of which is looked at every `seconds_max`: twice not used in a row is too long.

    Times are in seconds on the clock of the owner.
    """

    def __init__(self, seconds_max: float, is_used: Callable[[Connection], bool]) -> None:
        self._seconds_max = seconds_max
        self._is_used = is_used
        self._due: dict[Connection, float] = {}
        """When each connection is looked at, the earliest first."""
        self._idle: dict[Connection, None] = {}
        """Those that were not used when they were added or last looked at, the oldest first."""

    def add(self, connection: Connection, now: float) -> None:
        """Watch a connection; one that is never used is closed when it is looked at first."""
        if self._seconds_max < math.inf:
            self._due[connection] = now + self._seconds_max
            if not self._is_used(connection):
                self._idle[connection] = None

    def discard(self, connection: Connection) -> None:
        """Forget a connection."""
        self._due.pop(connection, None)
        self._idle.pop(connection, None)

    def next_due(self) -> float:
        """When the next connection has to be looked at; infinity if there is none."""
        return next(iter(self._due.values()), math.inf)

    def overdue(self, now: float) -> Iterator[Connection]:
        """Looks at the connections that are due, and yields those that are to be closed."""
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
        """The connection that has not been used for longest; None if all are in use."""
        return next((each for each in self._idle if not self._is_used(each)), None)
