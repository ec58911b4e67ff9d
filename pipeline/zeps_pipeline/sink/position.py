"""Where a stream ends, which a commit has to know before it publishes."""

from __future__ import annotations

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink.session import ANSWER_SECONDS, open_session

__all__ = ["check_end", "last_sequence"]


def last_sequence(broker: Broker, stream: str, known: int = 0) -> int:
    """The sequence of the last message of `stream`, 0 if it never had one. `known` is one that it has reached.

    Raises PipelineError; DataLossError if the stream ends before `known`.
    """
    with open_session(broker, stream) as client:
        end = client.last_sequence(ANSWER_SECONDS)
    check_end(stream, end, known)
    return end


def check_end(stream: str, end: int, known: int) -> None:
    """Raise DataLossError if `stream`, which ends at `end`, had reached `known`: it is not the same stream any more."""
    if end < known:
        raise DataLossError(
            f"{stream}: this query has seen sequence {known}, and the stream ends at {end}: the broker has another "
            "journal now, or lost what it had. To publish there all the same, start the query with a fresh checkpoint"
        )
