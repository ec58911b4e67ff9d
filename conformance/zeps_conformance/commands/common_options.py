"""Options, progress output and report files that subcommands share."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from zeps_command import number, whole
from zeps_conformance.captures.synthetic import write_case
from zeps_conformance.common.baseline import Expected, format_baseline
from zeps_conformance.common.json_files import write_json, write_text
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.reports.badge import badge
from zeps_conformance.reports.cells import Cell
from zeps_conformance.reports.html import html
from zeps_conformance.reports.junit import junit
from zeps_conformance.reports.pages.views import PageOptions
from zeps_conformance.reports.pages.writer import write_pages
from zeps_conformance.reports.sarif import sarif
from zeps_conformance.reports.trend import Trend, compare_runs, format_trend
from zeps_conformance.runs.matrix import load_runs

__all__ = [
    "UsageError",
    "add_cases",
    "add_list",
    "add_pages",
    "add_path",
    "add_pcap",
    "add_reports",
    "add_retries",
    "add_value",
    "add_verbose",
    "count",
    "duration",
    "positive",
    "progress",
    "records_traffic",
    "seconds",
    "status_line",
    "trend_of",
    "write_baseline",
    "write_page_folder",
    "write_reports",
    "writing_traffic",
]

TOLD_EVERY = 30.0  # seconds between two progress lines if standard error is not a terminal

#: Types of options: a time in seconds, an integer from 1, an integer from 0.
seconds, positive, count = number(0.001, 1e6), whole(1), whole(0)


def duration(text: str) -> float:
    """Parses the value of an option: a time with its unit, in seconds."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smh]?)", text)
    if match is None or not float(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: a number and s, m or h, as in 10m")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


#: Returns the path of the kept finding of a cell, or None.
KeptPath = Callable[[Cell], Path | None]


class UsageError(Exception):
    """The command cannot run as asked; it prints the text, a message for the user, and exits with 2."""


def add_path(parser: Any, name: str, help: str, metavar: str = "FILE", **more: Any) -> None:  # noqa: A002
    """Adds to a parser or a group an option or argument whose value is a Path; `more` as for `add_argument`."""
    parser.add_argument(name, type=Path, metavar=metavar, help=help, **more)


def add_list(parser: Any, name: str, metavar: str, help: str) -> None:  # noqa: A002
    """Adds an option that collects its values in a list, empty by default; ``; repeatable`` is appended to `help`."""
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=f"{help}; repeatable")


def add_cases(parser: Any) -> None:
    """Adds ``--case``."""
    add_list(parser, "--case", "GLOB", "only cases whose id, with or without the profile's name, matches")


def add_value(
    parser: Any,
    name: str,
    kind: Callable[[str], float],
    help: str,  # noqa: A002
    default: float | None = None,
) -> None:
    """Adds an option whose value is a number that `kind` parses, :data:`seconds` for a time."""
    parser.add_argument(name, type=kind, default=default, metavar="S" if kind is seconds else "N", help=help)


def add_retries(parser: Any, what: str) -> None:
    """Adds ``--retries``, 2 by default; `what` names what is repeated, for the help."""
    add_value(parser, "--retries", count, f"retry {what} up to N times; 0: never (default: %(default)s)", 2)


def add_verbose(parser: Any) -> None:
    """Adds ``--verbose``."""
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print a line for each settled case (of mutants: each mutant), not their number",
    )


def add_reports(parser: argparse.ArgumentParser) -> None:
    """Adds ``--json``, ``--junit``, ``--html``, ``--sarif`` and ``--badge``, each with the file to write, None by
    default, and the options of :func:`add_pages`.
    """
    group = parser.add_argument_group("reports, in addition to the terminal report")
    add_path(group, "--json", "write the complete result, as in report.schema.json")
    add_path(group, "--junit", "write JUnit XML")
    add_path(group, "--html", "write a self-contained page")
    add_path(group, "--sarif", "write SARIF 2.1.0")
    add_path(group, "--badge", "write an SVG badge, such as 'zeps1: 212 of 212'")
    add_pages(group)


def add_pages(parser: Any) -> None:
    """Adds ``--pages``, ``--address`` and ``--against``."""
    add_path(parser, "--pages", "write linked HTML pages: an index, and a page for each finding", "FOLDER")
    parser.add_argument(
        "--address",
        default="",
        metavar="URL",
        help="where the pages will be published, for their permalinks and for links in SARIF (default: relative links)",
    )
    parser.add_argument(
        "--against",
        type=_earlier_runs,
        metavar="EARLIER.json",
        help="compare with an earlier result, which --json wrote: new, changed and gone problems",
    )


