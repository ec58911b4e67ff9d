"""What follows one stream on the driver, whatever it comes from."""

from __future__ import annotations

from typing import Protocol

from pyspark.sql.datasource import InputPartition

from zeps_pipeline.source.offsets import Budget, Progress

__all__ = ["Follower"]


class Follower(Protocol):
    """One stream, as long as a query runs."""

    def start(self) -> int:
        """Where a new query begins: a sequence."""

    def earliest(self) -> int:
        """Where a stream begins that came up while the query ran."""

    def fix_end(self) -> None:
        """From now on nothing counts that is stored after this call."""

    def advance(self, following: int, budget: Budget) -> Progress:
        """How far the messages from sequence `following` on go that are stored for good and that `budget` has
        room for; what they take of it is taken. `since` is set if `following` does not say where they begin.
        Raises DataLossError.
        """

    def parts(self, first: int, end: int) -> list[InputPartition]:
        """What tasks read for the sequences from `first` to before `end`: always the same messages. Raises
        DataLossError if they are not all there.
        """

    def close(self) -> None:
        """Let go of connections."""
