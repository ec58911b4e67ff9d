"""Counts and logs the connections that are closed because their peers exceeded a limit."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from zeps_broker.transport.zmtp.connection import Connection
from zeps_broker.transport.zmtp.pubsub import MessageConnection

__all__ = ["LOG_INTERVAL_SECONDS", "OverLimit"]

LOG_INTERVAL_SECONDS = 1.0
"""Minimum seconds between two events in the log: a closed libzmq socket reconnects several times a second."""


class OverLimit:
    """Counts in `closed` the connections that were closed because messages or topics exceeded a limit."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self.closed = 0
        self._log = log
        self._clock = clock
        self._due = -math.inf

    def ended(self, connection: Connection) -> None:
        """Counts a connection that a limit has ended; logs at most one within LOG_INTERVAL_SECONDS."""
        if not isinstance(connection, MessageConnection) or not connection.over_limit:
            return
        self.closed += 1
        now = self._clock()
        if now >= self._due:
            self._due = now + LOG_INTERVAL_SECONDS
            fields = {"connection": connection.name, "reason": connection.broken, "closed": self.closed}
            self._log.warning("", extra={"zeps": {"event": "over-limit", **fields}})