def trend_of(runs: Sequence[RunResult], arguments: argparse.Namespace) -> Trend | None:
    """Returns the trend since the result of ``--against``, None without it."""
    return None if arguments.against is None else compare_runs(runs, arguments.against)


def _earlier_runs(text: str) -> list[RunResult]:
    """Loads the file before the run, which may replace it."""
    try:
        return load_runs(Path(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def write_page_folder(
    runs: Sequence[RunResult],
    arguments: argparse.Namespace,
    trend: Trend | None,
    kept: KeptPath | None = None,
) -> None:
    """Writes the pages that ``--pages`` asks for. `kept` returns where a cell's finding is kept. Raises OSError."""
    if arguments.pages is not None:
        options = PageOptions(trend, kept or (lambda cell: None), arguments.address)
        written = write_pages(runs, arguments.pages, options)
        print(f"pages: {arguments.pages / 'index.html'} ({len(written)} files)", file=sys.stderr)


def write_baseline(result: RunResult, entries: Sequence[Expected], arguments: argparse.Namespace) -> None:
    """Writes the file of ``--write-baseline``, with those of `entries` that still apply. Raises OSError."""
    if arguments.write_baseline is not None:
        write_text(arguments.write_baseline, format_baseline(result, entries, datetime.date.today()))
        print(f"baseline: {arguments.write_baseline}: {len(result.unexcused)} entries; give it to --baseline")


def status_line() -> Callable[[str, bool], None]:
    """Returns a function that prints a text to standard error: on a terminal in place of the one before, with True as
    the last one, otherwise at most every 30 seconds. It is not thread-safe.
    """
    printed_at = time.monotonic()

    def show(text: str, last: bool = False) -> None:
        nonlocal printed_at
        if sys.stderr.isatty():
            print(f"\r{text}\033[K", end="\n" if last else "", file=sys.stderr, flush=True)
        elif time.monotonic() - printed_at > TOLD_EVERY:
            printed_at = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    return show


def progress(total: int, verbose: bool) -> Callable[[CaseResult], None]:
    """Returns a callback for each settled case of `total`, not thread-safe. With `verbose` it prints each case to
    standard output, else the count (:func:`status_line`).
    """
    done, show_count = 0, status_line()

    def show(case: CaseResult) -> None:
        nonlocal done
        done += 1
        if verbose:
            print(f"{case.verdict.value:<12} {case.id} ({case.duration:.2f} s)", flush=True)
        else:
            show_count(f"{done} of {total} cases", done == total)

    return show


def add_pcap(parser: argparse.ArgumentParser) -> None:
    """Adds ``--pcap``."""
    add_path(
        parser,
        "--pcap",
        "write a pcapng file for each case, with the traffic of its connections and its steps as comments, for "
        "Wireshark and zeps-conform check",
        "FOLDER",
    )


def writing_traffic(
    arguments: argparse.Namespace, show: Callable[[CaseResult], None]
) -> Callable[[CaseResult], None]:
    """Returns a callback that writes the traffic of a settled case as ``--pcap`` asks, drops it unless ``--keep`` needs
    it, and calls `show`.
    """

    def settle(case: CaseResult) -> None:
        if arguments.pcap is not None:
            write_case(case, arguments.pcap)
        if arguments.keep is None or not (case.verdict.is_finding or case.is_finding):
            case.traffic = None
        show(case)

    return settle


def records_traffic(arguments: argparse.Namespace) -> bool:
    """Returns whether ``--pcap`` or ``--keep`` needs the traffic of cases."""
    return arguments.pcap is not None or arguments.keep is not None


def write_reports(result: RunResult, arguments: argparse.Namespace) -> None:
    """Writes the reports that options of :func:`add_reports` name, and prints the trend. Raises OSError if it fails."""
    if arguments.json is not None:
        write_json(arguments.json, result.to_json())
    if arguments.junit is not None:
        write_text(arguments.junit, junit(result))
    if arguments.html is not None:
        write_text(arguments.html, html([result]))
    if arguments.sarif is not None:
        write_json(arguments.sarif, sarif(result, arguments.address))
    if arguments.badge is not None:
        write_text(arguments.badge, badge(result))
    trend = trend_of([result], arguments)
    write_page_folder([result], arguments, trend)
    if trend is not None:
        print(format_trend(trend), end="")
