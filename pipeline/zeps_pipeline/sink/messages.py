"""What a task tells the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql.datasource import WriterCommitMessage

__all__ = ["Staged"]


@dataclass
class Staged(WriterCommitMessage):
    """A task's file, and how many rows each stream has in it; without rows there is no file."""

    query: str
    epoch: int
    file: str
    rows: Mapping[str, int] = field(default_factory=dict)
