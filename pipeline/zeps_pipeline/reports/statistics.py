"""Reports of statistics, as text, as JSON and as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from zeps_pipeline.jobs.statistics import Bin, Key, Statistics
from zeps_pipeline.reports.pages import page
from zeps_pipeline.reports.plot import Line, clock, plot
from zeps_pipeline.reports.tables import table

__all__ = ["statistics_json", "statistics_page", "statistics_text"]

_HEAD = ("STREAM", "FROM", "MESSAGES", "RATE/S", "PEAK/S", "BYTES", "KEYS", "SMALLEST", "MEDIAN", "MEAN", "99 %",
         "LARGEST")  # fmt: skip


def statistics_text(statistics: Statistics) -> str:
    """Table of the bins, and each stream's most frequent keys."""
    rows = table(_HEAD, [[time_bin.stream, *_cells(time_bin)] for time_bin in statistics.bins], left=(0, 1))
    keys = [
        f"{stream}: "
        + ", ".join(f"{key.key} ({key.messages:,})" for key in statistics.keys if key.stream == stream)
        for stream in statistics.streams()
    ]
    return "\n".join([rows, "", "most frequent keys", *(f"  {line}" for line in keys)])


def statistics_json(statistics: Statistics) -> dict[str, Any]:
    """The statistics as a JSON object. Times are microseconds since 1970."""
    return {
        "version": 2,
        "journal": statistics.journal,
        "bin_seconds": statistics.bin_seconds,
        "bins": [asdict(time_bin) for time_bin in statistics.bins],
        "keys": [asdict(key) for key in statistics.keys],
    }


def statistics_page(statistics: Statistics, time: str) -> str:
    """The statistics as an HTML page, with plots for each stream. `time` is shown as the time of the report."""
    return page(
        "statistics.html.j2",
        journal=statistics.journal,
        time=time,
        messages=sum(time_bin.messages for time_bin in statistics.bins),
        octets=sum(time_bin.octets for time_bin in statistics.bins),
        head=_HEAD[1:],
        bin_seconds=statistics.bin_seconds,
        streams=[
            _section(
                stream,
                [time_bin for time_bin in statistics.bins if time_bin.stream == stream],
                statistics.bin_seconds * 1_000_000,
                [key for key in statistics.keys if key.stream == stream],
            )
            for stream in statistics.streams()
        ],
    )


def _section(stream: str, bins: Sequence[Bin], width: int, keys: Sequence[Key]) -> dict[str, Any]:
    """Template values for a stream in bins of `width` microseconds."""
    times = [time_bin.time for time_bin in bins]
    end = times[-1] + width
    most = max(key.messages for key in keys) if keys else 1

    def area(name: str, style: str, values: Sequence[float], unit: str) -> dict[str, str]:
        steps = dict(zip(times, values, strict=True))
        for time in times:  # the value is 0 between bins that are not neighbours
            steps.setdefault(time + width, 0.0)
        line = Line(name, style, sorted(steps), [steps[time] for time in sorted(steps)], filled=True)
        return {"title": name, "svg": plot([line], [], unit, times[0], end)}

    middles = [time + width // 2 for time in times]
    sizes = [
        Line("median", "s-first", middles, [time_bin.size_median for time_bin in bins]),
        Line("99th percentile", "s-second", middles, [time_bin.size_99 for time_bin in bins]),
    ]
    return {
        "name": stream,
        "messages": sum(time_bin.messages for time_bin in bins),
        "octets": sum(time_bin.octets for time_bin in bins),
        "begin": clock(times[0]),
        "end": clock(end),
        "plots": [
            area("Messages per second", "s-first", [time_bin.rate for time_bin in bins], "messages/s"),
            area("Distinct keys", "s-first", [time_bin.keys for time_bin in bins], "keys"),
        ],
        "sizes": plot(sizes, [], "bytes", times[0], end),
        "rows": [_cells(time_bin) for time_bin in bins],
        "keys": [{**asdict(key), "share": round(100 * key.messages / most)} for key in keys],
    }


def _cells(time_bin: Bin) -> list[str]:
    return [
        clock(time_bin.time, "%Y-%m-%d %H:%M:%S"), f"{time_bin.messages:,}", f"{time_bin.rate:,.2f}",
        f"{time_bin.peak:,}", f"{time_bin.octets:,}", f"{time_bin.keys:,}", f"{time_bin.size_min:,}",
        f"{time_bin.size_median:,}", f"{time_bin.size_mean:,.1f}", f"{time_bin.size_99:,}", f"{time_bin.size_max:,}",
    ]  # fmt: skip
