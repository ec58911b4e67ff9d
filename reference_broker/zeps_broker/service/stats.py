"""Periodic log lines of figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from zeps_broker.service.logs import EventLog

__all__ = ["PeriodicStats"]


class PeriodicStats:
    """Logs `figures` every `interval` seconds (0: never), by :meth:`tick`; those in `rates` also per second."""

    def __init__(
        self, interval: float, log: EventLog, figures: Callable[[], dict[str, int]], rates: Sequence[str] = ()
    ) -> None:
        self._interval = interval
        self._log = log
        self._figures = figures
        self._rates = rates
        self._since = time.monotonic()
        self._before = figures() if rates else {}

    def tick(self) -> None:
        """Logs the figures if the interval has passed."""
        now = time.monotonic()
        elapsed = now - self._since
        if not self._interval or elapsed < self._interval:
            return
        stats = self._figures()
        rates = {
            f"{name}_per_second": round((stats[name] - self._before[name]) / elapsed, 1)
            for name in self._rates
        }
        self._log.info("stats", **stats, **rates)
        self._since, self._before = now, stats
