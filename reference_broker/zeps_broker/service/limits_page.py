"""The table of limits (docs/limits.md), derived from the settings and the fixed limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from zeps_broker.core.regex import UNICODE_CLASSES_MAX
from zeps_broker.journal.store import IDLE_MAX
from zeps_broker.service.config import GROUPS, Config
from zeps_broker.setting import Subject, settings_of
from zeps_broker.transport.certificates import KEY_FILE_BYTES_MAX
from zeps_broker.transport.options import COMMAND_BYTES_MAX
from zeps_broker.transport.zmtp.connection import UNREAD_BYTES_MAX, ZMTP_COMMAND_BYTES_MAX
from zeps_broker.transport.zmtp.curve import HANDSHAKE_BYTES_MAX
from zeps_broker.transport.zmtp.router_connection import UNATTACHED_BYTES_MAX

__all__ = ["LimitRow", "limit_rows", "limits_page"]

_HEAD = """\
# Limits

<!-- Written by `zeps broker --print-limits`. -->

The memory and time of a broker that one connection, one session, one stream, or all of them together can use. A key is
the key of a setting, with its value in the last column; a limit without a key is fixed. A limit that belongs to one
engine (`transport.engine`) names the engine.
"""
_TITLES: dict[Subject, str] = {
    "total": "In total",
    "connection": "For each connection",
    "session": "For each session",
    "pattern": "For each pattern",
    "stream": "For each stream",
    "turn": "For each turn of the loop",
}


class LimitRow(NamedTuple):
    """A limit of the page."""

    name: str
    """The setting's section and key, or the constant's name."""
    is_setting: bool
    subject: Subject
    about: str
    value: Any


_FIXED: dict[str, tuple[Subject, int, str]] = {
    "IDLE_MAX": ("total", IDLE_MAX, """Streams without sessions that stay open. The least recently used one is closed
    for another."""),
    "KEY_FILE_BYTES_MAX": ("total", KEY_FILE_BYTES_MAX, """Bytes of a file with a CURVE key. A larger file is not read:
    if it is the broker's secret key, the broker does not start; if it is an authorized key, it is ignored."""),
    "UNICODE_CLASSES_MAX": ("pattern", UNICODE_CLASSES_MAX, r"""Unicode classes, such as \pL, in one regular expression.
    A pattern with more is refused (bad-pattern)."""),
    "HANDSHAKE_BYTES_MAX": ("connection", HANDSHAKE_BYTES_MAX, """native: bytes of a command of CURVE's handshake. A
    connection that announces a longer command is closed."""),
    "ZMTP_COMMAND_BYTES_MAX": ("connection", ZMTP_COMMAND_BYTES_MAX, """native: bytes of a command of ZMTP, except
    subscriptions at gateways. A connection that announces a longer command is closed."""),
    "COMMAND_BYTES_MAX": ("connection", COMMAND_BYTES_MAX, """Bytes of a command of ZEPS: a body of 16 MiB, a key of 255
    bytes and the rest. A longer frame is answered with INVALID, and not kept (native) or not copied (libzmq)."""),
    "UNATTACHED_BYTES_MAX": ("connection", UNATTACHED_BYTES_MAX, """native: bytes of a frame that are kept for a client
    without a session. The rest is dropped as it arrives, and the frame is answered with INVALID."""),
    "UNREAD_BYTES_MAX": ("connection", UNREAD_BYTES_MAX, """native: bytes of ZMTP's own answers, such as PONG, that wait
    for a peer that does not read, in addition to send_bytes_max. Above the limit the connection is closed."""),
}  # fmt: skip
"""The fixed limits by the names of their constants: what has the limit, its value, and its description."""


def limit_rows(config: Config) -> list[LimitRow]:
    """Returns the limits of a configuration: those of settings, then fixed ones."""
    rows = []
    for group, kind in GROUPS.items():
        values = config.transport.curve if group == "curve" else getattr(config, group)
        for field, known in settings_of(kind):
            if known.limits is not None:
                name, value = f"{known.section}.{field.name}", getattr(values, field.name)
                rows.append(LimitRow(name, True, known.limits, known.about, value))
    for name, (subject, value, about) in _FIXED.items():
        rows.append(LimitRow(name, False, subject, " ".join(about.split()), value))
    return rows


def limits_page(config: Config) -> str:
    """Returns the limits of a configuration as Markdown."""
    return "\n".join([_HEAD, *_tables(limit_rows(config))])


def _tables(rows: list[LimitRow]) -> Iterator[str]:
    for subject, title in _TITLES.items():
        lines = [
            f"| {f'`{row.name}`' if row.is_setting else ''} | {row.about} | {_format_value(row)} |"
            for row in rows
            if row.subject == subject
        ]
        if lines:
            yield "\n".join([f"## {title}", "", "| key | limit | value |", "|---|---|---|", *lines]) + "\n"


def _format_value(row: LimitRow) -> str:
    """Returns the value with its unit."""
    name, value = row.name.lower(), row.value
    if value is None:
        return "none"
    if "bytes" in name:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value >= size and value % (size >> 4) == 0:
                return f"{value / size:g} {unit}"
        return f"{value:,} bytes"
    return f"{value:g} s" if "seconds" in name else f"{value:,.10g}"
