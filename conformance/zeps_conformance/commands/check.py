"""``zeps-conform check``: judges the traffic in a capture."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
import time
from collections.abc import Callable
from typing import Any

from zeps_command import whole
from zeps_conformance.captures.checker import Party, Scope, check_capture
from zeps_conformance.captures.pcap_reader import CaptureError
from zeps_conformance.captures.report import as_run, format_checked, has_violation
from zeps_conformance.captures.source import open_capture
from zeps_conformance.commands.common_options import UsageError, add_path, add_reports, write_reports
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.model.rulebook import load_book
from zeps_conformance.wire.zmtp_codec import PROTOCOLS, Wire

__all__ = ["add_check"]

PROFILES = {"zeps1": "ZEPS and ZMTP", "zmtp-router": "ZMTP alone"}
TOLD_EVERY = 10.0  # seconds between two lines about progress

DESCRIPTION = """\
Judge the traffic in a capture: a pcapng or pcap file with TCP connections of ZMTP, or a finding that run --keep wrote.
What a broker may send follows from what its clients sent; clients and both sides' ZMTP are judged by the rules that a
capture can prove violated. A violation is reported with its rule, the number of the packet as in Wireshark, and
the position in the stream of bytes. Connections whose beginning the capture lacks, and those with CURVE or PLAIN, are
listed and not judged.
"""
EPILOG = """\
exit codes: 0 no violation of a MUST, 1 violations, 2 the capture cannot be read to its end, or usage error
"""


def add_check(commands: Any) -> None:
    """Adds the command ``check`` to the subparsers of zeps-conform."""
    parser = commands.add_parser(
        "check",
        help="judge the traffic in a capture",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_path(parser, "capture", "pcapng or pcap file, or file that run --keep wrote", "CAPTURE")
    parser.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default="zeps1",
        help="; ".join(f"{name}: {what}" for name, what in PROFILES.items()) + " (default: %(default)s)",
    )
    add_path(parser, "--model", "read the protocol from this model.json (default: the one in the package)")
    parser.add_argument(
        "--port",
        action="append",
        default=[],
        type=whole(1),
        metavar="N",
        help="only connections with this port on either side; repeatable (default: all that begin with a greeting "
        "of ZMTP)",
    )
    parser.add_argument(
        "--judge",
        choices=["both", *(party.value for party in Party)],
        help="the judged side (default: both; in a capture of the suite, the side that is not the suite)",
    )
    parser.add_argument(
        "--regex",
        metavar="PREFIX",
        help="streams whose names begin with PREFIX have regular expressions as patterns, which are not compared "
        "with keys",
    )
    add_reports(parser)
    parser.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    started, began = datetime.datetime.now(datetime.UTC), time.monotonic()
    book = load_book(arguments.model, ("zeps", *PROTOCOLS))
    if too_large := [port for port in arguments.port if port > 65535]:
        raise UsageError(f"--port {too_large[0]}: ports are at most 65535")
    judge = arguments.judge
    scope = Scope(
        zeps=arguments.profile == "zeps1",
        parties=frozenset(Party) if judge == "both" else frozenset({Party(judge)} if judge else ()),
        ports=frozenset(arguments.port),
        regex=arguments.regex,
    )
    codec, wire = Interpreter(book.models["zeps"]), Wire(book.models)
    with open_capture(arguments.capture) as reader:
        checked = check_capture(reader, codec, wire, scope, _progress())
    links = sum(count for reason, count in checked.unreadable.items() if reason.startswith("link layer"))
    if links and links == checked.packets:
        raise CaptureError(f"{arguments.capture}: {', '.join(checked.unreadable)}")
    name = str(arguments.capture)
    duration = time.monotonic() - began
    result = as_run(name, arguments.profile, checked, book, started, duration)
    result.command = _repeating(arguments)
    write_reports(result, arguments)
    print(format_checked(name, checked, book), end="")
    if has_violation(checked, book):
        return 1
    return 2 if checked.cut else 0


def _repeating(arguments: argparse.Namespace) -> str:
    """Returns the command that judges the capture again."""
    words = ["zeps-conform", "check", str(arguments.capture), "--profile", arguments.profile]
    for port in arguments.port:
        words += ["--port", str(port)]
    for name in ("judge", "regex", "model"):
        if (value := getattr(arguments, name)) is not None:
            words += [f"--{name}", str(value)]
    return shlex.join(words)


def _progress() -> Callable[[str, int], None]:
    """Returns a callback that prints what was done to standard error, at most every ten seconds."""
    printed_at = time.monotonic()

    def show(what: str, count: int) -> None:
        nonlocal printed_at
        if time.monotonic() - printed_at > TOLD_EVERY:
            printed_at = time.monotonic()
            print(f"{count} {what}", file=sys.stderr, flush=True)

    return show
