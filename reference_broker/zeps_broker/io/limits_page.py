"""The table of limits (docs/limits.md), derived from the settings and the fixed limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zeps_broker.io.config import GROUPS, Config
from zeps_broker.setting import Subject, settings_of

__all__ = ["limits_page"]

_HEAD = """\
# Limits

<!-- Written by `zeps broker --print-limits`. -->

What one peer, one stream and all of them together can take of a broker's memory and time. Settings have the default in
the last column; fixed limits have no key.
"""
_TITLES: dict[Subject, str] = {
    "total": "In total",
    "connection": "For each connection",
    "session": "For each session",
    "pattern": "For each pattern",
    "stream": "For each stream",
    "turn": "For each turn of the loop",
}


def limits_page(config: Config) -> str:
    """Returns the limits that hold with a configuration as Markdown."""
    rows: dict[Subject, list[tuple[str, str, str]]] = {subject: [] for subject in _TITLES}
    for group, kind in GROUPS.items():
        values = config.transport.curve if group == "curve" else getattr(config, group)
        for each, known in settings_of(kind):
            if known.limits is not None:
                shown = _shown(each.name, getattr(values, each.name))
                rows[known.limits].append((f"`{known.section}.{each.name}`", known.about, shown))
    return "\n".join([_HEAD, *_tables(rows)])


def _tables(rows: dict[Subject, list[tuple[str, str, str]]]) -> Iterator[str]:
    for subject, title in _TITLES.items():
        if rows[subject]:
            lines = [f"## {title}", "", "| key | limit | value |", "|---|---|---|"]
            lines += [f"| {key} | {about} | {value} |" for key, about, value in rows[subject]]
            yield "\n".join(lines) + "\n"


def _shown(name: str, value: Any) -> str:
    """A value with its unit."""
    if value is None:
        return "none"
    if "bytes" in name:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value >= size and value % (size >> 4) == 0:
                return f"{value / size:g} {unit}"
        return f"{value:,} bytes"
    return f"{value:g} s" if "seconds" in name else f"{value:,}"
