"""The else branch: `*` covers every event that the state does not name, inherited rows included.

In models with our extensions these are the messages. In zproto's own language they are all events that the machine
knows: methods, timers and what actions raise as well, as in the code that zproto generates. `*` is also what is left
when a state names a message and none of the guards of its rows holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from .events import STAR

__all__ = ["covered_events"]


def covered_events(rows: Sequence[tuple[str, bool]], events: Sequence[str]) -> tuple[str, ...]:
    """Those of `events` that `*` covers, in order. `rows` are (event, has a guard) pairs."""
    last_has_guard = {event: guarded for event, guarded in rows if event != STAR}
    return tuple(name for name in events if last_has_guard.get(name, True))
