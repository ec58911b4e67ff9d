"""Connects a session to its connections and to the application. It never blocks. The owner waits: a thread
(:mod:`~zeps_client.thread`) or an event loop (:mod:`~zeps_client.aio`). It calls `turn` and `report`, then waits for
the connection, for the end of `pause` or for the application, then calls `receive`, and so on.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import zmq

from zeps_client.connection import Connection, Context, FramingError
from zeps_client.errors import Closed, PublishLost
from zeps_client.events import Event, Failed, Lost, Message, Missing, PublishesLost, Refused, StreamReset
from zeps_client.results import SubscribeResult
from zeps_client.session import ClientSession
from zeps_client.settings import Settings

__all__ = ["Engine", "Statistics"]

_LOG: Final = logging.getLogger("zeps.client")
_LEVELS: Final = {
    Failed: logging.ERROR,
    Lost: logging.INFO,
    Missing: logging.WARNING,
    PublishesLost: logging.WARNING,
    Refused: logging.WARNING,
    StreamReset: logging.WARNING,
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters and state of a client."""

    attached: bool
    sessions: int
    """Number of sessions so far."""
    received: int
    """Messages that arrived and were new."""
    waiting: int
    """New messages that the application has not taken yet."""
    repeats: int
    """Messages that arrived again and were dropped."""
    published: int
    confirmed: int
    """Published messages that are confirmed or reported as lost."""
    window: int
    """Bytes that the broker may still send."""
    last_error: str
    """Why no session exists; empty while a session exists, and before anything has failed."""

    @property
    def trouble(self) -> str:
        """Deprecated name of `last_error`."""
        warnings.warn("Statistics.trouble is deprecated; use last_error", DeprecationWarning, stacklevel=2)
        return self.last_error


