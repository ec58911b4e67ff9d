"""The engine of the generated machines: rows are tried in order, and their steps run in order.

A machine is a table. A row applies in a state, to an event, if its guard is true; it runs its steps and changes to the
next state, if it has one. A row without a next state runs neither the state's `after` nor its `before`. A row with a
next state runs the event's steps and the old state's `after`, changes the state, and then runs the new state's
`before`. If a host action calls `fail`, the remaining steps are skipped, and the named event is handled next. If it
calls `raise_event`, the row is completed, and then the event is handled in the new state. If the host actions of the
following rows fail or raise events too, more than RAISES_MAX events in turn are an error.

A machine handles one event at a time, and one thread at a time may use it: `receive`, `advance` and the methods that
raise an event must not be called from inside an action (including `send`), because the row is not complete; they raise
UnhandledEvent there. The host must postpone such calls. `fail` and `raise_event` are only for calls from inside.
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

#: The maximum number of events that host actions may fail with or raise in turn while one event is handled.
RAISES_MAX = 8


class Unset(Enum):
    """The type of UNSET."""

    UNSET = 0


UNSET: Final = Unset.UNSET
"""The value of an unfilled field."""

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
    """A row. `steps[:before_at]` run before the state changes; `guard` is the text of `holds`, both None if absent."""

    state: S
    event: E
    guard: str | None
    steps: tuple[str, ...]
    next: S | None
    before_at: int
    holds: Callable[[Any, Any], bool] | None = field(default=None, repr=False, compare=False)
    run: tuple[Callable[[Any, Any], None], ...] = field(default=(), repr=False, compare=False)


def by_state(table: tuple[Row[S, E], ...], states: type[S]) -> dict[int, dict[int, tuple[Row[S, E], ...]]]:
    """The rows of each state and event, in the table's order; the mapping of a state without rows is empty."""
    found: dict[int, dict[int, tuple[Row[S, E], ...]]] = {state: {} for state in states}
    for row in table:
        events = found[row.state]
        events[row.event] = (*events.get(row.event, ()), row)
    return found


def settled_rows(
    table: tuple[Row[S, E], ...], actions: Container[Callable[[Any, Any], None]]
) -> dict[tuple[S, E], str]:
    """The states and events whose only row has one of `actions` as its only step, no guard and no next state, with the
    action's name.
    """
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
    """A timer: while the machine is in one of `states`, `event` is due the given time after the state was `entered`, or
    after the last message was `sent` or `received`. A timer that counts from messages also starts when the machine
    enters `states` from another state. Timers restart when they are due.
    """

    event: E
    since: Literal["entered", "sent", "received"]
    states: frozenset[S]
    milliseconds: Callable[[Any], int] = field(repr=False)
    """The duration for a machine, evaluated when the timer starts; 0 disables the timer."""


def number(name: str, value: int, signed: bool = False) -> int:
    """Checks and returns `value` of the parameter called `name`. Raises TypeError if it is not an integer, and
    ValueError if it exceeds 64 bits, or is negative and not `signed`.
    """
    if not isinstance(value, int):
        raise TypeError(f"{name}: must be an integer, not {type(value).__name__}")
    least, greatest = (-_I64_MAX - 1, _I64_MAX) if signed else (0, _U64_MAX)
    if not least <= value <= greatest:
        raise ValueError(f"{name}: {value} is not between {least} and {greatest}")
    return value


