"""Message from a task to the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql.datasource import WriterCommitMessage

__all__ = ["Staged"]


@dataclass
class Staged(WriterCommitMessage):
    """A task's file, and the number of rows for each stream in it. A task without rows has no file."""

    query: str
    epoch: int
    file: str
    rows: Mapping[str, int] = field(default_factory=dict)
