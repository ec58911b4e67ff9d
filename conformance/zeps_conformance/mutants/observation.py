"""Equivalence of a changed module by a program that observes it for all inputs within bounds.

The program calls the whole interface of the module, and prints what it returns. A change with which the program prints
the same is equivalent within the program's bounds: other modules cannot see a difference without exceeding them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["observed_alike", "python_path"]

OBSERVATION_SECONDS = 90.0
"""Maximum time of a program; a change with which it takes longer is not equivalent."""


def python_path(folder: Path, environment: Mapping[str, str]) -> str:
    """Returns the PYTHONPATH of `environment` with `folder` first."""
    paths = [str(folder), environment.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))]
    return os.pathsep.join(path for path in paths if path)


def observed_alike(program: Path, folder: Path) -> bool:
    """Returns whether `program` prints the same with the packages in `folder` as without them. Raises ValueError if it
    fails without them.
    """
    original = _original(program)
    if original is None:
        raise ValueError(f"{program}: it fails without a change: run it with {sys.executable}")
    return _output(program, {**os.environ, "PYTHONPATH": python_path(folder, os.environ)}) == original


@cache
def _original(program: Path) -> bytes | None:
    return _output(program, os.environ)


def _output(program: Path, environment: Mapping[str, str]) -> bytes | None:
    """Returns what the program prints, or None if it fails, prints nothing, or takes too long."""
    try:
        done = subprocess.run(
            [sys.executable, str(program)],
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=OBSERVATION_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout or None if done.returncode == 0 else None
