"""What the command's parts share: options, progress, and the files that reports go to."""

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

TOLD_EVERY = 30.0  # seconds between two counts where nobody sits at a terminal


class UsageError(Exception):
    """The command line asks for what cannot be. The text is for the user."""


def add_reports(parser: argparse.ArgumentParser) -> None:
    """The options that name a file for each report."""
    group = parser.add_argument_group("reports, beside the one on the terminal")
    group.add_argument("--json", type=Path, metavar="FILE", help="everything, after report.schema.json")
    group.add_argument("--junit", type=Path, metavar="FILE", help="JUnit XML")
    group.add_argument("--html", type=Path, metavar="FILE", help="one self-contained page")
    group.add_argument("--sarif", type=Path, metavar="FILE", help="SARIF 2.1.0")


def progress(total: int, verbose: bool) -> Callable[[CaseResult], None]:
    """What tells of each of `total` cases as it is settled: a line each, or one line that counts them.

    Where nobody sits at a terminal, the count is told now and then.
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
    """Write the reports that :func:`add_reports` was given files for."""
    if arguments.json is not None:
        write_json(arguments.json, result.to_json())
    if arguments.junit is not None:
        write_text(arguments.junit, junit(result))
    if arguments.html is not None:
        write_text(arguments.html, html([result]))
    if arguments.sarif is not None:
        write_json(arguments.sarif, sarif(result))


def seconds(text: str) -> float:
    """A time in seconds, more than 0."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds")
    return value


def positive(text: str) -> int:
    """A number, 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("has to be 1 or more")
    return value


def count(text: str) -> int:
    """A number, 0 or more."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("cannot be negative")
    return value
