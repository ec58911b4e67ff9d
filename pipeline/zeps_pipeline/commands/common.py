"""What the commands that run a job on a journal share."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.journal import Segment, list_segments, list_streams

__all__ = [
    "FAILED",
    "FOUND",
    "USAGE",
    "Progress",
    "add_job_arguments",
    "being_written",
    "now",
    "segments_of",
    "write",
]

FOUND = FAILED = 1
USAGE = 2
_LOCK_FILE = "zeps.lock"


def add_job_arguments(parser: argparse.ArgumentParser) -> None:
    """JOURNAL, --stream, --master and --quiet."""
    parser.add_argument(
        "journal", metavar="JOURNAL", help="a broker's data folder, or one stream's folder in it"
    )
    parser.add_argument(
        "--stream", action="append", metavar="NAME", help="only this stream; may be given again"
    )
    parser.add_argument(
        "--master", default="local[*]", metavar="URL", help="where Spark runs (local[*]: here, on all CPUs)"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing of the progress")


def segments_of(journal: str, wanted: Sequence[str] | None) -> list[Segment]:
    """The segments of the streams that are wanted, or of all. Raises PipelineError, and SystemExit with 2 for a
    folder or a stream that is not there, or a folder in which nothing is a journal.
    """
    if not Path(journal).is_dir():
        _usage(f"{journal}: there is no such folder")
    streams = list_streams(journal)
    for stream in wanted or ():
        if stream not in streams:
            _usage(
                f"{journal}: there is no stream {stream!r}; there are {', '.join(sorted(streams)) or 'none'}"
            )
    segments = [
        segment
        for stream, folder in sorted(streams.items())
        if not wanted or stream in wanted
        for segment in list_segments(stream, folder)
    ]
    if not segments and not wanted and not _is_of_broker(journal):
        _usage(
            f"{journal}: this is no journal: neither it nor a folder in it has *.segment files. Name a broker's data "
            "folder (its setting journal.path), or one stream's folder in it"
        )
    return segments


def _is_of_broker(journal: str) -> bool:
    """Whether a broker has been at work on the folder, though it may have stored nothing yet."""
    return (Path(journal) / _LOCK_FILE).exists()


def being_written(journal: str) -> bool:
    """Whether a broker is at work on the journal, which holds a lock while it is."""
    for folder in (Path(journal), Path(journal).parent):
        try:
            fd = os.open(folder / _LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(fd)
    return False


class Progress:
    """Says on standard error how far a job has come: in one line on a terminal, now and then to anything else."""

    _SECONDS = 5.0

    def __init__(self, what: str, unit: str, *, quiet: bool) -> None:
        self._what = what
        self._unit = unit
        self._quiet = quiet
        self._last = time.monotonic()
        self._line = False
        """Whether a line stands on the terminal that the next one replaces."""

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if self._quiet or not (terminal or now - self._last >= self._SECONDS):
            return
        self._last = now
        share = f"{100 * done // total:3d} %" if total else "  0 %"
        text = f"{self._what}: {share}, {done:,} of {total:,} {self._unit}"
        print(f"\r\x1b[K{text}" if terminal else f"{text}\n", end="", file=sys.stderr, flush=True)
        self._line = terminal

    def end(self) -> None:
        """The job is done: what comes next stands in a line of its own."""
        if self._line:
            print(file=sys.stderr, flush=True)
            self._line = False


def now() -> str:
    """The time, for a report."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def write(path: str | Path, content: str | dict[str, Any]) -> None:
    """Write a report. Raises PipelineError."""
    text = content if isinstance(content, str) else json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    except OSError as error:
        raise PipelineError(f"{path}: cannot write the report: {error.strerror or error}") from error


def _usage(message: str) -> None:
    print(f"zeps-pipeline: error: {message}", file=sys.stderr)
    raise SystemExit(USAGE)
