"""The memory that messages take which peers have not read.

The less of it is free, the shorter are the queues: each may take a quarter of what is free, up to its own limit. So a
few slow readers have long queues, many have short ones, and each may have a little. A peer whose queue is full refuses;
the core feeds it from the journal, and loses nothing.
"""

from __future__ import annotations

from zeps_broker.memory import Budget
from zeps_broker.transport.zmtp.connection import Connection

__all__ = ["QueueMemory"]

_QUEUE_BYTES_MIN = 64 << 10
"""What each connection may have waiting, whatever others have."""


class QueueMemory:
    """What waits in all connections' queues, of at most `queue_max` bytes each."""

    def __init__(self, budget: Budget, queue_max: int) -> None:
        self._budget = budget
        self._queue_max = queue_max
        self._starved: dict[Connection, None] = {}
        """Connections that refused something though they have nothing to read."""

    @property
    def used(self) -> int:
        """Bytes that wait in all queues."""
        return self._budget.used

    def refuses(self, connection: Connection, more: int) -> bool:
        """Whether there is no memory for `more` bytes in a connection's queue. It counts as full then."""
        if not self._budget.used:
            return False
        waiting = connection.outbox_octets
        if waiting < self._queue_now() and (more <= _QUEUE_BYTES_MIN or more <= self._budget.free):
            return False
        connection.refused = True
        if not waiting:
            self._starved[connection] = None
        return True

    def has_run_down(self, connection: Connection) -> bool:
        """Whether a queue that was full has so little left that it takes more."""
        return connection.outbox_octets <= self._queue_now() // 4

    def _queue_now(self) -> int:
        return min(self._queue_max, max(_QUEUE_BYTES_MIN, self._budget.free // 4))

    def count(self, connection: Connection) -> list[Connection]:
        """Count what a connection's queue takes now. Returns starved connections that take more again."""
        self._budget.used += connection.outbox_bytes - connection.counted_out
        connection.counted_out = connection.outbox_bytes
        if not self._starved or self._budget.free < self._budget.size // 2:
            return []
        fed = [*self._starved]
        self._starved.clear()
        for each in fed:
            each.refused = False
        return fed

    def forget(self, connection: Connection) -> None:
        """The connection is closed."""
        self._starved.pop(connection, None)
