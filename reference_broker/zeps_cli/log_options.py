"""The options of the log, which broker, forwarder and bridge have."""

from __future__ import annotations

import argparse

__all__ = ["add_log_options"]


def add_log_options(parser: argparse.ArgumentParser, *, configured: bool = False) -> None:
    """Add `--log-format` and `--log-level`; `configured`: without one the configuration counts (None)."""
    parser.add_argument(
        "--log-format",
        choices=("logfmt", "json"),
        default=None if configured else "logfmt",
        help="how log lines look (default: logfmt)",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default=None if configured else "info",
        help="what is logged (default: info)",
    )
