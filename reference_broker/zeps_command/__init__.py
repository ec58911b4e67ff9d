"""Shared parts of the commands `zeps`, `zeps-codegen`, `zeps-conform` and `zeps-pipeline`. Exit codes: 0 success, 1
findings or failure, 2 usage error, 130 interrupted (Ctrl-C). A command whose output is closed by the reader exits
quietly with 0.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import select
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn, TextIO

__all__ = [
    "FAILURE",
    "INTERRUPTED",
    "SUCCESS",
    "USAGE",
    "Parser",
    "add_version",
    "number",
    "package_version",
    "report_error",
    "run_command",
    "whole",
]

SUCCESS, FAILURE, USAGE, INTERRUPTED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """Parser (also of subcommands) that accepts only full option names, and reports a usage error in two lines."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: error: {message}\nTry '{self.prog} --help'.\n")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"{parser.prog} {package_version()}")
        parser.exit(SUCCESS)


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds `--version`. The version is looked up only when the option is used."""
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")


def package_version() -> str:
    """Returns the version of the installed distribution; "unknown" if it is not installed."""
    try:
        return version("zeps")
    except PackageNotFoundError:
        return "unknown"


def number(least: float, most: float) -> Callable[[str], float]:
    """Returns the type of an option whose value is a number from `least` to `most`, both included, such as seconds."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least:.10g} to {most:.10g}")
        return value

    return parse


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Returns the type of an option that is a whole number from `least` to `most` (inclusive; None: no maximum)."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            bounds = f"{least} or more" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{text} is not a whole number, {bounds}")
        return value

    return parse


def report_error(error: object, code: int = FAILURE, command: str = "zeps") -> int:
    """Prints an error of `command` to standard error, in one line; returns `code`."""
    print(f"{command}: error: {error}", file=sys.stderr)
    return code


def run_command(work: Callable[[], int]) -> int:
    """Runs `work`, which includes parsing the command line, and flushes standard output; returns its exit code, 0 if
    the reader of the output has closed it, and 130 after an interrupt. Other exceptions pass.
    """
    try:
        try:
            return work()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # an error of buffered output must occur here, not at the interpreter's exit
    except BrokenPipeError:
        closed = [
            stream for stream in (sys.stdout, sys.stderr) if stream is not None and _is_abandoned(stream)
        ]
        if not closed:  # it was another pipe, or a connection
            raise
        for stream in closed:
            _discard(stream)
        return SUCCESS
    except KeyboardInterrupt:
        return INTERRUPTED


def _is_abandoned(stream: TextIO) -> bool:
    """Returns whether the stream is a pipe whose reader has closed it."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def _discard(stream: TextIO) -> None:
    """Redirects the stream's buffered and later output to /dev/null."""
    with contextlib.suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
