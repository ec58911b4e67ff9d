"""Commands of ``zeps-pipeline``, one module per command.

A command's module has `HELP` (one line), `add_arguments(parser)`, and `run(options)`, which returns the exit
code. Its docstring is the command's description. Only the module of the requested command is imported.
"""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS: dict[str, str] = {
    "archive": "zeps_pipeline.commands.archive",
    "stats": "zeps_pipeline.commands.stats",
}
"""The module of each command."""
