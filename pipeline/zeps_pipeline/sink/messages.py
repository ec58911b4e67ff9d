"""Message from a task to the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql.datasource import WriterCommitMessage

__all__ = ["Staged"]


@dataclass
class Staged(WriterCommitMessage):
    """A task's file in the epoch's folder and its number of rows for each stream; no file exists if `rows` is empty."""

    query: str
    epoch: int
    file: str
    rows: Mapping[str, int] = field(default_factory=dict)
