"""Options, progress output and report files that subcommands share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zeps_command import number, whole
from zeps_conformance.common.json_files import write_json, write_text
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.reports.html import html
from zeps_conformance.reports.junit import junit
from zeps_conformance.reports.sarif import sarif

__all__ = [
    "UsageError",
    "add_cases",
    "add_list",
    "add_path",
    "add_reports",
    "add_retries",
    "add_value",
    "add_verbose",
    "count",
    "positive",
    "progress",
    "seconds",
    "write_reports",
]

TOLD_EVERY = 30.0  # seconds between two progress lines if standard error is not a terminal

#: Types of options: a time in seconds, an integer from 1, an integer from 0.
seconds, positive, count = number(0.001, 1e6), whole(1), whole(0)


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
        "-v", "--verbose", action="store_true", help="print a line for each settled case, not their number"
    )


def add_reports(parser: argparse.ArgumentParser) -> None:
    """Adds ``--json``, ``--junit``, ``--html`` and ``--sarif``, each with the file to write; None by default."""
    group = parser.add_argument_group("reports, in addition to the terminal report")
    add_path(group, "--json", "write the complete result, as in report.schema.json")
    add_path(group, "--junit", "write JUnit XML")
    add_path(group, "--html", "write a self-contained page")
    add_path(group, "--sarif", "write SARIF 2.1.0")


def progress(total: int, verbose: bool) -> Callable[[CaseResult], None]:
    """Returns a callback for each settled case of `total`, not thread-safe. With `verbose` it prints each case to
    standard output, else the count to standard error: always on a terminal, otherwise at most every 30 seconds.
    """
    done, printed_at = 0, time.monotonic()

    def show(case: CaseResult) -> None:
        nonlocal done, printed_at
        done += 1
        if verbose:
            print(f"{case.verdict.value:<12} {case.id} ({case.duration:.2f} s)", flush=True)
        elif sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\r{done} of {total} cases", end=end, file=sys.stderr, flush=True)
        elif time.monotonic() - printed_at > TOLD_EVERY:
            printed_at = time.monotonic()
            print(f"{done} of {total} cases", file=sys.stderr, flush=True)

    return show


def write_reports(result: RunResult, arguments: argparse.Namespace) -> None:
    """Writes the reports that options of :func:`add_reports` name, and their folders. Raises OSError if it fails."""
    if arguments.json is not None:
        write_json(arguments.json, result.to_json())
    if arguments.junit is not None:
        write_text(arguments.junit, junit(result))
    if arguments.html is not None:
        write_text(arguments.html, html([result]))
    if arguments.sarif is not None:
        write_json(arguments.sarif, sarif(result))
