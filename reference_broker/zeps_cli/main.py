"""The ``zeps`` command. Only what a command needs is imported for it.

Exit codes: 0 success, 1 failure, 2 usage error (the command line or the configuration), 130 interrupted.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeps_command import FAILURE, USAGE, Parser, add_version, run_command

if TYPE_CHECKING:
    from zeps_broker.io.config import Config

__all__ = ["main"]

_DESCRIPTION = """\
ZEPS: publish and subscribe with a journal. A broker keeps every message of a stream; a subscriber gets what
matches its pattern, from any point of the stream's past, and then what comes.

  zeps broker                          start a broker here; it listens on tcp://127.0.0.1:5670
  zeps pub prices NASDAQ.AAPL 187.15   publish a message to the stream "prices", under a key
  zeps sub prices NASDAQ. --from all   see all messages whose key begins with NASDAQ., then follow
  zeps streams --data zeps-data        what streams there are
  zeps journal verify zeps-data        check a data folder
  zeps forward --upstream tcp://pub:5556 --downstream 'tcp://*:5557'
                                       a device between PUB and SUB sockets, which asks for what is wanted below
  zeps bridge --amqp amqp://guest:guest@127.0.0.1 --exchange prices --downstream 'tcp://*:5557'
                                       join PUB and SUB sockets and an exchange of RabbitMQ's
  zeps multicast prices 'norm://eth0;239.192.1.1:5671'
                                       send the stream by multicast; zeps sub --multicast receives
  zeps keys alice                      a pair of keys, for a broker that lets in whom it knows

Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted. What runs until it is stopped (broker, forward,
bridge, multicast) ends with 0 when Ctrl-C stops it.
"""

_BROKER = """\
Run a broker until SIGTERM or SIGINT (Ctrl-C), which stop it cleanly: clients are told, the journal is closed.

When it listens it prints one line for each endpoint to standard output, with the real port:

  ready tcp://127.0.0.1:5670

