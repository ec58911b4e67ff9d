"""Delays of the suite itself are measured."""

from __future__ import annotations

import re
import time

from zeps_conformance.common.pace import LATE, Pace

#: Takes twice as long with each further letter, in which the engine keeps the interpreter's lock.
SLOW = re.compile("(a|a)*b")


def hold_the_interpreter(seconds: float) -> None:
    """Keeps all other threads of this process from running for at least `seconds`."""
    size, took = 16, 0.0
    while took < seconds:
        began = time.monotonic()
        assert SLOW.match("a" * size) is None
        took, size = time.monotonic() - began, size + 1


def test_a_delay_of_all_threads_is_seen_by_those_who_began_before_it() -> None:
    pace = Pace()
    pace.start()
    began = time.monotonic()
    time.sleep(0.1)
    hold_the_interpreter(2 * LATE)
    time.sleep(0.1)
    assert pace.worst_since(began) > LATE
    assert pace.worst_since(time.monotonic()) == 0.0
    pace.stop()
    assert not pace.is_alive()


def test_a_delay_counts_before_the_thread_has_noticed_it() -> None:
    pace = Pace()  # its thread does not run yet
    began = time.monotonic()
    time.sleep(LATE + 0.1)
    assert pace.worst_since(began) > LATE
