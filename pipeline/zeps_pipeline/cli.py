"""The ``zeps-pipeline`` command. Only the requested command's module is imported; without one, all are.

Exit codes: 0 success, 1 findings or failure, 2 usage error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from zeps_command import Parser, add_version, report_error, run_command
from zeps_pipeline.commands import COMMANDS
from zeps_pipeline.errors import PipelineError

__all__ = ["main"]

_DESCRIPTION = "Journals at scale, with Spark."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (None: the process's). Returns the exit code. Raises SystemExit as argparse."""

    def work() -> int:
        parser = _parser(sys.argv[1:] if arguments is None else arguments)
        options = parser.parse_args(arguments)
        try:
            return int(options.run(options) or 0)
        except PipelineError as error:
            return report_error(error, command="zeps-pipeline")

    return run_command(work)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(prog="zeps-pipeline", description=_DESCRIPTION)
    add_version(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    requested = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name in [requested] if requested in COMMANDS else COMMANDS:
        module = import_module(COMMANDS[name])
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
