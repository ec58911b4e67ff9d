"""Structured logs: one event per line, as logfmt (for people) or JSON (for programs).

    time=2026-03-01T09:30:00.123456Z level=info event=ready endpoints=tcp://127.0.0.1:5670 streams=2
    {"time": "2026-03-01T09:30:00.123456Z", "level": "info", "event": "ready", "streams": 2}

An event has a name that never changes, and fields that may; programs need not parse sentences. Text from clients is
always escaped.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TextIO

__all__ = ["FORMATS", "LEVELS", "EventLog", "LogFormat", "LogLevel", "stream_writer"]

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["logfmt", "json"]
LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warning", "error")
FORMATS: tuple[LogFormat, ...] = ("logfmt", "json")

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:;/@%*()[]<>~#!?&|$^")


def stream_writer(stream: TextIO | None = None) -> Callable[[str], None]:
    """Returns a function that writes lines to `stream` (default: standard error), flushes it, and ignores errors."""

    def write(line: str) -> None:
        try:
            target = stream or sys.stderr
            target.write(line + "\n")
            target.flush()
        except (OSError, ValueError):
            pass

    return write


class EventLog:
    """Passes events of `level` and above, as lines without an end of line, to `write` (default: to standard error),
    from any thread. Fields that are None are omitted. `clock` returns seconds since the epoch.
    """

    def __init__(
        self,
        level: LogLevel = "info",
        style: LogFormat = "logfmt",
        write: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._threshold = LEVELS.index(level)
        self._style = style
        self._write = write or stream_writer()
        self._clock = clock

    def debug(self, event: str, **fields: object) -> None:
        """Logs an event that helps to find a fault."""
        self._emit("debug", event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Logs an event of normal operation."""
        self._emit("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Logs an event that an operator should examine; the program continues."""
        self._emit("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Logs a failure of the process or of a part of it; its field `remedy`, if there is one, says what to do."""
        self._emit("error", event, fields)

    def logger(self, name: str) -> logging.Logger:
        """Returns a standard library logger that writes to this log and has its level; it is not part of the logger
        hierarchy. A record's `zeps` attribute (``extra={"zeps": {"event": …}}``) holds its fields; without it, its text
        is the field `text`. Without an `event` the event is called `name`.
        """
        logger = logging.Logger(name, 10 * (self._threshold + 1))
        logger.addHandler(_Bridge(self, name))
        return logger

    def _emit(self, level: LogLevel, event: str, fields: dict[str, object]) -> None:
        if LEVELS.index(level) < self._threshold:
            return
        moment = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        record: dict[str, object] = {"time": moment, "level": level, "event": event}
        record.update((name, value) for name, value in fields.items() if value is not None)
        if self._style == "json":
            self._write(_json(record))
        else:
            self._write(" ".join(f"{name}={_value(value)}" for name, value in record.items()))


class _Bridge(logging.Handler):
    def __init__(self, log: EventLog, name: str) -> None:
        super().__init__()
        self._log = log
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        level = LEVELS[max(0, min(record.levelno // 10, len(LEVELS)) - 1)]
        fields = dict(getattr(record, "zeps", None) or {"text": record.getMessage()})
        event = str(fields.pop("event", self._name))
        self._log._emit(level, event, fields)


def _json(value: object) -> str:
    """Returns JSON in printable ASCII; json.dumps alone does not escape DEL."""
    return json.dumps(value, default=str, ensure_ascii=True).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    """Returns `value` in logfmt: bare where that is unambiguous, otherwise quoted and escaped as a JSON string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    text = str(value)
    return text if text and _BARE.issuperset(text) else _json(text)
