"""Signal handling: SIGTERM and SIGINT request a clean stop, and a second signal exits. SIGHUP is ignored."""

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
    """Calls `stop` for the first SIGTERM or SIGINT in the block; the second ends the process at once with code 1, which
    has the effect of a crash. SIGHUP is ignored in the block. Only for the main thread.
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
    """Writes a byte to `fd`, which must not block, for each signal in the block. Only for the main thread."""
    before = signal.set_wakeup_fd(fd, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
