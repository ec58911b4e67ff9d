"""Stages and commits one epoch; run as a program, it is a process that tests can kill.

    python commit_once.py ENDPOINT STAGING EPOCH PARTITIONS STREAM:FIRST:LAST...

The rows of a stream are the numbers from FIRST to LAST. Their order and files depend on PARTITIONS.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pyarrow as pa

from zeps_pipeline.broker import Broker
from zeps_pipeline.sink.commit import commit_epoch
from zeps_pipeline.sink.options import WriteOptions
from zeps_pipeline.sink.publishing import Patience
from zeps_pipeline.sink.staging import ROWS, Stage

QUERY = "query"


@dataclass
class Staged:
    """Like the commit message of the sink, but without Spark, whose import takes long."""

    query: str
    epoch: int
    file: str
    rows: dict[str, int]


def commit(endpoint: str, staging: str, epoch: int, partitions: int, *streams: str) -> None:
    """Stage and commit the rows of `streams`, each given as STREAM:FIRST:LAST."""
    options = WriteOptions(Broker(endpoint), staging, patience=Patience(settle=0.3, timeout=20))
    rows: list[tuple[str, str, bytes]] = []
    for each in streams:
        stream, first, last = each.split(":")
        rows += [(stream, f"key.{n % 3}", b"%d" % n) for n in range(int(first), int(last) + 1)]
    stage = Stage(staging, QUERY)
    messages = []
    for number in range(partitions):
        columns = zip(*rows[number::partitions], strict=True)
        batch = pa.RecordBatch.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, ROWS, strict=True)], schema=ROWS
        )
        name = f"{number:06d}-{partitions}.arrow"
        stage.discard(epoch, [name])
        messages.append(Staged(QUERY, epoch, name, stage.write(epoch, name, iter([batch]))))
    commit_epoch(options, messages)


if __name__ == "__main__":
    commit(*sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
