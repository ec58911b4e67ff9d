"""The else branch: `*` covers every message that the state does not name, inherited rows included.

It is also what is left when a state names a message and none of the guards of its rows holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Message
from .events import STAR

__all__ = ["covered_messages"]


def covered_messages(rows: Sequence[tuple[str, bool]], messages: Sequence[Message]) -> tuple[str, ...]:
    """The messages that `*` covers, in the protocol's order. `rows` are (event, has a guard) pairs."""
    last_has_guard = {event: guarded for event, guarded in rows if event != STAR}
    return tuple(message.name for message in messages if last_has_guard.get(message.name, True))
