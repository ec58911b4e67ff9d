"""The null shims as testees."""

from __future__ import annotations

import sys
from pathlib import Path

from zeps_conformance.nulls.adapter import KINDS
from zeps_conformance.sockets.adapter import Testee

__all__ = ["NULL_TESTEES"]

SHIM = Path(__file__).with_name("adapter.py")


def _testee(kind: str) -> Testee:
    command = (sys.executable, "-I", str(SHIM), kind)
    return Testee(SHIM.with_name(f"null-{kind}.toml"), f"null, {kind}", command, ("PUB", "SUB", "PROXY"))


NULL_TESTEES: dict[str, Testee] = {kind: _testee(kind) for kind in KINDS}
"""The null testees by name."""
