"""A line is one event, whatever text of a client a field contains."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.service.logs import LEVELS, EventLog, LogLevel, stream_writer

MOMENT = 1_700_000_000.25


def lines(style: str, level: LogLevel = "debug") -> tuple[EventLog, list[str]]:
    written: list[str] = []
    return EventLog(level, "json" if style == "json" else "logfmt", written.append, lambda: MOMENT), written


def test_logfmt_line() -> None:
    log, written = lines("logfmt")
    log.info(
        "ready", endpoint="ipc:///run/a b", streams=2, ratio=0.5, clean=True, names=["a", "b"], none=None
    )
    expected = 'level=info event=ready endpoint="ipc:///run/a b" streams=2 ratio=0.5 clean=true names=a,b'
    assert written == [f"time=2023-11-14T22:13:20.250000Z {expected}"]


def test_json_line() -> None:
    log, written = lines("json")
    log.warning("torn-tail", octets=17, file="/data/1.segment")
    assert json.loads(written[0]) == {
        "time": "2023-11-14T22:13:20.250000Z",
        "level": "warning",
        "event": "torn-tail",
        "octets": 17,
        "file": "/data/1.segment",
    }


@pytest.mark.parametrize("level", LEVELS)
def test_threshold(level: LogLevel) -> None:
    log, written = lines("json", level)
    for name in LEVELS:
        getattr(log, name)("event")
    assert [json.loads(line)["level"] for line in written] == list(LEVELS[LEVELS.index(level) :])


@given(st.text(), st.sampled_from(["json", "logfmt"]))
def test_no_field_breaks_a_line(text: str, style: str) -> None:
    log, written = lines(style)
    log.info("event", text=text, after="end")
    (line,) = written
    assert line.isascii()
    assert line.isprintable()
    if style == "json":
        assert json.loads(line)["text"] == text
    else:
        rest = line.split(" text=", 1)[1]
        value = rest.removesuffix(" after=end")
        assert value != rest
        assert (json.loads(value) if value.startswith('"') else value) == text


def test_a_closed_stream_is_no_error() -> None:
    stream = io.StringIO()
    write = stream_writer(stream)
    write("one")
    assert stream.getvalue() == "one\n"
    stream.close()
    write("two")


def test_the_journals_records_are_events() -> None:
    log, written = lines("json", "info")
    logger = log.logger("journal")
    logger.warning("torn tail: %s", 3, extra={"zeps": {"event": "torn-tail", "octets": 3, "stream": None}})
    logger.error("plain %s", "text")
    logger.debug("not shown")
    records = [json.loads(line) for line in written]
    for record in records:
        del record["time"]
    assert records == [
        {"level": "warning", "event": "torn-tail", "octets": 3},
        {"level": "error", "event": "journal", "text": "plain text"},
    ]
