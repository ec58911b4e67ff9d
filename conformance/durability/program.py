"""Replaces itself by a program of this interpreter's environment, or else of PATH: ``program.py NAME ARGUMENT…``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    here = Path(sys.executable).parent / sys.argv[1]
    try:
        os.execvp(str(here) if here.exists() else sys.argv[1], sys.argv[1:])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error.strerror}")
