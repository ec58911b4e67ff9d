"""The engine under the generated machines: rows tried in order, steps run in order.

A machine is its table. A row says: in this state, at this event, if the guard holds, run these steps and, if
there is a next state, go there. A row without one stays, and runs neither what the state does on leaving
nor what it does on entering. A row with one runs the event's steps and the old state's `after`, changes the
state, and then runs the new state's `before`. A host action may call ``fail``: the steps that are left do not
run, and the event it names is handled next. Should host actions fail in that one's row too, and so on, then more than
RAISES_MAX events in turn are an error.

A machine handles one event at a time, and belongs to one thread at a time: its methods must not be called from inside
an action, `send` included, whose row is only half done. The host keeps for later what it wants to do next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .errors import UnexpectedEvent, UnhandledEvent

__all__ = ["RAISES_MAX", "Machine", "Row", "by_state", "number"]

#: Events in turn that host actions may fail with while one event is handled.
RAISES_MAX = 8

S = TypeVar("S", bound=IntEnum)
E = TypeVar("E", bound=IntEnum)
M = TypeVar("M", bound="_Message")

_U64_MAX = 2**64 - 1
_I64_MAX = 2**63 - 1


class _Message(Protocol):
    NAME: ClassVar[str]


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


def number(name: str, value: int, signed: bool = False) -> int:
    """`value`, of the parameter called `name`.

    Raises TypeError if it is not an integer, ValueError if it has more than 64 bits or is negative and not `signed`.
    """
    if not isinstance(value, int):
        raise TypeError(f"{name}: an integer is wanted, not {type(value).__name__}")
    least, greatest = (-_I64_MAX - 1, _I64_MAX) if signed else (0, _U64_MAX)
    if not least <= value <= greatest:
        raise ValueError(f"{name}: {value} is not between {least} and {greatest}")
    return value


class Machine(Generic[S, E, M]):
    """What every generated machine can do. A subclass brings the table and the variables."""

    __slots__ = ("_busy", "_failed", "_state", "_terminated")

    ROWS: ClassVar[Mapping[int, Mapping[int, tuple[Row[Any, Any], ...]]]]
    EVENT_OF: ClassVar[Mapping[type, Any]]

    def __init__(self, state: S) -> None:
        self._state = state
        self._terminated = False
        self._busy = False
        self._failed: E | None = None

    @property
    def state(self) -> S:
        """Where the session is."""
        return self._state

    @property
    def terminated(self) -> bool:
        """Whether a row has terminated the machine."""
        return self._terminated

    def receive(self, message: M) -> None:
        """Handle a message that arrived. Raises UnexpectedEvent if no row takes it.

        Raises UnhandledEvent inside an action, and if no row takes what a host action failed with.
        """
        event = self.EVENT_OF.get(type(message))
        if event is None and not isinstance(getattr(message, "NAME", None), str):
            raise TypeError(f"message: a message is wanted, not {type(message).__name__}")
        if self._busy:
            raise self._inside(message.NAME)
        rows = None if event is None else self.ROWS[self._state].get(event)
        if rows is None or not self._handle(rows, message):
            raise UnexpectedEvent(f"{message.NAME} in state {self._state.name}")

    def fail(self, event: E) -> None:
        """Called by the host from inside a host action: skip the steps that are left, then handle `event`.

        Raises UnhandledEvent anywhere else.
        """
        if not self._busy:
            raise UnhandledEvent(f"{event.name} in state {self._state.name}: no action runs that could fail")
        self._failed = event

    def _raise(self, event: E, message: object) -> bool:
        """Handle an event of the host's or the application's. False if no guard held.

        Raises UnhandledEvent if the state has no row for it, and inside an action.
        """
        if self._busy:
            raise self._inside(event.name)
        rows = self.ROWS[self._state].get(event)
        if rows is None:
            raise UnhandledEvent(f"{event.name} in state {self._state.name}")
        return self._handle(rows, message)

    def _inside(self, event: str) -> UnhandledEvent:
        return UnhandledEvent(f"{event} in state {self._state.name}: called from inside an action")

    def _handle(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        """Take a row, then those of the events that host actions fail with. False if no guard held."""
        self._busy = True
        try:
            taken = self._take(rows, message)
            if self._failed is not None:
                self._recover()
            return taken
        finally:
            self._busy, self._failed = False, None

    def _take(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        """Run the first row whose guard holds, up to a step at which the host fails. False if there is none."""
        for row in rows:
            if row.holds is not None and not row.holds(self, message):
                continue
            if row.next is None:
                for step in row.run:
                    step(self, message)
                    if self._failed is not None:
                        return True
                return True
            for step in row.run[: row.before_at]:
                step(self, message)
                if self._failed is not None:
                    return True
            self._state = row.next
            for step in row.run[row.before_at :]:
                step(self, message)
                if self._failed is not None:
                    return True
            return True
        return False

    def _recover(self) -> None:
        """Handle the event that the host failed with; should it fail again, then that one, and so on."""
        raised = 0
        while (event := self._failed) is not None:
            self._failed = None
            where = f"{event.name} in state {self._state.name}"
            rows = self.ROWS[self._state].get(event)
            if rows is None:
                raise UnhandledEvent(where)
            if raised == RAISES_MAX:
                raise UnhandledEvent(f"{where}: actions fail more than {RAISES_MAX} deep")
            if not self._take(rows, None):
                raise UnhandledEvent(f"{where}: no guard holds")
            raised += 1
