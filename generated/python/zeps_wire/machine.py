"""The engine under the generated machines: rows tried in order, steps run in order.

A machine is its table. A row says: in this state, at this event, if the guard holds, run these steps and, if
there is a next state, go there. A row without one stays, and runs neither what the state does on leaving
nor what it does on entering. A row with one runs the event's steps and the old state's `after`, changes the
state, and then runs the new state's `before`. A host action may call ``fail``: the steps that are left do not
run, and the event it names is handled next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar, Generic, TypeVar

from .errors import UnexpectedEvent, UnhandledEvent

__all__ = ["Machine", "Row", "by_state"]

S = TypeVar("S", bound=IntEnum)
E = TypeVar("E", bound=IntEnum)


@dataclass(frozen=True, slots=True)
class Row(Generic[S, E]):
    """One row. `steps[:before_at]` run before the state changes; `guard` is the text of `holds`."""

    state: S
    event: E
    guard: str | None
    steps: tuple[str, ...]
    next: S | None
    before_at: int
    holds: Callable[[Any, Any], bool] | None = field(default=None, repr=False, compare=False)
    run: tuple[Callable[[Any, Any], None], ...] = field(default=(), repr=False, compare=False)


def by_state(table: tuple[Row[S, E], ...], states: type[S]) -> dict[int, dict[int, tuple[Row[S, E], ...]]]:
    """The rows of each state and event, in the table's order; a state without rows has none."""
    found: dict[int, dict[int, tuple[Row[S, E], ...]]] = {state: {} for state in states}
    for row in table:
        events = found[row.state]
        events[row.event] = (*events.get(row.event, ()), row)
    return found


class Machine(Generic[S, E]):
    """What every generated machine can do. A subclass brings the table and the variables."""

    __slots__ = ("_failed", "state", "terminated")

    ROWS: ClassVar[Mapping[int, Mapping[int, tuple[Row[Any, Any], ...]]]]
    EVENT_OF: ClassVar[Mapping[type, Any]]

    state: S
    terminated: bool

    def __init__(self, state: S) -> None:
        self.state = state
        self.terminated = False
        self._failed: E | None = None

    def receive(self, message: Any) -> None:
        """Handle a message that arrived. Raises UnexpectedEvent if no row takes it."""
        event = self.EVENT_OF.get(type(message))
        rows = None if event is None else self.ROWS[self.state].get(event)
        if rows is None or not self._take(rows, message):
            raise UnexpectedEvent(f"{message.NAME} in state {self.state.name}")

    def fail(self, event: E) -> None:
        """Called by the host from inside a host action: skip the steps that are left, then handle `event`."""
        self._failed = event

    def _raise(self, event: E, message: object) -> bool:
        """Handle an event of the host's or the application's. False if no guard held.

        Raises UnhandledEvent if the state has no row for it.
        """
        rows = self.ROWS[self.state].get(event)
        if rows is None:
            raise UnhandledEvent(f"{event.name} in state {self.state.name}")
        return self._take(rows, message)

    def _take(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        for row in rows:
            if row.holds is not None and not row.holds(self, message):
                continue
            if row.next is None:
                for step in row.run:
                    step(self, message)
                    if self._failed is not None:
                        return self._recover()
                return True
            for step in row.run[: row.before_at]:
                step(self, message)
                if self._failed is not None:
                    return self._recover()
            self.state = row.next
            for step in row.run[row.before_at :]:
                step(self, message)
                if self._failed is not None:
                    return self._recover()
            return True
        return False

    def _recover(self) -> bool:
        event = self._failed
        assert event is not None
        self._failed = None
        if not self._raise(event, None):
            raise UnhandledEvent(f"{event.name} in state {self.state.name}: no guard holds")
        return True
