"""The reference broker of ZEPS.

``EmbeddedBroker`` runs a broker inside a program; ``zeps broker`` runs it as a process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zeps_broker.service.embedded import EmbeddedBroker

__all__ = ["EmbeddedBroker"]


def __getattr__(name: str) -> Any:
    # Imported on first use: the core can be imported without sockets.
    if name == "EmbeddedBroker":
        from zeps_broker.service.embedded import EmbeddedBroker

        return EmbeddedBroker
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
