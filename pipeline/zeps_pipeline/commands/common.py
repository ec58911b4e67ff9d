"""Shared parts of the commands that run a job on a journal."""

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
from typing import Any, NoReturn

from zeps_command import USAGE, report_error
from zeps_pipeline.errors import PipelineError
from zeps_pipeline.journal import Segment, list_segments, list_streams

__all__ = ["Progress", "add_job_arguments", "being_written", "now", "segments_of", "write"]

_LOCK_FILE = "zeps.lock"


def add_job_arguments(parser: argparse.ArgumentParser) -> None:
    """Add JOURNAL, --stream, --master and --quiet."""
    parser.add_argument(
        "journal",
        metavar="JOURNAL",
        help="a broker's data folder (its setting journal.path), or one stream's folder in it",
    )
    parser.add_argument(
        "--stream", action="append", metavar="NAME", help="only this stream; may be repeated (default: all)"
    )
    parser.add_argument(
        "--master",
        default="local[*]",
        metavar="URL",
        help="Spark master (default: local[*], this machine with all CPUs)",
    )
    parser.add_argument("--quiet", action="store_true", help="do not show progress")


def segments_of(journal: str, selected: Sequence[str] | None) -> list[Segment]:
    """Segments of the streams `selected`, or of all streams if it is empty or None; by stream, oldest first. Raises
    PipelineError if a folder cannot be listed. Prints an error and raises SystemExit with 2 if the folder or a stream
    does not exist, or if the folder is not a journal.
    """
    if not Path(journal).is_dir():
        _usage(f"{journal}: folder does not exist")
    streams = list_streams(journal)
    for stream in selected or ():
        if stream not in streams:
            _usage(
                f"{journal}: unknown stream {stream!r}; existing streams: {', '.join(sorted(streams)) or '-'}"
            )
    segments = [
        segment
        for stream, folder in sorted(streams.items())
        if not selected or stream in selected
        for segment in list_segments(stream, folder)
    ]
    # A broker that has not stored a message yet has left its lock.
    if not segments and not selected and not (Path(journal) / _LOCK_FILE).exists():
        _usage(
            f"{journal}: not a journal: neither the folder nor its subfolders have *.segment files. Use a broker's "
            "data folder (its setting journal.path), or one stream's folder in it"
        )
    return segments


def being_written(journal: str) -> bool:
    """Whether a running broker holds the lock of `journal`, or of its parent, if it is one stream's folder."""
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
    """Prints a job's progress to standard error: on a terminal in one line, otherwise a line every 5 seconds; nothing
    if `quiet`. Called with the numbers of done and of all units.
    """

    _SECONDS = 5.0

    def __init__(self, what: str, unit: str, *, quiet: bool) -> None:
        self._what = what
        self._unit = unit
        self._quiet = quiet
        self._last = time.monotonic()
        self._line = False
        """Whether the terminal's last line is a progress line, which the next one replaces."""

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
        """End the progress line, so that later output begins on a new line."""
        if self._line:
            print(file=sys.stderr, flush=True)
            self._line = False


def now() -> str:
    """Current time in UTC as text, for a report."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def write(path: str | Path, content: str | dict[str, Any]) -> None:
    """Write or replace a text or JSON report, and create its folder. Raises PipelineError if that fails."""
    text = content if isinstance(content, str) else json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    except OSError as error:
        raise PipelineError(f"{path}: cannot write the report: {error.strerror or error}") from error


def _usage(message: str) -> NoReturn:
    raise SystemExit(report_error(message, USAGE, "zeps-pipeline"))
