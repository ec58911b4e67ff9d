"""Where a stream ends. Version 1 does not say, so it is found out. The next message that anybody publishes says it: a
subscription to what is new brings that first (ZEPS-SUBSCRIBE-4), and no sequence is left out (ZEPS-SEQUENCE-2). While
nobody publishes, a subscription behind sequence n brings what follows n, and the end is where nothing more comes.

An answer to PING is no sign of that: a broker may answer while it still replays. It is only the sign that the broker is
well, from which on a silence counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink.session import Session
from zeps_wire import zeps

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
    with Session(broker, stream) as session:
        session.subscribe(found)

        def take() -> int:
            nonlocal found
            while session.messages:
                found = session.take().sequence
            return found

        return end_ahead(session, settle, take)


def end_ahead(session: Session, settle: float, take: Callable[[], int]) -> int:
    """Where the session's stream ended when this was called, or a later sequence. `take` takes what the session has
    received, and returns the last sequence that it ever took.

    The next message that anybody publishes says it; if none comes, and nothing else for `settle` seconds after the
    broker has answered, what was taken is all of it.
    """
    with Session(session.broker, session.stream) as watcher:
        watcher.subscribe(zeps.LATEST_NEW)
        session.ping()
        taken, heard = take(), time.monotonic()
        while not watcher.wait(lambda: bool(watcher.messages), _GLANCE_SECONDS):
            if session.wait(lambda: bool(session.messages), _GLANCE_SECONDS):
                taken, heard = take(), time.monotonic()
            elif session.answered < session.pings:
                heard = time.monotonic()
            elif time.monotonic() - heard >= max(settle, _QUIET_SECONDS):
                return taken
        return max(taken, watcher.messages[0].sequence - 1)


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
    with Session(broker, stream) as session:
        session.subscribe(after)
        session.ping()
        session.wait(lambda: bool(session.messages) or session.answered == session.pings)
        came = session.wait(lambda: bool(session.messages), seconds)
        return session.messages[0].sequence if came else None


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
