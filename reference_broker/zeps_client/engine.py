"""The thread that carries a session: its socket, its clock, and the hand-over to the application.

Everything that the application and the thread share stands behind one lock, and is handed over in batches:
the thread takes whole reads from the socket and gives whole lists of messages; the application gives whole
lists of frames. Neither waits for the other while it works: the thread holds the lock only for the session's
own work, never while it polls.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import zmq

from .connection import Connection, Garbled
from .errors import BrokerLost, ClientError, Closed
from .events import Event, Failed, Message, PublishesLost, Refused
from .session import ClientSession
from .settings import Settings

__all__ = ["Engine"]

_LOG = logging.getLogger("zeps.client")


class Engine:
    """Runs a :class:`ClientSession` against `endpoint`.

    `on_change` is called, without the lock, when anything changed.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        settings: Settings,
        *,
        on_change: Callable[[], None],
        on_event: Callable[[Event], None] | None = None,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
    ) -> None:
        self.lock = threading.Lock()
        self.session = ClientSession(stream, settings, time.monotonic(), random.Random())
        self.inbox: deque[Message] = deque()
        self.sizes: deque[int] = deque()
        self.refused: deque[Refused] = deque()
        self.publishes_lost: list[PublishesLost] = []
        self._endpoint = endpoint
        self._settings = settings
        self._on_change = on_change
        self._on_event = on_event
        self._context = context if context is not None else zmq.Context.instance()
        self._connection: Connection | None = None
        self._generation = self.session.generation
        self._consumed = 0
        self._sleeping = False
        # A bad endpoint is the caller's mistake, and is told to the caller.
        Connection(self._context, endpoint).close([])
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._run, name=f"zeps-client {stream}", daemon=True)
        self._thread.start()

    # --- for the application; the caller holds `lock` where it says so

    def wake(self) -> None:
        """Make the thread look at the session now. With the lock held."""
        if self._sleeping:
            self._sleeping = False
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(self._wake_write, b"!")

    def take(self, count_max: int) -> list[Message]:
        """Up to `count_max` messages for the application, which has consumed them by that.

        With the lock held.
        """
        inbox, sizes = self.inbox, self.sizes
        if len(inbox) <= count_max:
            taken, octets = list(inbox), sum(sizes)
            inbox.clear()
            sizes.clear()
        else:
            taken = [inbox.popleft() for _ in range(count_max)]
            octets = sum([sizes.popleft() for _ in range(count_max)])
        self._consumed += octets
        if not inbox or 8 * self._consumed >= self._settings.window:
            self.session.consumed(time.monotonic(), self._consumed)
            self._consumed = 0
            if not inbox or self.session.window.due(self.session.credit):
                self.wake()
        return taken

    def failure(self) -> ClientError | None:
        """Why nothing will come any more; None while something may. With the lock held."""
        if not self.session.closed:
            return None
        return self.session.error or Closed("the client is closed")

    def join(self, timeout: float | None) -> None:
        """Wait for the thread to end, which it does once the session is closed."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    # --- the thread

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except Exception as error:
            _LOG.exception("the client's thread failed")
            with self.lock:
                self.session.closed = True
                self.session.error = BrokerLost(f"the client failed: {error!r}")
        finally:
            if self._connection is not None:
                self._connection.close([])
            self._on_change()

    def _turn(self) -> bool:
        """Look at the session, send, wait, receive. False at the end."""
        with self.lock:
            now = time.monotonic()
            self._link(now)
            self.session.tick(now)
            self._link(now)
            if self._connection is not None:
                self._connection.send(self.session.outbox)
            events, changed = self._hand_over()
            closed = self.session.closed
            deadline = self.session.deadline()
            writing = bool(self.session.outbox)
            self._sleeping = True
        self._report(events, changed)
        if closed:
            return False
        arrived = self._wait(deadline, writing)
        with self.lock:
            self._sleeping = False
            if arrived and self._connection is not None and self._generation == self.session.generation:
                self._receive()
        return True

    def _link(self, now: float) -> None:
        """Give the session the connection that it asks for."""
        session = self.session
        if self._connection is not None and self._generation != session.generation:
            self._connection.close(session.farewell)
            session.farewell.clear()
            self._connection = None
        self._generation = session.generation
        if self._connection is None and session.connect_at is not None and now >= session.connect_at:
            self._connection = Connection(self._context, self._endpoint)
            session.connected(now)

    def _wait(self, deadline: float | None, writing: bool) -> bool:
        """Sleep until `deadline`, a wake-up or the socket; True if the socket has something."""
        poller = zmq.Poller()
        poller.register(self._wake_read, zmq.POLLIN)
        if self._connection is not None:
            self._connection.register(poller, writing)
        timeout = None if deadline is None else max(0, int((deadline - time.monotonic()) * 1000) + 1)
        ready = dict(poller.poll(timeout))
        if self._wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake_read, 4096)
        return bool(ready.keys() - {self._wake_read})

    def _receive(self) -> None:
        """Take what arrived; with the lock held."""
        assert self._connection is not None
        now = time.monotonic()
        try:
            frames = self._connection.receive()
        except Garbled as garbled:
            self.session.refuse(now, str(garbled))
            return
        if frames:
            self.session.receive(now, frames)
        elif (reason := self._connection.broken()) is not None:
            self.session.disconnected(now, reason)

    def _hand_over(self) -> tuple[list[Event], bool]:
        """Messages into the inbox; with the lock held. The events, and whether anybody should look."""
        messages, sizes = self.session.take_messages()
        self.inbox.extend(messages)
        self.sizes.extend(sizes)
        events: list[Event] = self.session.take_events()
        for event in events:
            if isinstance(event, Refused) and event.pattern is not None:
                self.refused.append(event)
            elif isinstance(event, PublishesLost):
                self.publishes_lost.append(event)
        return events, bool(messages or events)

    def _report(self, events: Sequence[Event], changed: bool) -> None:
        for event in events:
            level = logging.WARNING if isinstance(event, (Failed, Refused, PublishesLost)) else logging.DEBUG
            _LOG.log(level, "%s", event)
            if self._on_event is not None:
                try:
                    self._on_event(event)
                except Exception:
                    _LOG.exception("on_event failed")
        if changed:
            self._on_change()

    def release(self) -> None:
        """Give back what the operating system lent. After `join`."""
        if not self._thread.is_alive():
            for descriptor in (self._wake_read, self._wake_write):
                with contextlib.suppress(OSError):
                    os.close(descriptor)
