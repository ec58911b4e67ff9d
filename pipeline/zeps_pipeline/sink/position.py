"""Where a stream ends. Version 1 does not say, so it is asked: a subscription behind sequence n brings a message at
once if there is one behind n, and one beyond the end brings what comes from then on (ZEPS-SUBSCRIBE-5).
"""

from __future__ import annotations

import time

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink.session import Session

__all__ = ["another_stream", "check_reached", "last_sequence"]

_QUIET_SECONDS = 0.25
_READ_SECONDS = 2.0
"""How long the rest is read to the end, if others never cease to publish."""
_DELIVERY_SECONDS = 10.0
"""For a message that has to be there."""
_STEP = 1024
_GROWTH = 8


def last_sequence(broker: Broker, stream: str, known: int = 0) -> int:
    """The last sequence of `stream`, or a little less while others publish; `known` is one that it has reached.

    A broker that takes longer than a quarter of a second to deliver makes the answer less, never more. Raises
    PipelineError; DataLossError if the stream ends before `known`.
    """
    check_reached(broker, stream, known)
    found, is_end = _read_on(broker, stream, known)
    if is_end:
        return found
    step, beyond = _STEP, None
    while beyond is None or beyond - found > _STEP:
        probe = found + step if beyond is None else (found + beyond) // 2
        further = _next(broker, stream, probe)
        if (
            further is None or further <= probe
        ):  # the end is before the probe, which then brings what comes now
            found, beyond = max(found, further or 0), probe
        else:
            found, step = further, step * _GROWTH
    return _read_to_end(broker, stream, found)


def check_reached(broker: Broker, stream: str, known: int) -> None:
    """Raises DataLossError if `stream` has messages and ends before `known`, which it had reached: it is not the
    same stream any more. Retention may have taken all of it, which then looks like one that never had any.
    """
    if not known:
        return
    found = _next(broker, stream, known - 1)
    if found is None:
        oldest = _next(broker, stream, 0)
        if oldest is None or oldest >= known:
            return
        found = _next(broker, stream, known - 1, _DELIVERY_SECONDS)  # the broker may only have been slow
    if found is None or found < known:
        raise another_stream(stream, known)


def another_stream(stream: str, known: int) -> DataLossError:
    """To be raised where `stream` ends before `known`."""
    return DataLossError(
        f"{stream}: this query has seen sequence {known}, and the stream ends before it: the broker has another "
        "journal now, or lost what it had. To publish there all the same, start the query with a fresh checkpoint"
    )


def _next(broker: Broker, stream: str, after: int, seconds: float = _QUIET_SECONDS) -> int | None:
    """The first sequence behind `after`, if there is any."""
    with Session(broker, stream) as session:
        session.subscribe(after)
        return session.messages[0].sequence if _comes(session, seconds) else None


def _comes(session: Session, seconds: float) -> bool:
    """Whether there is a message, or one comes within `seconds` after the broker has answered."""
    session.ping()
    session.wait(lambda: bool(session.messages) or session.answered == session.pings)
    return session.wait(lambda: bool(session.messages), seconds)


def _read_on(broker: Broker, stream: str, known: int) -> tuple[int, bool]:
    """The last of the next sequences behind `known`, or `known`, and whether it is the stream's end: whether
    nothing came between a PING and its answer.
    """
    with Session(broker, stream) as session:
        # The message `known` comes, too: so it is not mistaken for an end that the broker has not begun to deliver.
        session.subscribe(max(0, known - 1))
        if not _comes(session, _QUIET_SECONDS):
            return known, True
        first = found = session.messages[0].sequence
        while found < first + _STEP:
            found = _taken(session, found)
            session.ping()
            session.wait(lambda: session.answered == session.pings)
            if not session.messages:
                return found, True
        return found, False


def _read_to_end(broker: Broker, stream: str, after: int) -> int:
    deadline = time.monotonic() + _READ_SECONDS
    with Session(broker, stream) as session:
        session.subscribe(after)
        while time.monotonic() < deadline and session.wait(lambda: bool(session.messages), _QUIET_SECONDS):
            after = _taken(session, after)
        return after


def _taken(session: Session, after: int) -> int:
    """Take what has come; the last sequence, or `after`."""
    while session.messages:
        after = session.take().sequence
    return after
