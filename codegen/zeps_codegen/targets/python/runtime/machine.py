"""The engine under the generated machines: rows tried in order, steps run in order.

A machine is its table. A row says: in this state, at this event, if the guard holds, run these steps and, if
there is a next state, go there. A row without one stays, and runs neither what the state does on leaving
nor what it does on entering. A row with one runs the event's steps and the old state's `after`, changes the
state, and then runs the new state's `before`. A host action may call `fail`: the steps that are left do not
run, and the event it names is handled next. Or it calls `raise_event`: the row goes on to its end, and then the event
is handled in the state that was reached. Should host actions fail or raise events in that one's row too, and so on,
then more than RAISES_MAX events in turn are an error.

A machine handles one event at a time, and belongs to one thread at a time: its methods must not be called from inside
an action, `send` included, whose row is only half done. The host keeps for later what it wants to do next.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar

from .errors import EncodeError, UnexpectedEvent, UnhandledEvent

__all__ = [
    "RAISES_MAX",
    "UNSET",
    "Machine",
    "RaisingMachine",
    "Row",
    "TimedMachine",
    "Timer",
    "Unset",
    "by_state",
    "number",
    "settled_rows",
]

#: Events in turn that host actions may fail with or raise while one event is handled.
RAISES_MAX = 8


class Unset(Enum):
    """The type of UNSET."""

    UNSET = 0


UNSET: Final = Unset.UNSET
"""A field that is not filled."""

S = TypeVar("S", bound=IntEnum)
E = TypeVar("E", bound=IntEnum)
M = TypeVar("M", bound="_Message")
I_contra = TypeVar("I_contra", contravariant=True)

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


def settled_rows(
    table: tuple[Row[S, E], ...], actions: Container[Callable[[Any, Any], None]]
) -> dict[tuple[S, E], str]:
    """The rows that do one of `actions` and nothing else, whatever the variables hold: the action's name."""
    rows: dict[tuple[S, E], list[Row[S, E]]] = {}
    for row in table:
        rows.setdefault((row.state, row.event), []).append(row)
    return {
        key: row.steps[0]
        for key, (row, *others) in rows.items()
        if not others
        and row.guard is None
        and row.next is None
        and len(row.run) == 1
        and row.run[0] in actions
    }


