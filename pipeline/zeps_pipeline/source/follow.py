"""Interface of the followers: each tracks one stream on the driver, from a journal or from a live broker."""

from __future__ import annotations

from typing import Protocol

from pyspark.sql.datasource import InputPartition

from zeps_pipeline.source.offsets import Budget, StreamProgress

__all__ = ["Follower"]


class Follower(Protocol):
    """Tracks one stream while a query runs."""

    def start(self) -> int:
        """First sequence of a new query."""

    def earliest(self) -> int:
        """First sequence of a stream that was created while the query was running."""

    def fix_end(self) -> None:
        """Make later calls of `advance` ignore messages that are stored after this call."""

    def advance(self, following: int, budget: Budget) -> StreamProgress:
        """The end of the next batch: durable messages from sequence `following` on that fit `budget`, which is reduced;
        `following` is unchanged without such messages. In the first batch of a live stream it has `since`, the first
        retained sequence. Raises DataLossError, and PipelineError if the broker does not answer.
        """

    def parts(self, first: int, end: int) -> list[InputPartition]:
        """Parts for the sequences from `first` to before `end`, always the same messages. Raises DataLossError if the
        journal no longer has the first of them, unless losses are skipped.
        """

    def close(self) -> None:
        """Close connections."""
