"""The reference broker of ZEPS.

``EmbeddedBroker`` runs one inside a program; ``zeps broker`` runs one by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zeps_broker.service.embedded import EmbeddedBroker

__all__ = ["EmbeddedBroker"]


def __getattr__(name: str) -> Any:
    # Only who asks for it pays for it: the core is imported without sockets.
    if name == "EmbeddedBroker":
        from zeps_broker.service.embedded import EmbeddedBroker

        return EmbeddedBroker
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
