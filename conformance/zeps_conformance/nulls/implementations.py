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


def _implementation(kind: str) -> Implementation:
    command = (sys.executable, "-I", str(ADAPTER), kind)
    return Implementation(
        ADAPTER.with_name(f"null-{kind}.toml"), f"null, {kind}", command, ("PUB", "SUB", "PROXY")
    )


NULL_IMPLEMENTATIONS: dict[str, Implementation] = {kind: _implementation(kind) for kind in KINDS}
"""The null implementations by name."""


def _client(kind: str) -> Implementation:
    command = (sys.executable, "-I", str(CLIENT_ADAPTER), kind)
    return Implementation(
        ADAPTER.with_name(f"null-client-{kind}.toml"), f"null client, {kind}", command, (CLIENT,)
    )


NULL_CLIENTS: dict[str, Implementation] = {kind: _client(kind) for kind in client_adapter.KINDS}
"""The null clients by name."""
