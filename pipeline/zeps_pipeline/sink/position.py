"""Where a stream ends. Version 1 does not say, so it is asked: a subscription behind sequence n brings a message at
once if there is one behind n.
"""

from __future__ import annotations

from zeps_pipeline.sink.session import Session

__all__ = ["last_sequence"]

_QUIET_SECONDS = 0.25
_STEP = 1024
_GROWTH = 8


def last_sequence(endpoint: str, stream: str, known: int = 0) -> int:
    """The last sequence of `stream`, or a little less while others publish; `known` is one that it has reached.

    A broker that takes longer than a quarter of a second to deliver makes the answer less, never more. Raises
    PipelineError.
    """
    found = _next(endpoint, stream, known)
    if found is None:
        return known
    step, beyond = _STEP, None
    while beyond is None or beyond - found > _STEP:
        probe = found + step if beyond is None else (found + beyond) // 2
        further = _next(endpoint, stream, probe)
        if further is None:
            beyond = probe
        else:
            found, step = further, step * _GROWTH
    return _read_to_end(endpoint, stream, found)


def _next(endpoint: str, stream: str, after: int) -> int | None:
    """The first sequence behind `after`, if there is any."""
    with Session(endpoint, stream) as session:
        session.subscribe(after)
        session.ping()
        session.wait(lambda: bool(session.messages) or session.answered == session.pings)
        session.wait(lambda: bool(session.messages), _QUIET_SECONDS)
        return session.messages[0].sequence if session.messages else None


def _read_to_end(endpoint: str, stream: str, after: int) -> int:
    with Session(endpoint, stream) as session:
        session.subscribe(after)
        while session.wait(lambda: bool(session.messages), _QUIET_SECONDS):
            while session.messages:
                after = session.take().sequence
        return after
