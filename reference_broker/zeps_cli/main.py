"""The ``zeps`` command. Each command imports only the modules that it needs.

Exit codes: 0 success, 1 failure, 2 usage error (the command line or the configuration), 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from zeps_command import Parser, add_version, report_error, run_command

__all__ = ["EXTRAS", "main"]

_MODULES = {
    "broker": "broker_command",
    "forward": "forward_command",
    "bridge": "bridge_command",
    "pub": "client_commands",
    "sub": "client_commands",
    "multicast": "client_commands",
    "streams": "journal_commands",
    "journal": "journal_commands",
    "keys": "keys_command",
}
"""The module that adds a subcommand. If the command line names one, the other modules are not imported."""

EXTRAS = {
    "google_crc32c": "broker",
    "nacl": "broker",
    "numpy": "broker",
    "pika": "bridge",
    "re2": "broker",
    "zmq": "broker",
}
"""The extra of the distribution that installs a module which subcommands import. Without it they report this extra."""

_DESCRIPTION = """\
ZEPS: publish and subscribe with a journal. A broker stores every message of a stream; a subscriber gets the messages
that match its pattern, from any point of the stream's past, and then new messages.

  zeps broker                          start a broker; it listens on tcp://127.0.0.1:5670
  zeps pub prices NASDAQ.AAPL 187.15   publish a message to the stream "prices", under a key
  zeps sub prices NASDAQ. --from all   print all messages whose keys begin with NASDAQ., then new ones
  zeps streams --data zeps-data        list the streams of a data folder
  zeps journal verify zeps-data        verify a data folder
  zeps forward --upstream tcp://pub:5556 --downstream 'tcp://*:5557'
                                       run a device between PUB and SUB sockets that forwards subscriptions
  zeps bridge --amqp amqp://guest:guest@127.0.0.1 --exchange prices --downstream 'tcp://*:5557'
                                       connect PUB and SUB sockets with a RabbitMQ exchange
  zeps multicast prices 'norm://eth0;239.192.1.1:5671'
                                       send the stream by multicast; zeps sub --multicast receives
  zeps keys alice                      create a CURVE key pair for a broker that authenticates its clients

Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted. Commands that run until they are stopped (broker,
forward, bridge, multicast) exit with 0 after Ctrl-C.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments` (default: those of this process); returns its exit code."""

    def work() -> int:
        try:
            parser = _parser(sys.argv[1:] if arguments is None else arguments)
            options = parser.parse_args(arguments)
            return int(options.run(options) or 0)
        except ModuleNotFoundError as error:
            module = (error.name or "").partition(".")[0]
            if module not in EXTRAS:
                raise
            return report_error(f"module {module} is not installed: pip install 'zeps[{EXTRAS[module]}]'")

    return run_command(work)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog="zeps", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_version(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    if "--version" in arguments[:1]:
        return parser
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    modules = [_MODULES[command]] if command in _MODULES else dict.fromkeys(_MODULES.values())
    for module in modules:
        import_module(f"zeps_cli.{module}").add_commands(commands)
    return parser
