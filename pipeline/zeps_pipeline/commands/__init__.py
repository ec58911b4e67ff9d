"""What the ``zeps-pipeline`` command can do, each in a module of its own.

A command's module has `HELP` (one line), `add_arguments(parser)`, and `run(options)`, which returns the exit
code; its docstring is the command's description. `COMMANDS` lists them, and only the one that is asked for is
imported.
"""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS: dict[str, str] = {
    "archive": "zeps_pipeline.commands.archive",
    "stats": "zeps_pipeline.commands.stats",
}
"""A command's name, and its module."""