class Engine:
    """Runs a :class:`ClientSession` against `endpoint`, and begins to connect at once. Not thread-safe. `context` None:
    pyzmq's global context. Raises zmq.ZMQError for an invalid endpoint or too few file descriptors, EncodeError or
    ValueError for an invalid stream name.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        settings: Settings,
        *,
        on_event: Callable[[Event], None] | None = None,
        context: Context | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.settings = settings
        self.session = ClientSession(stream, settings, time.monotonic())
        self.connection: Connection | None = None
        self.inbox: deque[Message] = deque()
        self.sizes: deque[int] = deque()
        """Bytes of each message in `inbox`."""
        self._consumed = 0
        self._worth_telling = max(1, settings.window // 8)
        self._events: list[Event] = []
        self._on_event = on_event
        self._context = context if context is not None else zmq.Context.instance()
        self.before_close: Callable[[], None] | None = None
        """Called before a connection is closed, for an owner that watches it."""
        self._generation = -1
        # The first connection is made here, not when it is due, so that the caller gets the error of an invalid
        # endpoint.
        self._curve = settings.curve
        self._spare: Connection | None = self._connect()

    # --- the owner

    def turn(self) -> bool:
        """Does due work, sends frames and fills `inbox`. True if a waiting caller should check its condition."""
        session, now = self.session, time.monotonic()
        self._link(now)
        session.tick(now)
        self._link(now)
        if self.connection is not None and session.outbox:
            self.connection.send(session.outbox)
        messages, sizes = session.take_messages()
        self.inbox.extend(messages)
        self.sizes.extend(sizes)
        events = session.take_events()
        self._events += events
        return bool(messages or events)

    def _link(self, now: float) -> None:
        """Closes a connection that the session has given up, and opens one if the session asks for it now."""
        session = self.session
        if self.connection is not None and self._generation != session.generation:
            self._drop(self.connection)
            self.connection = None
        if session.connect_at is not None and now >= session.connect_at:
            session.connected(now)
            try:
                self.connection, self._spare = self._spare or self._connect(), None
            except zmq.ZMQError as error:  # for example, too few file descriptors
                session.disconnected(now, f"cannot create a connection: {error}")
        self._generation = session.generation

    def _connect(self) -> Connection:
        return Connection(self._context, self.endpoint, self._curve)

    def receive(self) -> bool:
        """Reads input that has arrived and passes it to the session. Returns True if more may be available."""
        connection, now = self.connection, time.monotonic()
        if connection is None:
            return False
        try:
            frames = connection.receive()
        except FramingError as error:
            self.session.refuse(now, str(error))
            return False
        if frames:
            self.session.receive(now, frames)
            return True
        if (reason := connection.broken()) is not None:
            self.session.disconnected(now, reason)
        return False

    def pause(self) -> float | None:
        """Seconds until `turn` is due again without input, 0 if it is due; None if only input can make it due."""
        deadline = self.session.deadline()
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def report(self) -> None:
        """Logs new events and passes them to `on_event`, oldest first. An Exception of `on_event` is logged."""
        events, self._events = self._events, []
        for event in events:
            _LOG.log(_LEVELS.get(type(event), logging.DEBUG), "%s: %s", self.session.stream, event)
            if self._on_event is not None:
                try:
                    self._on_event(event)
                except Exception:
                    _LOG.exception("on_event raised an exception, which is ignored")

    def close(self) -> None:
        """Closes the sockets."""
        for connection in (self.connection, self._spare):
            if connection is not None:
                self._drop(connection)
        self.connection = self._spare = None

    def _drop(self, connection: Connection) -> None:
        if self.before_close is not None:
            self.before_close()
        connection.close(self.session.final_frames)
        self.session.final_frames.clear()

    # --- the application

    def check(self) -> None:
        """Raises the error that ended the client, if it has ended, and Closed if it is closing."""
        if self.session.closing:
            self.check_end()
            raise Closed("the client is closed")

    def check_end(self) -> None:
        """Raises the error that ended the client, if it has ended."""
        if self.session.closed:
            error = self.session.error or Closed("the client is closed")
            raise error.with_traceback(None)  # without the traceback of an earlier call that raised it

    def no_session(self) -> str:
        """Returns the reason why a call is still waiting, for its Timeout."""
        if self.session.open:
            return "the broker has not answered yet"
        return f"no session with {self.endpoint}: {self.session.last_error or 'no answer'}"

    def subscribe(self, pattern: str, latest: int) -> SubscribeResult:
        """Subscribes. Raises EncodeError."""
        return self.session.subscribe(time.monotonic(), pattern, latest)

    def has_buffer_space(self, frames: Sequence[bytes]) -> bool:
        """True if the buffer accepts all of `frames`; an empty buffer accepts any."""
        outgoing, settings = self.session.outgoing, self.settings
        waiting = len(outgoing)
        return not waiting or (
            waiting + len(frames) <= settings.buffer_messages
            and outgoing.byte_count + sum(map(len, frames)) <= settings.buffer_octets
        )

    def barrier(self) -> int:
        """Requests confirmation of everything published so far; returns the number of the last message."""
        upto = self.session.outgoing.accepted
        self.session.confirm(upto)
        return upto

    def unsettled(self) -> PublishLost | None:
        """Returns the error for unconfirmed publishes and for losses that no call has reported; None without any."""
        session, outgoing = self.session, self.session.outgoing
        lost, left = outgoing.losses.unreported(), len(outgoing)
        if not left:
            return lost
        why = f"the client was closed before they were confirmed ({session.last_error or 'no answer'})"
        numbers = (outgoing.settled + 1, outgoing.accepted)
        return PublishLost(
            left + (lost.count if lost else 0), why, (*(lost.numbers if lost else ()), numbers)
        )

    def take_one(self) -> tuple[Message, int]:
        """Returns the next message and its bytes, for `acknowledge`; the inbox must not be empty."""
        return self.inbox.popleft(), self.sizes.popleft()

    def take(self, count_max: int) -> tuple[list[Message], int]:
        """Returns up to `count_max` messages and their total bytes. Call `acknowledge` when they are consumed."""
        inbox, sizes = self.inbox, self.sizes
        if len(inbox) <= count_max:
            messages, byte_count = list(inbox), sum(sizes)
            inbox.clear()
            sizes.clear()
        else:
            messages = [inbox.popleft() for _ in range(count_max)]
            byte_count = sum([sizes.popleft() for _ in range(count_max)])
        return messages, byte_count

    def acknowledge(self, byte_count: int) -> bool:
        """Records that messages of this many bytes are consumed. Returns True if credit is due now or after `quiet`."""
        self._consumed += byte_count
        if self.inbox and self._consumed < self._worth_telling:
            return False
        session = self.session
        session.acknowledge(time.monotonic(), self._consumed)
        self._consumed = 0
        return session.window.due(session.credit) > 0 or session.window.due_when_quiet(session.credit) > 0

    def statistics(self) -> Statistics:
        session = self.session
        return Statistics(
            attached=session.open,
            sessions=session.sessions,
            received=session.received,
            waiting=len(self.inbox),
            repeats=session.resumption.repeats,
            published=session.outgoing.accepted,
            confirmed=session.outgoing.settled,
            window=session.credit,
            last_error=session.last_error,
        )
