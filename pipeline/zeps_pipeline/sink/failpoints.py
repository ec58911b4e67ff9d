"""Places where a test may stop the sink for ever, and kill it there.

With `ZEPS_FAILPOINTS` naming a folder, the process that comes to the place NAME while a file of that name is there
renames it to NAME.reached and waits. Without the variable a place costs one look at the environment.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["FAILPOINTS", "reach"]

FAILPOINTS = (
    "before-write",
    "after-write",
    "before-publish",
    "amid-publish",
    "after-publish",
    "before-commit",
)
"""In a task, before and after its file is written; in a commit: the epoch is declared, half of it is published, all
of it is, and that is written down, but Spark does not know yet.
"""


def reach(name: str) -> None:
    """Wait for ever if a test says so."""
    folder = os.environ.get("ZEPS_FAILPOINTS")
    if folder is None:
        return
    try:
        Path(folder, name).rename(Path(folder, f"{name}.reached"))
    except FileNotFoundError:
        return
    while True:
        time.sleep(3600)
