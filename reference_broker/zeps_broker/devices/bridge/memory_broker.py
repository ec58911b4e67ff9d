"""A foreign broker in memory that differs from AMQP: topics have levels between slashes, as in MQTT.

Calls wait until :meth:`serve` takes them; events wait for :meth:`take`. :meth:`lose` ends the session in between: calls
not served have no effect, and events of served calls may be lost. Subscriptions and messages outlive a session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from zeps_broker.devices.bridge.port import (
    Arrived,
    Changed,
    Event,
    Frames,
    Lost,
    Opened,
    PatternChange,
    Settled,
)

__all__ = ["MemoryBroker"]


@dataclass(slots=True)
class _Held:
    """A message in the bridge's queue; `handed`: delivered before, in this session or an earlier one."""

    frames: Frames
    identity: str | None
    origin: str | None
    handed: bool = False


class MemoryBroker:
    """The foreign broker of one bridge, called `name`; at most `window` delivered messages are unacknowledged."""

    def __init__(self, name: str, window: int) -> None:
        self._name = name
        self._window = window
        self.subscribed: set[str] = set()
        self.stored: list[tuple[int, Frames]] = []
        """Messages published to it, with their numbers, in the order of arrival."""
        self.session: int | None = None
        self._sessions = 0
        self._queue: deque[_Held] = deque()
        self._unacknowledged: dict[int, _Held] = {}
        self._tag = 0
        self._calls: deque[Callable[[], None]] = deque()
        self._events: deque[Event] = deque()

    # Calls of the bridge

    def pattern(self, prefix: bytes) -> str:
        levels = prefix.decode("latin-1").split("/")
        return "/".join([*levels[:-1], "#"])

    def change(self, session: int, steps: Sequence[PatternChange]) -> None:
        steps = list(steps)
        self._call(session, lambda: self._change(session, steps))

    def publish(self, session: int, messages: Sequence[tuple[int, Frames]]) -> None:
        for number, frames in messages:
            self._call(session, partial(self._store, session, number, frames))

    def acknowledge(self, session: int, tag: int) -> None:
        self._call(session, lambda: self._forget(tag))

    # Control by a test

    def open(self) -> None:
        """Starts a session."""
        assert self.session is None
        self._sessions += 1
        self.session = self._sessions
        self._tag = 0
        self._events.append(Opened(self.session))

    def lose(self, unheard: int = 0) -> None:
        """Ends the session; the last `unheard` of its waiting events are lost, but never its :class:`Opened`."""
        assert self.session is not None
        for _ in range(unheard):
            if self._events and not isinstance(self._events[-1], Opened | Lost):
                self._events.pop()
        self._events.append(Lost(self.session, "on request"))
        self.session = None
        self._calls.clear()
        self._queue.extendleft(reversed(self._unacknowledged.values()))
        self._unacknowledged.clear()

    def forget(self) -> None:
        """Deletes subscriptions and messages that have outlived a session; call it between sessions only."""
        assert self.session is None
        self.subscribed.clear()
        self._queue.clear()

    def arrive(self, frames: Frames, identity: str | None = None, origin: str | None = None) -> None:
        """Publishes a message from outside; it is queued if a subscription matches, otherwise dropped."""
        if any(self._matches(pattern, frames[0]) for pattern in self.subscribed):
            self._queue.append(_Held(frames, identity, origin))

    def serve(self, calls: int | None = None) -> None:
        """Serves this many waiting calls (default: all), then delivers messages as far as the window allows."""
        for _ in range(len(self._calls) if calls is None else min(calls, len(self._calls))):
            self._calls.popleft()()
        while self.session is not None and self._queue and len(self._unacknowledged) < self._window:
            held = self._queue.popleft()
            self._tag += 1
            self._unacknowledged[self._tag] = held
            self._events.append(
                Arrived(self.session, self._tag, held.frames, held.identity, held.origin, held.handed)
            )
            held.handed = True

    def take(self, events: int | None = None) -> list[Event]:
        """Returns and removes up to this many waiting events (default: all), oldest first."""
        count = len(self._events) if events is None else min(events, len(self._events))
        return [self._events.popleft() for _ in range(count)]

    @property
    def quiet(self) -> bool:
        """Returns whether no call, event or undelivered message waits."""
        return not (self._calls or self._events or self._queue)

    def _call(self, session: int, call: Callable[[], None]) -> None:
        if session == self.session:
            self._calls.append(call)

    def _change(self, session: int, steps: Sequence[PatternChange]) -> None:
        for more, pattern in steps:
            (self.subscribed.add if more else self.subscribed.discard)(pattern)
        self._events.append(Changed(session))

    def _store(self, session: int, number: int, frames: Frames) -> None:
        self.stored.append((number, frames))
        self.arrive(frames, f"{self._name}-{number}", self._name)
        self._events.append(Settled(session, number, multiple=False, taken=True))

    def _forget(self, tag: int) -> None:
        for known_tag in [known for known in self._unacknowledged if known <= tag]:
            del self._unacknowledged[known_tag]

    @staticmethod
    def _matches(pattern: str, first: bytes) -> bool:
        levels = pattern.split("/")[:-1]
        return first.decode("latin-1").split("/")[: len(levels)] == levels
