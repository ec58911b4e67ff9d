"""The options of broker, forwarder and bridge for their logs."""

from __future__ import annotations

import argparse

from zeps_command import number

__all__ = ["add_log_options"]


def add_log_options(parser: argparse.ArgumentParser, *, configured: bool = False) -> None:
    """Adds `--log-format`, `--log-level` and `--stats-seconds`, with None as defaults if `configured` by a file."""
    parser.add_argument(
        "--log-format",
        choices=("logfmt", "json"),
        default=None if configured else "logfmt",
        help="format of log lines (default: logfmt)",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default=None if configured else "info",
        help="minimum level of logged events (default: info)",
    )
    parser.add_argument(
        "--stats-seconds",
        "--stats-interval",
        type=number(0, 86_400),
        default=None if configured else 60.0,
        metavar="S",
        help="log figures (counts and sizes) every S seconds, 0: never (default: 60)",
    )
