"""The null adapters, of sockets and of clients, as implementations."""

from __future__ import annotations

import sys
from pathlib import Path

from zeps_conformance.nulls import client_adapter
from zeps_conformance.nulls.adapter import KINDS
from zeps_conformance.sockets.adapter import CLIENT, Implementation

__all__ = ["NULL_CLIENTS", "NULL_IMPLEMENTATIONS"]

ADAPTER = Path(__file__).with_name("adapter.py")
CLIENT_ADAPTER = ADAPTER.with_name("client_adapter.py")


def _null(script: Path, label: str, kind: str, types: tuple[str, ...]) -> Implementation:
    path = script.with_name(f"{label.replace(' ', '-')}-{kind}.toml")
    return Implementation(path, f"{label}, {kind}", (sys.executable, "-I", str(script), kind), types)


NULL_IMPLEMENTATIONS: dict[str, Implementation] = {
    kind: _null(ADAPTER, "null", kind, ("PUB", "SUB", "PROXY")) for kind in KINDS
}
"""The null implementations by name."""

NULL_CLIENTS: dict[str, Implementation] = {
    kind: _null(CLIENT_ADAPTER, "null client", kind, (CLIENT,)) for kind in client_adapter.KINDS
}
"""The null clients by name."""
