"""History sessions of a multicast client: an ordinary client engine that exists only while history is needed."""

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
    """Runs at most one session at a time; not thread-safe, never blocks. The constructor raises Engine's errors."""

    def __init__(self, endpoint: str, stream: str, settings: Settings, context: Context | None) -> None:
        self.gaps: deque[Missing | StreamReset] = deque()
        """Gaps that the session reported. Messages after a StreamReset stay in the engine until the reset is taken."""
        self.events: deque[Event] = deque()
        """All other events."""
        self._new = partial(Engine, endpoint, stream, settings, on_event=self._note, context=context)
        self._spare: Engine | None = self._new()
        self.engine: Engine | None = None
        self._result = SubscribeResult()
        self.sessions = 0
        """Number of history sessions."""

    def ask(self, latest: int) -> None:
        """Starts a session for the messages after `latest` (LATEST_NEW: new messages). No session may be running."""
        self.engine, self._spare = self._spare or self._new(), None
        self._result = self.engine.subscribe(_PATTERN, latest)
        self.sessions += 1

    def leave(self) -> None:
        """Ends the session, if there is a session; drops messages that were not taken."""
        engine, self.engine = self.engine, None
        if engine is not None:
            if engine.session.open:
                engine.session.final_frames.append(Detach().encode())
            engine.close()

    @property
    def confirmed(self) -> bool:
        """True if the broker has confirmed the subscription."""
        return self.engine is not None and self._result.done and self._result.error is None

    @property
    def last_error(self) -> str:
        """The text of a Timeout: why the session has not answered, even if nothing failed; empty without a session."""
        return "" if self.engine is None else self.engine.no_session()

    @property
    def error(self) -> ClientError | None:
        """The error that ended the session permanently, or the refusal of its subscription; None without one."""
        if self.engine is None:
            return None
        return self.engine.session.error or self._result.error

    def turn(self) -> None:
        """Performs the work that is due."""
        if self.engine is not None:
            self.engine.turn()
            self.engine.report()

    def receive(self) -> None:
        """Reads the input that has arrived."""
        if self.engine is not None:
            self.engine.receive()

    def take(self, count_max: int) -> list[Deliver]:
        """Returns up to `count_max` messages that have arrived, and grants the broker credit for their bytes."""
        engine = self.engine
        if engine is None or not engine.inbox:
            return []
        messages, byte_count = engine.take(count_max)
        if engine.acknowledge(byte_count):
            engine.turn()
        return messages

    def take_all(self) -> list[Deliver]:
        """Returns all messages that have arrived, and grants the broker credit for their bytes."""
        return [] if self.engine is None else self.take(len(self.engine.inbox))

    @property
    def waiting(self) -> bool:
        """True if messages have arrived and were not taken."""
        return self.engine is not None and bool(self.engine.inbox)

    def pause(self) -> float | None:
        """Seconds until `turn` is due, 0 if it is due; None if only input can make it due, or without a session."""
        return None if self.engine is None else self.engine.pause()

    def register(self, poller: zmq.Poller) -> None:
        """Registers the sockets with `poller`: for input, and for output if frames wait to be sent."""
        if self.engine is not None and self.engine.connection is not None:
            self.engine.connection.register(poller, writing=bool(self.engine.session.outbox))

    def _note(self, event: Event) -> None:
        if isinstance(event, Missing | StreamReset):
            self.gaps.append(event)
        else:
            self.events.append(event)

    def close(self) -> None:
        """Closes the sockets."""
        self.leave()
        if self._spare is not None:
            self._spare.close()
            self._spare = None
