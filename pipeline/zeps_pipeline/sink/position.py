"""Where a stream ends. Version 1 does not say, so it is found out. The next message that anybody publishes says it: a
subscription to what is new brings that first (ZEPS-SUBSCRIBE-4), and no sequence is left out (ZEPS-SEQUENCE-2). While
nobody publishes, a subscription behind sequence n brings what follows n, and the end is where nothing more comes.

A silence counts from the answer to SUBSCRIBE on, which shows that the broker is well.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_client import NEW
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink.session import open_session, receive

__all__ = ["another_stream", "check_reached", "end_ahead", "last_sequence"]

_QUIET_SECONDS = 0.25
_GLANCE_SECONDS = 0.01
_DELIVERY_SECONDS = 10.0
"""For a message that has to be there."""
_STEP = 1024
_GROWTH = 8


def last_sequence(broker: Broker, stream: str, known: int = 0, settle: float = 2.0) -> int | None:
    """The last sequence of `stream` when this was called, or a later one; None if it retains no message that would
    say so. `known` is one that it has reached, 0 if none is known.

    A broker that is silent for longer than `settle` seconds, though it answers and has more to deliver, makes the
    answer less, never more. If the stream holds `known`, and nothing follows within a quarter of a second, that is
    its end. Raises PipelineError; DataLossError if the stream ends before `known`.
    """
    is_there = check_reached(broker, stream, known)
    further = _next(broker, stream, known, _QUIET_SECONDS if is_there else max(settle, _QUIET_SECONDS))
    if further is None:
        return known if is_there else None
    found = _near_the_end(broker, stream, further)
    with open_session(broker, stream, found) as client:

        def take(seconds: float) -> int:
            nonlocal found
            for message in receive(client, seconds):
                found = message.sequence
            return found

        return end_ahead(broker, stream, settle, take)


def end_ahead(broker: Broker, stream: str, settle: float, take: Callable[[float], int]) -> int:
    """Where the stream ended when this was called, or a later sequence. `take` takes what another session receives
    within so many seconds, and returns the last sequence that it ever took.

    The next message that anybody publishes says it; if none comes, and nothing else for `settle` seconds after the
    broker has answered, what was taken is all of it.
    """
    with open_session(broker, stream, NEW) as watcher:
        taken, heard = take(0), time.monotonic()
        while not (new := receive(watcher, _GLANCE_SECONDS)):
            further = take(_GLANCE_SECONDS)
            if further > taken:
                taken, heard = further, time.monotonic()
            elif time.monotonic() - heard >= max(settle, _QUIET_SECONDS):
                return taken
        return max(taken, new[0].sequence - 1)


def check_reached(broker: Broker, stream: str, known: int) -> bool:
    """Whether `stream` has messages from `known` on, which it had reached. Raises DataLossError if it has messages
    and ends before: it is not the same stream any more. Retention may have taken all of it, which then looks like
    one that never had any.
    """
    if not known:
        return False
    found = _next(broker, stream, known - 1)
    if found is None:
        oldest = _next(broker, stream, 0)
        if oldest is None or oldest >= known:
            return oldest is not None
        found = _next(broker, stream, known - 1, _DELIVERY_SECONDS)  # the broker may only have been slow
    if found is None or found < known:
        raise another_stream(stream, known)
    return True


def another_stream(stream: str, known: int) -> DataLossError:
    """To be raised where `stream` ends before `known`."""
    return DataLossError(
        f"{stream}: this query has seen sequence {known}, and the stream ends before it: the broker has another "
        "journal now, or lost what it had. To publish there all the same, start the query with a fresh checkpoint"
    )


def _next(broker: Broker, stream: str, after: int, seconds: float = _QUIET_SECONDS) -> int | None:
    """The first sequence behind `after`, if one comes within `seconds` after the broker has answered."""
    with open_session(broker, stream, after) as client:
        come = receive(client, seconds)
        return come[0].sequence if come else None


def _near_the_end(broker: Broker, stream: str, found: int) -> int:
    """A sequence that the stream has, `found` or one that few follow: so that not all of it has to be read. A broker
    that is slow makes it one that more follow.
    """
    step, beyond = _STEP, None
    while beyond is None or beyond - found > _STEP:
        probe = found + step if beyond is None else (found + beyond) // 2
        further = _next(broker, stream, probe)
        if further is None or further <= probe:
            # The end is before the probe, which then brings what comes now (ZEPS-SUBSCRIBE-5).
            found, beyond = max(found, further or 0), probe
        else:
            found, step = further, step * _GROWTH
    return found