Logs go to standard error. Exit codes: 0 after a clean stop, 1 if it cannot start or go on (the log says what
and where), 2 usage error: the command line or the configuration file.
"""

_BROKER_END = """\
Every option, and more, can stand in a configuration file; options on the command line win over it.
--print-config prints all keys (examples/zeps.toml).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (those of this process); returns its exit code."""

    def work() -> int:
        parser = _parser(sys.argv[1:] if arguments is None else arguments)
        options = parser.parse_args(arguments)
        return int(options.run(options) or 0)

    return run_command(work)


# Parsers


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog="zeps", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_version(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    if "--version" in arguments[:1]:
        return parser
    wanted = next((each for each in arguments if not each.startswith("-")), None)
    named = [add for names, add in _GROUPS if wanted in names]
    for add in named or [add for _, add in _GROUPS]:
        add(commands)
    return parser


def _add_broker(commands: Any) -> None:
    parser = commands.add_parser(
        "broker",
        help="run a broker",
        description=_BROKER,
        epilog=_BROKER_END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="a TOML file, such as examples/zeps.toml")
    add("--data", type=Path, metavar="DIR", help="the folder of the journal (default: zeps-data)")
    add(
        "--bind",
        action="append",
        metavar="ENDPOINT",
        help="where to listen, e.g. tcp://127.0.0.1:5670 (the default), tcp://127.0.0.1:* for a free port, "
        "ipc:///run/zeps.sock; may be repeated",
    )
    add(
        "--sync",
        choices=("always", "interval", "os"),
        help="when a message counts as stored: always (the default) once it is on the device, interval or os "
        "once it is written; that is synced every sync_seconds, or when the operating system likes",
    )
    add("--log-format", choices=("logfmt", "json"), help="how log lines look (default: logfmt)")
    add("--log-level", choices=("debug", "info", "warning", "error"), help="what is logged (default: info)")
    add(
        "--stats-seconds",
        "--stats-interval",
        type=_seconds,
        metavar="S",
        help="log figures every S seconds, 0: never (default: 60)",
    )
    add("--pidfile", type=Path, metavar="FILE", help="keep the process id in FILE while the broker runs")
    add(
        "--ready-fd",
        type=_descriptor,
        metavar="N",
        help="write the ready lines to descriptor N, then close it",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--print-config",
        action="store_true",
        help="print a configuration file with every key, its description and its default, and exit",
    )
    shown.add_argument(
        "--print-limits",
        action="store_true",
        help="print the limits of memory and work that hold with this configuration as Markdown, and exit",
    )
    parser.set_defaults(run=_broker)


def _add_forward(commands: Any) -> None:
    import_module("zeps_cli.forward_command").add_forward_command(commands)


def _add_bridge(commands: Any) -> None:
    import_module("zeps_cli.bridge_command").add_bridge_command(commands)


def _add_journal(commands: Any) -> None:
    module = import_module("zeps_cli.journal_commands")
    module.add_streams_command(commands)
    module.add_journal_commands(commands)


def _add_keys(commands: Any) -> None:
    import_module("zeps_cli.keys_command").add_keys_command(commands)


def _add_client(commands: Any) -> None:
    import_module("zeps_cli.client_commands").add_client_commands(commands)


_GROUPS: tuple[tuple[tuple[str, ...], Callable[[Any], None]], ...] = (
    (("broker",), _add_broker),
    (("forward",), _add_forward),
    (("bridge",), _add_bridge),
    (("pub", "sub", "multicast"), _add_client),
    (("streams", "journal"), _add_journal),
    (("keys",), _add_keys),
)
"""Which commands who adds. If the command line names one of them, the others are not even imported."""


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 86400")
    return number


def _descriptor(text: str) -> int:
    try:
        number = int(text)
        os.fstat(number)
    except (OSError, OverflowError, ValueError):
        raise argparse.ArgumentTypeError(f"{text} is not an open file descriptor") from None
    return number


# The broker


def _broker(options: argparse.Namespace) -> int:
    from zeps_broker.io.config import ConfigError, example
    from zeps_broker.io.errors import TransportError
    from zeps_broker.io.logs import Log
    from zeps_broker.io.server import Server
    from zeps_broker.ports import JournalError

    if options.print_config:
        print(example(), end="")
        return 0
    try:
        config = _config(options)
    except ConfigError as error:
        return _complain(str(error), USAGE)
    if options.print_limits:
        from zeps_broker.io.limits_page import limits_page

        print(limits_page(config), end="")
        return 0
    log = Log(config.log.level, config.log.format)
    for former, present in config.renamed:
        log.warning("setting-renamed", key=former, use=present)
    _prepare_process()
    try:
        server = Server(config, log)
    except (JournalError, TransportError) as error:
        return _complain(str(error), FAILURE)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        return _complain("too few file descriptors; raise the limit (ulimit -n)", FAILURE)

    def ready(endpoints: list[str]) -> None:
        lines = "".join(f"ready {endpoint}\n" for endpoint in endpoints)
        lines += "".join(f"{kind} {where} {stream}\n" for kind, where, stream in server.gateway_endpoints)
        if options.ready_fd is None:
            print(lines, end="", flush=True)
        else:
            with os.fdopen(options.ready_fd, "w") as file:
                file.write(lines)

    return server.run(ready, signals=True)


def _config(options: argparse.Namespace) -> Config:
    """The configuration file's, with what the command line says on top. Raises ConfigError."""
    from zeps_broker.io.config import Config, load

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


def _prepare_process() -> None:
    """What a process that is a broker and nothing else may do to itself.

    What was imported is never garbage, and what the core makes is freed without the collector, which therefore
    looks rarely. Large messages leave no holes in the heap.
    """
    import gc

    from zeps_broker.io.descriptors import reserve
    from zeps_broker.io.heap import return_large_blocks

    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    return_large_blocks()
    reserve()


def _complain(text: str, code: int) -> int:
    print(f"zeps: error: {text}", file=sys.stderr)
    return code
