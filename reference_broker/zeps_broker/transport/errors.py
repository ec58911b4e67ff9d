"""What can go wrong at the broker's edges."""

from __future__ import annotations

__all__ = ["TransportError"]


class TransportError(Exception):
    """An endpoint that cannot be listened on. The text says which and why."""
