"""The else branch: `*` covers every event without a row in the state, inherited rows included, and rows of a message
whose guards are all false. With our extensions it covers only messages; in zproto's own language all events of the
machine, including methods, timers and events that actions raise.
"""

from __future__ import annotations

from collections.abc import Sequence

from .events import STAR

__all__ = ["covered_events"]


def covered_events(rows: Sequence[tuple[str, bool]], events: Sequence[str]) -> tuple[str, ...]:
    """The events that `*` covers, in order: without rows, or the last has a guard. `rows`: (event, has a guard)."""
    last_has_guard = {event: guarded for event, guarded in rows if event != STAR}
    return tuple(name for name in events if last_has_guard.get(name, True))
