"""``zeps-conform report``: reports of earlier runs."""

from __future__ import annotations

import argparse
from typing import Any

from zeps_conformance.commands.common_options import add_pages, add_path, trend_of, write_page_folder
from zeps_conformance.common.json_files import write_text
from zeps_conformance.reports.html import html
from zeps_conformance.reports.terminal import format_run
from zeps_conformance.reports.trend import format_trend
from zeps_conformance.runs.matrix import load_runs

__all__ = ["add_report"]

DESCRIPTION = """\
Make reports from the files that run --json and matrix --json wrote; HTML shows several runs side by side. Exit with 1
if one of the runs has a finding.
"""


def add_report(commands: Any) -> None:
    """Adds the command ``report`` to the subparsers of zeps-conform."""
    parser = commands.add_parser("report", help="make reports of earlier runs", description=DESCRIPTION)
    add_path(parser, "runs", "report or matrix that --json wrote", "JSON", nargs="+")
    add_path(parser, "--html", "write one HTML file for all runs (default: print them as text)")
    add_pages(parser)
    parser.set_defaults(command=_report)


def _report(arguments: argparse.Namespace) -> int:
    runs = [run for path in arguments.runs for run in load_runs(path)]
    trend = trend_of(runs, arguments)
    if arguments.html is not None:
        write_text(arguments.html, html(runs))
    write_page_folder(runs, arguments, trend)
    if arguments.html is None and arguments.pages is None:
        print("\n".join(format_run(result) for result in runs), end="")
    if trend is not None:
        print(format_trend(trend), end="")
    return 0 if all(result.ok for result in runs) else 1
