"""Stages and commits one epoch, also in a process that tests can kill."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pyarrow as pa

from zeps_pipeline.broker import Broker
from zeps_pipeline.sink.commit import commit_epoch
from zeps_pipeline.sink.options import WriteOptions
from zeps_pipeline.sink.publishing import Patience
from zeps_pipeline.sink.staging import ROWS, Stage

QUERY = "query"
# Processes are forked from one that has imported what a commit needs.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pyarrow.compute", "zeps_pipeline.sink.commit"])


@dataclass
class Staged:
    """Like the commit message of the sink, but without Spark, whose import takes long."""

    query: str
    epoch: int
    file: str
    rows: dict[str, int]


def commit(endpoint: str, staging: str, epoch: int, partitions: int, *streams: str) -> None:
    """Stage and commit rows of `streams`, STREAM:FIRST:LAST each; order and files depend on `partitions`."""
    options = WriteOptions(Broker(endpoint), staging, patience=Patience(settle=0.3, timeout=20))
    rows: list[tuple[str, str, bytes]] = []
    for stream_rows in streams:
        stream, first, last = stream_rows.split(":")
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


def start_commit(points: Path, *arguments: Any) -> BaseProcess:
    """A started process that calls :func:`commit` with these arguments. `points` is the folder of its failpoints."""
    process = _PROCESSES.Process(target=_commit_with, args=(str(points), *arguments), daemon=True)
    process.start()
    return process


def _commit_with(points: str, *arguments: Any) -> None:
    os.environ["ZEPS_FAILPOINTS"] = points
    commit(*arguments)
