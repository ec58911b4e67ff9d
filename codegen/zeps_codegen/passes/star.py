"""The else branch: `*` covers every event without a row in the state, inherited rows included.

In models with our extensions `*` covers only messages. In zproto's own language it covers all events of the machine,
including methods, timers and events that actions raise, as zproto's generated code does. `*` also handles a message
with rows of its own if none of their guards is true.
"""

from __future__ import annotations

from collections.abc import Sequence

from .events import STAR

__all__ = ["covered_events"]


def covered_events(rows: Sequence[tuple[str, bool]], events: Sequence[str]) -> tuple[str, ...]:
    """The events of `events` that `*` covers, in order: those without rows, or whose last row has a guard. `rows` are
    (event, has a guard) pairs.
    """
    last_has_guard = {event: guarded for event, guarded in rows if event != STAR}
    return tuple(name for name in events if last_has_guard.get(name, True))