class Machine(Generic[S, E, M]):
    """The base class of generated machines. A subclass defines the table and the variables."""

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
        """Called after the steps of each row that is taken, with the old state, the event and the new state."""

    @property
    def state(self) -> S:
        """The current state."""
        return self._state

    @property
    def terminated(self) -> bool:
        """Whether the machine has terminated."""
        return self._terminated

    def receive(self, message: M) -> None:
        """Handles a received message. Raises UnexpectedEvent if no row handles it, TypeError if it is not a message,
        and UnhandledEvent inside an action, if no row handles an event that a host action fails with or raises, or if
        more than RAISES_MAX of these follow each other.
        """
        event = self.EVENT_OF.get(type(message))
        if event is None and not isinstance(getattr(message, "NAME", None), str):
            raise TypeError(f"message: must be a message, not {type(message).__name__}")
        if self._busy:
            raise self._inside(message.NAME)
        if self.TIMERS and event is not None:
            self._restart("received")
        rows = None if event is None else self.ROWS[self._state].get(event)
        if rows is None or not self._handle(rows, message):
            raise UnexpectedEvent(f"{message.NAME} in state {self._state.name}")

    def _raise(self, event: E, message: object) -> bool:
        """Handles an event; returns False if no guard is true. Raises UnhandledEvent without a row or in an action."""
        if self._busy:
            raise self._inside(event.name)
        rows = self.ROWS[self._state].get(event)
        if rows is None:
            raise UnhandledEvent(f"{event.name} in state {self._state.name}")
        return self._handle(rows, message)

    def _inside(self, event: str) -> UnhandledEvent:
        return UnhandledEvent(f"{event} in state {self._state.name}: called from inside an action")

    def _handle(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        """Takes a row and the rows of events of host actions. Returns False if no guard is true."""
        self._busy = True
        try:
            taken = self._take(rows, message)
            if self._failed is not None or self._raised is not None:
                self._follow()
            return taken
        finally:
            self._busy, self._failed, self._raised = False, None, None

    def _take(self, rows: tuple[Row[S, E], ...], message: object) -> bool:
        """Runs the first row whose guard is true, until a host action fails. Returns False if no guard is true."""
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
        """Handles the event that the host failed with or raised, and events that follow from it."""
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
                raise UnhandledEvent(f"{where}: more than {RAISES_MAX} events follow each other")
            if not self._take(rows, None):
                raise UnhandledEvent(f"{where}: no guard is true")

    def _enter(self, state: S) -> None:
        """Changes the state: its timers run, and those of other states stop."""
        before, self._state = self._state, state
        for index, timer in enumerate(self.TIMERS):
            if state not in timer.states:
                self._deadlines.pop(index, None)
            elif before not in timer.states or timer.since == "entered":
                self._start(index)

    def _start(self, index: int) -> None:
        self._deadlines.pop(index, None)
        milliseconds = self.TIMERS[index].milliseconds(self)
        if self._now is not None and milliseconds and self._now + milliseconds < _U64_MAX:
            self._deadlines[index] = self._now + milliseconds

    def _restart(self, since: str) -> None:
        """Restarts the timers that count from the last message `sent` or `received`."""
        for index, timer in enumerate(self.TIMERS):
            if timer.since == since and self._state in timer.states:
                self._start(index)

    # --- sending

    def _send(self, message: Any) -> None:
        """Passes a message to the host, clears its filled fields, and restarts `sent` timers if it can be encoded."""
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
        """Sends a message with the `given` and the filled fields, and clears the latter; if one is not set, the host's
        `unsendable` is called with an EncodeError instead. `filled` maps their attributes to the model's names; `zeros`
        are the values of fields that need not be set.
        """
        draft = {**zeros, **self._drafts.pop(kind, {})}
        for name, shown in filled.items():
            if name not in draft:
                self.host.unsendable(EncodeError("not-set", kind.NAME, shown))
                return
            given[name] = draft[name]
        self._send(kind(**given))

    def _fill(self, kind: type, **given: object) -> None:
        """Keeps fields that the host fills for the next message of the kind; UNSET changes nothing."""
        self._drafts.setdefault(kind, {}).update(
            {name: value for name, value in given.items() if value is not UNSET}
        )


class RaisingMachine(Machine[S, E, M], Generic[S, E, M, I_contra]):
    """A machine whose host actions may fail with internal events or raise them."""

    __slots__ = ()

    def fail(self, event: I_contra) -> None:
        """Skips the remaining steps of the row, then handles `event`. Only for calls from inside a host action: raises
        UnhandledEvent outside, and ValueError if `event` is not an internal event.
        """
        self._failed = self._internal(event)

    def raise_event(self, event: I_contra) -> None:
        """Handles `event` after the row, in the new state, unless a later event of the row replaces it, or `fail` or
        the machine's termination discards it. Only for calls from inside a host action: raises UnhandledEvent outside,
        and ValueError if `event` is not an internal event.
        """
        self._raised = self._internal(event)

    def _internal(self, event: Any) -> E:
        if event not in self.INTERNAL:
            raise ValueError(f"event: {event!r} is not an internal event")
        if not self._busy:
            raise UnhandledEvent(f"{event.name} in state {self._state.name}: called outside an action")
        found: E = event
        return found


class TimedMachine(Machine[S, E, M]):
    """A machine with timers, which run from the first call of `advance`."""

    __slots__ = ()

    @property
    def deadline(self) -> int | None:
        """The time at which `advance` is due, in milliseconds of its clock; None while no timer runs."""
        return min(self._deadlines.values(), default=None)

    def advance(self, now: int) -> bool:
        """Handles the events of the timers that are due. Returns whether a row was taken. `now` is in milliseconds of a
        monotonic clock; a value less than before counts as the same time. The first call only starts the timers. Raises
        UnhandledEvent inside an action, and if a state has no row for an event; TypeError or ValueError if `now` is not
        a number from 0 to 2^64 - 1.
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
