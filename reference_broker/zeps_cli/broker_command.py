"""``zeps broker``."""

from __future__ import annotations

import argparse
import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeps_cli.log_options import add_log_options
from zeps_command import USAGE, report_error

if TYPE_CHECKING:
    from zeps_broker.service.config import Config
    from zeps_broker.service.heap import Heap

__all__ = ["add_commands"]

_DESCRIPTION = """\
Run a broker until SIGTERM or SIGINT (Ctrl-C). These stop it cleanly: clients are notified, the journal is closed.

When it listens, it prints one line for each endpoint to standard output, with the real port:

  ready tcp://127.0.0.1:5670

and then one for each endpoint of a gateway: subscribers ENDPOINT STREAM, or publishers ENDPOINT STREAM.

Logs go to standard error. Exit codes: 0 after a clean stop, 1 if the broker cannot start or continue (the log gives the
cause and the place), 2 usage error: an invalid command line or configuration file, also an invalid endpoint in them.
"""

_END = """\
Every option except --config, --ready-fd, --print-config and --print-limits can also be set in a configuration file,
which has further settings; options on the command line override it. Defaults in this help are those of settings
that the file does not have. --print-config prints all keys (examples/zeps.toml).
"""


def add_commands(commands: Any) -> None:
    """Adds the command to argparse's subparsers."""
    parser = commands.add_parser(
        "broker",
        help="run a broker",
        description=_DESCRIPTION,
        epilog=_END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--config",
        type=Path,
        metavar="FILE",
        help="configuration file in TOML, such as examples/zeps.toml; relative paths in it start at its folder "
        "(default: the default of every key)",
    )
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of the journal (default: journal.path of the configuration file, or zeps-data beside that file; "
        "without --config, zeps-data in the current folder)",
    )
    add(
        "--bind",
        action="append",
        metavar="ENDPOINT",
        help="endpoint to listen on, such as tcp://127.0.0.1:5670 (the default), tcp://127.0.0.1:* for a free port, "
        "ipc:///run/zeps.sock; may be repeated",
    )
    add(
        "--sync",
        choices=("always", "interval", "os"),
        help="when a message counts as stored: always (the default): when it is on the device; interval or os: when it "
        "is written; it is then synced every sync_seconds, or when the operating system decides",
    )
    add_log_options(parser, configured=True)
    add(
        "--pidfile",
        type=Path,
        metavar="FILE",
        help="keep the process id in FILE while the broker runs (default: no file)",
    )
    add(
        "--ready-fd",
        type=_descriptor,
        metavar="N",
        help="write the ready lines to the open file descriptor N instead of standard output, then close it",
    )
    print_options = parser.add_mutually_exclusive_group()
    print_options.add_argument(
        "--print-config",
        action="store_true",
        help="print a configuration file with every key, its description and its default, and exit; ignores the other "
        "options",
    )
    print_options.add_argument(
        "--print-limits",
        action="store_true",
        help="print the limits of memory and work of this configuration as Markdown, and exit",
    )
    parser.set_defaults(run=_broker)


def _descriptor(text: str) -> int:
    try:
        descriptor = int(text)
        os.fstat(descriptor)
    except (OSError, OverflowError, ValueError):
        raise argparse.ArgumentTypeError(f"{text} is not an open file descriptor") from None
    return descriptor


def _broker(options: argparse.Namespace) -> int:
    from zeps_broker.ports import JournalError
    from zeps_broker.service.config import ConfigError, example
    from zeps_broker.service.logs import EventLog
    from zeps_broker.service.server import Server
    from zeps_broker.transport.errors import InvalidSettingError, TransportError

    if options.print_config:
        print(example(), end="")
        return 0
    try:
        config = _config(options)
    except ConfigError as error:
        return report_error(error, USAGE)
    if options.print_limits:
        from zeps_broker.service.limits_page import limits_page

        print(limits_page(config), end="")
        return 0
    log = EventLog(config.log.level, config.log.format)
    for former, present in config.renamed:
        log.warning("setting-renamed", key=former, use=present)
    heap = _prepare_process()
    try:
        server = Server(config, log)
    except InvalidSettingError as error:
        return report_error(error, USAGE)
    except (JournalError, TransportError) as error:
        return report_error(error)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        return report_error("too few file descriptors; raise the limit (ulimit -n)")

    def ready(endpoints: list[str]) -> None:
        lines = "".join(f"ready {endpoint}\n" for endpoint in endpoints)
        lines += "".join(f"{kind} {where} {stream}\n" for kind, where, stream in server.gateway_endpoints)
        if options.ready_fd is None:
            print(lines, end="", flush=True)
        else:
            with os.fdopen(options.ready_fd, "w") as file:
                file.write(lines)

    return server.run(ready, signals=True, after_turn=heap.trim)


def _config(options: argparse.Namespace) -> Config:
    """The configuration of the file, or the default, overridden by the command line. Raises ConfigError."""
    from zeps_broker.service.config import Config, load

    config = load(options.config) if options.config is not None else Config()
    given = {
        "service": {
            "bind": tuple(options.bind) if options.bind else None,
            "stats_seconds": options.stats_seconds,
            "pidfile": options.pidfile,
        },
        "journal": {"path": options.data, "sync": options.sync},
        "log": {"format": options.log_format, "level": options.log_level},
    }
    changed = {
        section: replace(getattr(config, section), **{k: v for k, v in values.items() if v is not None})
        for section, values in given.items()
    }
    return replace(config, **changed)


def _prepare_process() -> Heap:
    """Configures garbage collection and heap for a process that only runs a broker: collections are rare, and freed
    memory returns to the system.
    """
    import gc

    from zeps_broker.service.descriptors import reserve
    from zeps_broker.service.heap import Heap

    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    reserve()
    return Heap()
