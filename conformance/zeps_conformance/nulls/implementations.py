"""The null adapters as implementations."""

from __future__ import annotations

import sys
from pathlib import Path

from zeps_conformance.nulls.adapter import KINDS
from zeps_conformance.sockets.adapter import Implementation

__all__ = ["NULL_IMPLEMENTATIONS"]

ADAPTER = Path(__file__).with_name("adapter.py")


def _implementation(kind: str) -> Implementation:
    command = (sys.executable, "-I", str(ADAPTER), kind)
    return Implementation(
        ADAPTER.with_name(f"null-{kind}.toml"), f"null, {kind}", command, ("PUB", "SUB", "PROXY")
    )


NULL_IMPLEMENTATIONS: dict[str, Implementation] = {kind: _implementation(kind) for kind in KINDS}
"""The null implementations by name."""
