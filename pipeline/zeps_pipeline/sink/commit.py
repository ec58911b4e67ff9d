"""Commit and abort of an epoch. A commit publishes the epoch's staged rows once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.sink.failpoints import reach
from zeps_pipeline.sink.janitor import sweep
from zeps_pipeline.sink.options import WriteOptions
from zeps_pipeline.sink.position import last_sequence
from zeps_pipeline.sink.publishing import publish
from zeps_pipeline.sink.session import SessionLostError
from zeps_pipeline.sink.staging import Committed, Declared, Stage

if TYPE_CHECKING:
    from zeps_pipeline.sink.messages import Staged

__all__ = ["abort_epoch", "commit_epoch"]

_PAUSE_SECONDS = 0.2
_ENDS_AT_ONCE = 16
"""Number of streams whose ends are queried concurrently; a query mostly waits for the broker."""


def commit_epoch(options: WriteOptions, messages: Sequence[Staged | None]) -> None:
    """Publish the rows that the tasks staged, unless the epoch was published before; then remove the staged files.
    Waits, without a time limit, while another process commits for the query. A message is None for a task without a
    result; if all are, nothing happens. Raises PipelineError; then the next attempt completes the epoch.
    """
    staged = [message for message in messages if message is not None]
    if not staged:
        return
    epoch = staged[0].epoch
    stage = Stage(options.staging, staged[0].query)
    with stage.lock():
        committed = stage.committed()
        if epoch <= committed.epoch:
            shutil.rmtree(stage.epoch_folder(epoch), ignore_errors=True)
            return
        declared = stage.declared(epoch)
        resumed = declared is not None
        if declared is None:
            declared = _declare(options, stage, committed, epoch, staged)
        reach("before-publish")
        positions = _publish(options, stage, epoch, declared, resumed=resumed)
        reach("after-publish")
        stage.commit(Committed(epoch, {**committed.positions, **positions}))
        sweep(stage)
        reach("before-commit")


def _declare(
    options: WriteOptions, stage: Stage, committed: Committed, epoch: int, staged: Sequence[Staged]
) -> Declared:
    files = sorted(message.file for message in staged if message.rows)
    for path in stage.missing(epoch, files):
        raise PipelineError(
            f"{path}: staged file not found; zeps.staging must be a folder that driver and tasks share"
        )
    streams = sorted({stream for message in staged for stream in message.rows})
    known = committed.positions
    with ThreadPoolExecutor(_ENDS_AT_ONCE) as pool:
        ends = pool.map(lambda stream: _end_of(options, stream, known.get(stream, 0)), streams)
        declared = Declared(tuple(files), dict(zip(streams, ends, strict=True)))
    if files:
        stage.declare(epoch, declared)
    return declared


def _publish(
    options: WriteOptions, stage: Stage, epoch: int, declared: Declared, *, resumed: bool
) -> dict[str, int]:
    """Publish the declared rows. Returns for each stream a sequence after which none of these rows is."""
    return {
        stream: publish(
            options.broker,
            stream,
            stage.read(epoch, declared.files, stream),
            after,
            resumed=resumed,
            patience=options.patience,
        )
        for stream, after in declared.after.items()
    }


def _end_of(options: WriteOptions, stream: str, known: int) -> int:
    """Last sequence of a stream that has reached `known`. Retries while the broker is not reachable, and raises
    PipelineError after `options.patience.timeout` seconds.
    """
    deadline = time.monotonic() + options.patience.timeout
    while True:
        try:
            return last_sequence(options.broker, stream, known)
        except SessionLostError as lost:
            if time.monotonic() > deadline:
                raise PipelineError(
                    f"{stream}: not published, because its last sequence is unknown: {lost}"
                ) from lost
            time.sleep(_PAUSE_SECONDS)


def abort_epoch(options: WriteOptions, messages: Sequence[Staged | None]) -> None:
    """Discard the files of successful tasks, except those in a declaration. Raises PipelineError."""
    for message in messages:
        if message is not None:
            stage = Stage(options.staging, message.query)
            declared = stage.declared(message.epoch)
            if declared is None or message.file not in declared.files:
                stage.discard(message.epoch, [message.file])
