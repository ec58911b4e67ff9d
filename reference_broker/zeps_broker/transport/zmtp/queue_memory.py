"""Memory for messages that peers have not read.

Each queue may take a quarter of the free memory, up to its own limit, and at least a minimum. A peer with a full queue
refuses output; the core serves it from the journal, without loss.
"""

from __future__ import annotations

from zeps_broker.memory import Budget
from zeps_broker.transport.zmtp.connection import Connection

__all__ = ["QueueMemory"]

_QUEUE_BYTES_MIN = 64 << 10
"""Bytes that may wait for each connection, regardless of the others."""


class QueueMemory:
    """All output queues. Together they hold `budget`, but each may hold 64 KiB in any case; each holds `queue_max`
    bytes, which one output may exceed.
    """

    def __init__(self, budget: Budget, queue_max: int) -> None:
        self._budget = budget
        self._queue_max = queue_max
        self._starved: dict[Connection, None] = {}
        """Connections that refused output although their queue is empty."""

    @property
    def used(self) -> int:
        """Bytes that wait in all queues."""
        return self._budget.used

    def refuses(self, connection: Connection, more: int) -> bool:
        """Returns whether a connection's queue has reached its present limit or memory for `more` bytes is lacking, and
        then marks the connection as `refused`: its queue counts as full. False while all queues are empty.
        """
        if not self._budget.used:
            return False
        waiting = connection.unsent_bytes
        if waiting < self._queue_now() and (more <= _QUEUE_BYTES_MIN or more <= self._budget.free):
            return False
        connection.refused = True
        if not waiting:
            self._starved[connection] = None
        return True

    def has_run_down(self, connection: Connection) -> bool:
        """Returns whether a full queue has emptied enough to take more: to a quarter of what it may have now."""
        return connection.unsent_bytes <= self._queue_now() // 4

    def _queue_now(self) -> int:
        return min(self._queue_max, max(_QUEUE_BYTES_MIN, self._budget.free // 4))

    def count(self, connection: Connection) -> list[Connection]:
        """Counts a connection's queue anew. If half of the memory is free again, returns the connections that refused
        output with an empty queue, which are no longer `refused`; else an empty list.
        """
        self._budget.used += connection.outbox_bytes - connection.counted_out
        connection.counted_out = connection.outbox_bytes
        if not self._starved or self._budget.free < self._budget.size // 2:
            return []
        fed = [*self._starved]
        self._starved.clear()
        for starved in fed:
            starved.refused = False
        return fed

    def forget(self, connection: Connection) -> None:
        """Removes a closed connection from those that :meth:`count` may return."""
        self._starved.pop(connection, None)
