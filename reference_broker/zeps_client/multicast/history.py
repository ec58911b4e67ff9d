"""History by sessions: an ordinary client's engine while something is wanted, and none while nothing is."""

from __future__ import annotations

from collections import deque
from functools import partial

import zmq

from zeps_client.connection import Context
from zeps_client.engine import Engine
from zeps_client.errors import ClientError
from zeps_client.events import Event, Missing, StreamReset
from zeps_client.results import SubscribeResult
from zeps_client.settings import Settings
from zeps_wire.zeps import Deliver, Detach

__all__ = ["History"]

_PATTERN = ""


class History:
    """At most one session at a time, for all of the stream. Not thread-safe; it never waits.

    Raises as Engine does, when it is made.
    """

    def __init__(self, endpoint: str, stream: str, settings: Settings, context: Context | None) -> None:
        self.gaps: deque[Missing | StreamReset] = deque()
        """What the session cannot bring. When a StreamReset is here, nothing that follows it has been received."""
        self.events: deque[Event] = deque()
        """What else has happened."""
        self._new = partial(Engine, endpoint, stream, settings, on_event=self._note, context=context)
        self._spare: Engine | None = self._new()
        self.engine: Engine | None = None
        self._result = SubscribeResult()
        self.sessions = 0
        """How often history was asked."""

    def ask(self, latest: int) -> None:
        """Begin a session for what follows `latest`."""
        self.engine, self._spare = self._spare or self._new(), None
        self._result = self.engine.subscribe(_PATTERN, latest)
        self.sessions += 1

    def leave(self) -> None:
        """End the session, if there is one; what it has not handed over is not wanted."""
        engine, self.engine = self.engine, None
        if engine is not None:
            if engine.session.open:
                engine.session.final_frames.append(Detach().encode())
            engine.close()

    @property
    def confirmed(self) -> bool:
        """The broker has said that the subscription holds."""
        return self.engine is not None and self._result.done and self._result.error is None

    @property
    def last_error(self) -> str:
        """Why there is no session although one is wanted."""
        return "" if self.engine is None else self.engine.no_session()

    @property
    def error(self) -> ClientError | None:
        """What ended the session for good."""
        if self.engine is None:
            return None
        return self.engine.session.error or self._result.error

    def turn(self) -> None:
        """Do what is due."""
        if self.engine is not None:
            self.engine.turn()
            self.engine.report()

    def receive(self) -> None:
        """Read what has arrived."""
        if self.engine is not None:
            self.engine.receive()

    def take(self, count_max: int) -> list[Deliver]:
        """Messages that arrived; the broker may send as much again."""
        engine = self.engine
        if engine is None or not engine.inbox:
            return []
        messages, octets = engine.take(count_max)
        if engine.acknowledge(octets):
            engine.turn()
        return messages

    def take_all(self) -> list[Deliver]:
        """All messages that arrived."""
        return [] if self.engine is None else self.take(len(self.engine.inbox))

    @property
    def waiting(self) -> bool:
        """Messages arrived that were not taken."""
        return self.engine is not None and bool(self.engine.inbox)

    def pause(self) -> float | None:
        """Seconds until a turn is due; None: not before something happens."""
        return None if self.engine is None else self.engine.pause()

    def register(self, poller: zmq.Poller) -> None:
        """Wake `poller` when there is something to receive, or room for what is to be sent."""
        if self.engine is not None and self.engine.connection is not None:
            self.engine.connection.register(poller, writing=bool(self.engine.session.outbox))

    def _note(self, event: Event) -> None:
        if isinstance(event, Missing | StreamReset):
            self.gaps.append(event)
        else:
            self.events.append(event)

    def close(self) -> None:
        """Give the sockets back."""
        self.leave()
        if self._spare is not None:
            self._spare.close()
            self._spare = None
