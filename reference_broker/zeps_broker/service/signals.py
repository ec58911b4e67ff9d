"""SIGTERM and SIGINT ask for a clean stop; the second one does not ask. SIGHUP is not for us."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stop_on_signals", "wake_on_signals"]

_EXIT_AT_ONCE = 1


@contextmanager
def stop_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` for the first signal, and end the process with code 1 for the second.

    Ending at once loses nothing that was stored: it is what a crash would do.
    """
    asked = False

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            os._exit(_EXIT_AT_ONCE)
        asked = True
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    before[signal.SIGHUP] = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def wake_on_signals(fd: int) -> Iterator[None]:
    """Write an octet to `fd` for each signal: one that comes just before a wait must not wait for its end."""
    before = signal.set_wakeup_fd(fd, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
