"""Options, progress output and report files that subcommands share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from zeps_conformance.common.json_files import write_json, write_text
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.reports.html import html
from zeps_conformance.reports.junit import junit
from zeps_conformance.reports.sarif import sarif

__all__ = [
    "UsageError",
    "add_reports",
    "count",
    "positive",
    "progress",
    "seconds",
    "write_reports",
]

TOLD_EVERY = 30.0  # seconds between two progress lines if standard error is not a terminal


class UsageError(Exception):
    """Usage error: an invalid combination of options. The text is the message for the user."""


def add_reports(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each report's file."""
    group = parser.add_argument_group("reports, in addition to the terminal report")
    group.add_argument(
        "--json", type=Path, metavar="FILE", help="write the complete result, as in report.schema.json"
    )
    group.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML")
    group.add_argument("--html", type=Path, metavar="FILE", help="write a self-contained page")
    group.add_argument("--sarif", type=Path, metavar="FILE", help="write SARIF 2.1.0")


def progress(total: int, verbose: bool) -> Callable[[CaseResult], None]:
    """Returns a callback that reports each settled case: one line per case, or one line that counts them.

    If standard error is not a terminal, the count is printed at intervals.
    """
    done, told = 0, time.monotonic()

    def show(case: CaseResult) -> None:
        nonlocal done, told
        done += 1
        if verbose:
            print(f"{case.verdict.value:<12} {case.id} ({case.duration:.2f} s)", flush=True)
        elif sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\r{done} of {total} cases", end=end, file=sys.stderr, flush=True)
        elif time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            print(f"{done} of {total} cases", file=sys.stderr, flush=True)

    return show


def write_reports(result: RunResult, arguments: argparse.Namespace) -> None:
    """Writes the reports whose options of :func:`add_reports` name a file."""
    if arguments.json is not None:
        write_json(arguments.json, result.to_json())
    if arguments.junit is not None:
        write_text(arguments.junit, junit(result))
    if arguments.html is not None:
        write_text(arguments.html, html([result]))
    if arguments.sarif is not None:
        write_json(arguments.sarif, sarif(result))


def seconds(text: str) -> float:
    """Parses a positive time in seconds."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a time in seconds")
    return value


def positive(text: str) -> int:
    """Parses a positive integer."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def count(text: str) -> int:
    """Parses a non-negative integer."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return value
