"""Statistics as text, as JSON, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from zeps_pipeline.jobs.statistics import Hour, Key, Statistics
from zeps_pipeline.reports.pages import page
from zeps_pipeline.reports.plot import Line, clock, plot
from zeps_pipeline.reports.tables import table

__all__ = ["statistics_json", "statistics_page", "statistics_text"]

_HOUR = 3_600_000_000
_HEAD = (
    "STREAM",
    "HOUR",
    "MESSAGES",
    "RATE/S",
    "PEAK/S",
    "OCTETS",
    "KEYS",
    "SMALLEST",
    "MEDIAN",
    "MEAN",
    "99 %",
    "LARGEST",
)


def statistics_text(found: Statistics) -> str:
    """A table of the hours, and each stream's most frequent keys."""
    hours = table(_HEAD, [[hour.stream, *_cells(hour)] for hour in found.hours], left=(0, 1))
    keys = [
        f"{stream}: "
        + ", ".join(f"{key.key} ({key.messages:,})" for key in found.keys if key.stream == stream)
        for stream in found.streams()
    ]
    return "\n".join([hours, "", "most frequent keys", *(f"  {line}" for line in keys)])


def statistics_json(found: Statistics) -> dict[str, Any]:
    """All of it, for programs. Times are microseconds since 1970."""
    return {
        "version": 1,
        "journal": found.journal,
        "hours": [asdict(hour) for hour in found.hours],
        "keys": [asdict(key) for key in found.keys],
    }


def statistics_page(found: Statistics, time: str) -> str:
    """One page, with plots for each stream."""
    return page(
        "statistics.html.j2",
        journal=found.journal,
        time=time,
        messages=sum(hour.messages for hour in found.hours),
        octets=sum(hour.octets for hour in found.hours),
        head=_HEAD[1:],
        streams=[
            _section(
                stream,
                [hour for hour in found.hours if hour.stream == stream],
                [key for key in found.keys if key.stream == stream],
            )
            for stream in found.streams()
        ],
    )


def _section(stream: str, hours: Sequence[Hour], keys: Sequence[Key]) -> dict[str, Any]:
    times = [hour.time for hour in hours]
    end = times[-1] + _HOUR
    most = max(key.messages for key in keys) if keys else 1

    def area(name: str, style: str, values: Sequence[float], unit: str) -> dict[str, str]:
        return {
            "title": name,
            "svg": plot([Line(name, style, times, values, filled=True)], [], unit, times[0], end),
        }

    middles = [time + _HOUR // 2 for time in times]
    sizes = [
        Line("median", "s-first", middles, [hour.size_median for hour in hours]),
        Line("99 in 100 are smaller", "s-second", middles, [hour.size_99 for hour in hours]),
    ]
    return {
        "name": stream,
        "messages": sum(hour.messages for hour in hours),
        "octets": sum(hour.octets for hour in hours),
        "begin": clock(times[0]),
        "end": clock(end),
        "plots": [
            area("Messages a second", "s-first", [hour.rate for hour in hours], "messages/s"),
            area("Distinct keys", "s-first", [hour.keys for hour in hours], "keys"),
        ],
        "sizes": plot(sizes, [], "octets", times[0], end),
        "rows": [_cells(hour) for hour in hours],
        "keys": [{**asdict(key), "share": round(100 * key.messages / most)} for key in keys],
    }


def _cells(hour: Hour) -> list[str]:
    return [
        clock(hour.time, "%Y-%m-%d %H:00"), f"{hour.messages:,}", f"{hour.rate:,.2f}", f"{hour.peak:,}",
        f"{hour.octets:,}", f"{hour.keys:,}", f"{hour.size_min:,}", f"{hour.size_median:,}", f"{hour.size_mean:,.1f}",
        f"{hour.size_99:,}", f"{hour.size_max:,}",
    ]  # fmt: skip
