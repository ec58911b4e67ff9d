"""The ``zeps`` command. Only what a command needs is imported for it.

Exit codes: 0 success, 1 failure, 2 usage error (the command line or the configuration), 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from zeps_command import Parser, add_version, run_command

__all__ = ["main"]

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (those of this process); returns its exit code."""

    def work() -> int:
        parser = _parser(sys.argv[1:] if arguments is None else arguments)
        options = parser.parse_args(arguments)
        return int(options.run(options) or 0)

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
