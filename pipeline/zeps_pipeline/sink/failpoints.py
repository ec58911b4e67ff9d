"""Failpoints: places at which a test can block the sink and then kill it. `ZEPS_FAILPOINTS` names a folder. A process
that reaches the failpoint NAME while the folder has a file NAME renames the file to NAME.reached and blocks.
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
"""Two in a task, before and after it writes its file; four in a commit: after the declaration, within publishing, after
publishing, and after the epoch is recorded but before the commit returns to Spark.
"""


def reach(name: str) -> None:
    """Rename the file of the failpoint `name`, and block forever; return at once if it is not set."""
    folder = os.environ.get("ZEPS_FAILPOINTS")
    if folder is None:
        return
    try:
        Path(folder, name).rename(Path(folder, f"{name}.reached"))
    except FileNotFoundError:
        return
    while True:
        time.sleep(3600)
