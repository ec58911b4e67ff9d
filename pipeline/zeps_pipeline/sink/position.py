"""Last sequence of a stream, which a commit queries before it publishes."""

from __future__ import annotations

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink.session import ANSWER_SECONDS, open_session

__all__ = ["check_end", "last_sequence"]


def last_sequence(broker: Broker, stream: str, known: int = 0) -> int:
    """Last sequence of `stream`, which has reached `known`; 0 if it never had a message. Raises SessionLostError
    without an answer, PipelineError if the broker refuses the stream, and DataLossError if the stream ends before
    `known`.
    """
    with open_session(broker, stream) as client:
        end = client.last_sequence(ANSWER_SECONDS)
    check_end(stream, end, known)
    return end


def check_end(stream: str, end: int, known: int) -> None:
    """Raises DataLossError if `end`, the last sequence of `stream`, is below `known`, which it had reached."""
    if end < known:
        raise DataLossError(
            f"{stream}: this query has seen sequence {known}, but the stream ends at {end}: the broker has another "
            "journal, or its journal lost messages. To publish to it anyway, start the query with a new checkpoint"
        )
