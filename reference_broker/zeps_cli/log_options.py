"""The log options of broker, forwarder and bridge."""

from __future__ import annotations

import argparse

__all__ = ["add_log_options"]


def add_log_options(parser: argparse.ArgumentParser, *, configured: bool = False) -> None:
    """Adds `--log-format` and `--log-level`; `configured`: without a default, so that the configuration applies."""
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
