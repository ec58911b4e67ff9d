"""The ``zeps-pipeline`` command. Only what a command needs is imported for it.

Exit codes: 0 it did what was asked, 1 it could not, 2 the command line means nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from zeps_pipeline.commands import COMMANDS
from zeps_pipeline.errors import PipelineError

__all__ = ["main"]

_DESCRIPTION = "Journals at scale, with Spark."
_FAILED = 1
_USAGE = 2


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where help is."""

    def error(self, message: str) -> NoReturn:
        self.exit(_USAGE, f"{self.prog}: error: {message}\nTry '{self.prog} --help'.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (those of this process); returns its exit code."""
    parser = _parser(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except PipelineError as error:
        print(f"zeps-pipeline: error: {error}", file=sys.stderr)
        return _FAILED
    except BrokenPipeError:
        # Whoever read our output has gone, as `zeps-pipeline … | head` does.
        sys.stdout = None
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _FAILED
    except KeyboardInterrupt:
        return 130


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="zeps-pipeline", description=_DESCRIPTION)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    wanted = next((each for each in arguments if not each.startswith("-")), None)
    for name in [wanted] if wanted in COMMANDS else COMMANDS:
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
