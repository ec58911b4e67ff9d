"""Reports of an audit and of the archive, as text, as JSON and as an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from zeps_pipeline.audit.findings import KINDS, Finding
from zeps_pipeline.audit.job import Audit, StreamAudit
from zeps_pipeline.audit.segment import RATE_SECONDS, Rate
from zeps_pipeline.reports.pages import page
from zeps_pipeline.reports.plot import Line, Mark, clock, plot
from zeps_pipeline.reports.tables import table

__all__ = ["audit_json", "audit_page", "audit_text"]

_SHOWN = 200
_BINS_MAX = 400
_SECOND = 1_000_000
_LOSSES = ("gap", "damage")


def audit_text(audit: Audit, rows: Mapping[str, int] | None = None) -> str:
    """Table of the streams, and a line per finding. `rows`: archived rows of each stream, None without an archive."""
    head = ["STREAM", "FIRST", "LAST", "READABLE", "LOST", "SEGMENTS", "BYTES", "FINDINGS"]
    lines = [
        [
            stream.stream, *(f"{number:,}" for number in (
                stream.merged.first, stream.merged.last, stream.merged.distinct, _lost(stream),
                len(stream.segments), stream.size,
            )), _counted(stream.merged.findings) or "-",
        ]
        for stream in audit.streams
    ]  # fmt: skip
    if rows is not None:
        head.insert(4, "ARCHIVED")
        for line in lines:
            line.insert(4, f"{rows.get(line[0], 0):,}")
    finding_lines = [f"{finding.stream}: {finding}" for finding in audit.findings]
    return "\n".join([table(head, lines, left=(0, len(head) - 1)), *finding_lines])


def audit_json(audit: Audit, rows: Mapping[str, int] | None = None, out: str | None = None) -> dict[str, Any]:
    """The report as a JSON object. Times are microseconds since 1970. `rows` are the archived rows of each stream, and
    `out` is the archive's folder; None without an archive.
    """
    return {
        "version": 1,
        "journal": audit.path,
        "out": out,
        "findings": dict(Counter(finding.kind for finding in audit.findings)),
        "streams": [
            {
                "stream": stream.stream,
                "first": stream.merged.first,
                "last": stream.merged.last,
                "messages": stream.merged.messages,
                "readable": stream.merged.distinct,
                "lost": _lost(stream),
                "archived": None if rows is None else rows.get(stream.stream, 0),
                "segments": len(stream.segments),
                "octets": stream.size,
                "findings": [finding.fields() for finding in stream.merged.findings],
                "rates": [rate._asdict() for rate in _bins(stream.rates)],
            }
            for stream in audit.streams
        ],
    }


def audit_page(audit: Audit, time: str, rows: Mapping[str, int] | None = None, out: str | None = None) -> str:
    """The report as an HTML page, with a plot of each stream's rate and findings over time. `time` is shown as the time
    of the report; `rows` and `out` as in :func:`audit_json`.
    """
    counts = Counter(finding.kind for finding in audit.findings)
    return page(
        "audit.html.j2",
        journal=audit.path,
        time=time,
        out=out,
        rows=sum((rows or {}).values()),
        kinds=KINDS,
        counts=counts,
        lost=sum(map(_lost, audit.streams)),
        messages=sum(stream.merged.distinct for stream in audit.streams),
        octets=sum(stream.size for stream in audit.streams),
        streams=[_section(stream, rows or {}) for stream in audit.streams],
    )


def _section(stream: StreamAudit, rows: Mapping[str, int]) -> dict[str, Any]:
    bins = _bins(stream.rates)
    findings = stream.merged.findings
    end = bins[-1].time + bins[-1].seconds * _SECOND if bins else 0
    return {
        "name": stream.stream,
        "first": stream.merged.first,
        "last": stream.merged.last,
        "distinct": stream.merged.distinct,
        "rows": rows.get(stream.stream, 0),
        "segments": len(stream.segments),
        "octets": stream.size,
        "begin": clock(bins[0].time) if bins else "",
        "end": clock(end) if bins else "",
        "plot": _plot(bins, findings, end) if bins else "",
        "kinds": sorted({finding.kind for finding in findings}),
        "findings": findings,
        "shown": [_row(finding) for finding in findings[:_SHOWN]],
        "hidden": max(0, len(findings) - _SHOWN),
    }


def _plot(bins: Sequence[Rate], findings: Sequence[Finding], end: int) -> str:
    rate = Line(
        "messages per second",
        "s-first",
        [time_bin.time for time_bin in bins],
        [time_bin.messages / time_bin.seconds for time_bin in bins],
        filled=True,
    )
    marks = [Mark(finding.time, f"k-{finding.kind}", str(finding)) for finding in findings if finding.time]
    return plot([rate], marks, "messages/s", bins[0].time, end)


def _row(finding: Finding) -> dict[str, Any]:
    if finding.first is None:
        sequences = ""
    elif finding.messages == 1:
        sequences = f"{finding.first:,}"
    else:
        sequences = f"{finding.first:,} – {finding.last:,}"
    when = clock(finding.time) if finding.time else ""
    return {**asdict(finding), "messages": finding.messages, "sequences": sequences, "when": when}


def _bins(rates: Sequence[Rate]) -> list[Rate]:
    """The rates of all segments in bins of one width, at most _BINS_MAX of them if the longest width allows it."""
    if not rates:
        return []
    span = max(rate.time for rate in rates) - min(rate.time for rate in rates)
    finest = max(rate.seconds for rate in rates)
    seconds = next(
        (
            bin_seconds
            for bin_seconds in RATE_SECONDS
            if bin_seconds >= finest and span // _SECOND // bin_seconds < _BINS_MAX
        ),
        RATE_SECONDS[-1],
    )
    width = seconds * _SECOND
    messages: Counter[int] = Counter()
    byte_counts: Counter[int] = Counter()
    for rate in rates:
        place = rate.time // width
        messages[place] += rate.messages
        byte_counts[place] += rate.octets
    return [Rate(place * width, seconds, messages[place], byte_counts[place]) for place in sorted(messages)]


def _lost(stream: StreamAudit) -> int:
    return sum(finding.messages for finding in stream.merged.findings if finding.kind in _LOSSES)


def _counted(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.kind for finding in findings)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