@dataclass(frozen=True, slots=True)
class Timer(Generic[S, E]):
    """While the machine is in one of `states`, `event` is due so long after the state was `entered`, or a message last
    `sent` or `received`.
    """

    event: E
    since: Literal["entered", "sent", "received"]
    states: frozenset[S]
    milliseconds: Callable[[Any], int] = field(repr=False)
    """Of the machine, when the timer starts; 0 is never."""


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

    __slots__ = (
        *("_busy", "_deadlines", "_drafts", "_failed", "_now", "_raised", "_state", "_terminated"),
        "on_transition",
    )

    ROWS: ClassVar[Mapping[int, Mapping[int, tuple[Row[Any, Any], ...]]]]
    EVENT_OF: ClassVar[Mapping[type, Any]]
    TIMERS: ClassVar[tuple[Timer[Any, Any], ...]] = ()
    INTERNAL: ClassVar[Container[object]] = ()
    host: Any

    def __init__(self, state: S) -> None:
        self._state = state
        self._terminated = False
        self._busy = False
        self._failed: E | None = None
        self._raised: E | None = None
        self._drafts: dict[type, dict[str, Any]] = {}
        self._now: int | None = None
        self._deadlines: dict[int, int] = {}
        self.on_transition: Callable[[S, E, S], None] | None = None
        """Called with each row that was taken, after its steps: the state before, the event, and the state after."""

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

        Raises UnhandledEvent inside an action, and if no row takes what a host action failed with or raised.
        """
        event = self.EVENT_OF.get(type(message))
        if event is None and not isinstance(getattr(message, "NAME", None), str):
            raise TypeError(f"message: a message is wanted, not {type(message).__name__}")
        if self._busy:
            raise self._inside(message.NAME)
        if self.TIMERS and event is not None:
            self._restart("received")
        rows = None if event is None else self.ROWS[self._state].get(event)
        if rows is None or not self._handle(rows, message):
            raise UnexpectedEvent(f"{message.NAME} in state {self._state.name}")

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
        """Take a row, then those of the events that host actions fail with or raise. False if no guard held."""
        self._busy = True
        try:
            taken = self._take(rows, message)
            if self._failed is not None or self._raised is not None:
                self._follow()
            return taken
        finally:
            self._busy, self._failed, self._raised = False, None, None

    def _take(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        """Run the first row whose guard holds, up to a step at which the host fails. False if there is none."""
        for row in rows:
            if row.holds is not None and not row.holds(self, message):
                continue
            before = self._state
            self._run(row, message)
            if self.on_transition is not None:
                self.on_transition(before, row.event, self._state)
            return True
        return False

    def _run(self, row: Row[S, E], message: object) -> None:
        if row.next is None:
            for step in row.run:
                step(self, message)
                if self._failed is not None:
                    return
            return
        for step in row.run[: row.before_at]:
            step(self, message)
            if self._failed is not None:
                return
        self._enter(row.next)
        for step in row.run[row.before_at :]:
            step(self, message)
            if self._failed is not None:
                return

    def _follow(self) -> None:
        """Handle the event that the host failed with or raised; should it do so again, then that one, and so on."""
        for count in itertools.count():
            event = self._failed if self._failed is not None else None if self._terminated else self._raised
            self._failed = self._raised = None
            if event is None:
                return
            where = f"{event.name} in state {self._state.name}"
            rows = self.ROWS[self._state].get(event)
            if rows is None:
                raise UnhandledEvent(where)
            if count == RAISES_MAX:
                raise UnhandledEvent(f"{where}: actions fail more than {RAISES_MAX} deep")
            if not self._take(rows, None):
                raise UnhandledEvent(f"{where}: no guard holds")

    def _enter(self, state: S) -> None:
        """Change the state: its timers run, and no others."""
        before, self._state = self._state, state
        for index, timer in enumerate(self.TIMERS):
            if state not in timer.states:
                self._deadlines.pop(index, None)
            elif before not in timer.states or timer.since == "entered":
                self._start(index)

    def _start(self, index: int) -> None:
        """Start a timer, or start it again."""
        self._deadlines.pop(index, None)
        milliseconds = self.TIMERS[index].milliseconds(self)
        if self._now is not None and milliseconds and self._now + milliseconds < _U64_MAX:
            self._deadlines[index] = self._now + milliseconds

    def _restart(self, since: str) -> None:
        """A message was sent or received."""
        for index, timer in enumerate(self.TIMERS):
            if timer.since == since and self._state in timer.states:
                self._start(index)

    # --- what is sent

    def _send(self, message: Any) -> None:
        """Give the host a message. What the host has filled of one like it is forgotten."""
        self._drafts.pop(type(message), None)
        self.host.send(message)
        if not self.TIMERS:
            return
        try:
            (getattr(message, "encode_frames", None) or message.encode)()
        except EncodeError:
            return
        self._restart("sent")

    def _send_filled(
        self, kind: Any, filled: Mapping[str, str], zeros: Mapping[str, object], **given: object
    ) -> None:
        """Send a message of `given` fields, and of those that the host has filled.

        `filled` are their attributes, and what the model calls them; `zeros` are the values of those that need not be
        set.
        """
        draft = {**zeros, **self._drafts.pop(kind, {})}
        for name, shown in filled.items():
            if name not in draft:
                self.host.unsendable(EncodeError("not-set", kind.NAME, shown))
                return
            given[name] = draft[name]
        self._send(kind(**given))

    def _fill(self, kind: type, **given: object) -> None:
        """Keep what the host fills for the next message of its kind."""
        self._drafts.setdefault(kind, {}).update(
            {name: value for name, value in given.items() if value is not UNSET}
        )


class RaisingMachine(Machine[S, E, M], Generic[S, E, M, I_contra]):
    """A machine whose host actions may fail with internal events or raise them."""

    __slots__ = ()

    def fail(self, event: I_contra) -> None:
        """Called by the host from inside a host action: skip the steps that are left, then handle `event`.

        Raises UnhandledEvent anywhere else, ValueError if the event is no internal one.
        """
        self._failed = self._internal(event)

    def raise_event(self, event: I_contra) -> None:
        """Called by the host from inside a host action: handle `event` after the row, in the state reached then.

        A later one of the same row takes its place; `fail` discards it; it is dropped if the machine has terminated.
        Raises UnhandledEvent anywhere else, ValueError if the event is no internal one.
        """
        self._raised = self._internal(event)

    def _internal(self, event: Any) -> E:
        if event not in self.INTERNAL:
            raise ValueError(f"event: {event!r} is no internal event")
        if not self._busy:
            raise UnhandledEvent(f"{event.name} in state {self._state.name}: no action runs that could fail")
        found: E = event
        return found


class TimedMachine(Machine[S, E, M]):
    """A machine with timers, which run from the first `advance` on."""

    __slots__ = ()

    @property
    def deadline(self) -> int | None:
        """When `advance` is due next, in milliseconds; None if no timer runs."""
        return min(self._deadlines.values(), default=None)

    def advance(self, now: int) -> bool:
        """Handle the events of the timers that are due; True if a row took one.

        `now` is in milliseconds, on a clock that does not go back: less than before counts as the same. Raises
        UnhandledEvent inside an action, and if a state has no row for an event.
        """
        if self._busy:
            raise self._inside("advance")
        now = number("now", now)
        is_first = self._now is None
        self._now = max(now, self._now or 0)
        for index, timer in enumerate(self.TIMERS if is_first else ()):
            if self._state in timer.states:
                self._start(index)
        taken = False
        while self._deadlines:
            index = min(self._deadlines, key=lambda one: (self._deadlines[one], one))
            if self._deadlines[index] > self._now:
                break
            self._start(index)
            taken = self._raise(self.TIMERS[index].event, None) or taken
        return taken
