"""Commands of ``zeps-pipeline``, one module per command, with `HELP` (one line), `add_arguments(parser)`, and
`run(options)`, which returns the exit code. The module's docstring is the command's description.
"""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS: dict[str, str] = {
    "archive": "zeps_pipeline.commands.archive",
    "stats": "zeps_pipeline.commands.stats",
}
"""The module of each command."""
