"""The synchronous client. Any number of threads may use one."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Final, Unpack

from zeps_client.connection import Context
from zeps_client.engine import Engine, Statistics
from zeps_client.errors import Closed, PublishLost, Timeout
from zeps_client.events import Event, Message
from zeps_client.results import end_of
from zeps_client.settings import Options, Settings
from zeps_client.thread import EngineThread
from zeps_wire import zeps

__all__ = ["ALL", "NEW", "Client"]

ALL: Final = zeps.LATEST_ALL
"""Everything that the stream retains."""
NEW: Final = zeps.LATEST_NEW
"""Only what is published from now on."""

SLICE: Final = 1024
"""How many messages `publish_many` hands over at a time."""
_LOG: Final = logging.getLogger("zeps.client")
_IN_CALLBACK: Final = (
    "on_event cannot wait for its own client: only its thread could bring what is waited for"
)
_INTERRUPTS: Final = "a signal handler that interrupts a call of the same client can only publish and close"


class _ThreadPosition(threading.local):
    """For each thread the number of the last message that its flushes cover, or that came before its first one;
    None: it has neither published nor flushed.
    """

    since: int | None = None


class Client:
    """A client of one stream.

    It attaches in the background, and again after every loss: then it asks again for what was subscribed to,
    from where it was, and publishes again what is not confirmed. What is asked of it meanwhile waits.
    `settings` are those of :class:`~zeps_client.settings.Settings` (`window`, `heartbeat`, `give_up`, …).
    `on_event` is told what happens besides messages, from the client's own thread; it must not wait. It may publish
    and close, as signal handlers may. What it raises is logged, unless it is no Exception: that ends the client.
    A forked process needs a client of its own.

    Raises zmq.ZMQError for a bad endpoint, zmq.ZMQError or OSError if no more files can be opened, EncodeError or
    ValueError for a bad stream name, and TypeError or ValueError for bad settings. Every method raises what ended
    the client, if something did: AttachRefused, BrokerLost or Closed. Every `timeout` is in seconds, None waits for
    ever, and a Timeout leaves everything as it was.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        *,
        on_event: Callable[[Event], None] | None = None,
        context: Context | None = None,
        **settings: Unpack[Options],
    ) -> None:
        self.endpoint = endpoint
        self.stream = stream
        self._engine = Engine(endpoint, stream, Settings(**settings), on_event=on_event, context=context)
        self._session = self._engine.session
        self._outgoing = self._session.outgoing
        try:
            self._thread = EngineThread(self._engine)
        except BaseException:
            self._engine.close()
            raise
        self._position = _ThreadPosition()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon(1.0)

    def __del__(self) -> None:
        thread = getattr(self, "_thread", None)
        if thread is not None and not self._session.closing:
            thread.abandon()
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Client of {self.stream!r} at {self.endpoint}>"

    # --- the session

    def wait(self, timeout: float | None = None) -> None:
        """Wait until there is a session. Raises Timeout."""
        self._check_waits()
        with self._thread.condition:
            self._until(lambda: self._session.open, timeout, self._engine.no_session)

    def close(self, timeout: float = 5.0) -> None:
        """Wait until what was published is confirmed, and detach; at most `timeout` seconds. Again: does
        nothing.

        Raises PublishLost if something is not confirmed by then: it may be stored or not. In `on_event`, and in a
        signal handler that interrupts another call of this client, it begins to close and does not wait.
        """
        if (lost := self._thread.close(timeout)) is not None:
            raise lost

    def _abandon(self, timeout: float) -> None:
        """Close where nobody can be told what was lost, but the log."""
        try:
            self.close(timeout)
        except PublishLost as lost:
            _LOG.warning("%s: %s", self.stream, lost)

    def statistics(self) -> Statistics:
        """Where the client stands now."""
        with self._thread.lock:
            return self._engine.statistics()

    # --- subscribing

    def subscribe(self, pattern: str = "", latest: int = ALL, *, timeout: float | None = None) -> None:
        """Ask for messages whose keys match `pattern` and whose sequences follow `latest` (or ALL, or NEW).

        Returns once the broker has confirmed: with NEW, everything that is published after that comes. (But
        the protocol does not say where the stream ended then. If the broker is lost before the first message
        came, what was published meanwhile may be missed; the event `Attached` names such patterns in `gaps`.)

        What is no longer retained after `latest` is an event, `Missing`; a `latest` beyond the stream's end is one,
        too, `StreamReset`. Either way the subscription is made, after what is lost or at the end.

        Several subscriptions are a union (ZEPS-SUBSCRIBE-6). Raises Timeout, after which the broker is still
        asked, SubscribeRefused, and EncodeError for a pattern that is no text.
        """
        self._check_waits()
        with self._thread.condition:
            self._engine.check()
            result = self._engine.subscribe(pattern, latest)
            self._thread.wake()
            self._until(
                lambda: result.done,
                timeout,
                lambda: f"the subscription is not confirmed: {self._engine.no_session()}",
            )
        if result.error is not None:
            raise result.error

    def last_sequence(self, timeout: float | None = None) -> int:
        """The sequence of the stream's last message, retained or not; 0 if it never had one. Raises Timeout.

        What was published and confirmed before the call is at or before it. (The protocol says it by refusing a
        subscription beyond the end, ZEPS-SUBSCRIBE-5; subscriptions stay as they are.)
        """
        self._check_waits()
        engine = self._engine
        with self._thread.condition:
            engine.check()
            result = engine.session.ask_end(time.monotonic())
            self._thread.wake()
            self._until(
                lambda: result.done, timeout, lambda: f"the stream's end is not known: {engine.no_session()}"
            )
        return end_of(result)

    def receive(self, timeout: float | None = None) -> Message:
        """The next message. Raises Timeout."""
        engine, thread = self._engine, self._thread
        if thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
        with thread.lock:
            if not engine.inbox:
                self._await_message(timeout)
            message, octets = engine.take_one()
            if engine.acknowledge(octets):
                thread.wake()
            return message

    def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Message]:
        """The next messages: at least one, at most `count_max`. Raises as `receive` does."""
        engine, thread = self._engine, self._thread
        if thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
        with thread.lock:
            if not engine.inbox:
                self._await_message(timeout)
            messages, octets = engine.take(max(1, count_max))
            if engine.acknowledge(octets):
                thread.wake()
            return messages

    def __iter__(self) -> Iterator[Message]:
        """Messages as they come, until the client is closed."""
        engine, thread, inbox, sizes = self._engine, self._thread, self._engine.inbox, self._engine.sizes
        while True:
            if thread.interrupts():
                raise RuntimeError(_INTERRUPTS)
            with thread.lock:
                if not inbox:
                    try:
                        self._await_message(None)
                    except Closed:
                        return
                message = inbox.popleft()
                if engine.acknowledge(sizes.popleft()):
                    thread.wake()
            yield message

    def _await_message(self, timeout: float | None) -> None:
        self._until(lambda: bool(self._engine.inbox), timeout, lambda: "no message came in time")

    # --- publishing

    def publish(self, key: str, body: bytes, timeout: float | None = None) -> int:
        """Publish; returns the message's number among this client's, from 1.

        It is kept, and sent again after a loss, until the broker has confirmed that it is stored
        (ZEPS-PUBLISH-6). Waits while the buffer is full. Raises Timeout (then it is not published), and
        EncodeError for a key that is no text or a body that is too long.
        """
        frame = zeps.Publish(key, body).encode()
        thread = self._thread
        with thread.lock:
            number = 0 if self._session.closing else self._outgoing.try_add(frame)
            if number:
                if self._position.since is None:
                    self._position.since = number - 1
                if thread.asleep:
                    thread.wake()
                return number
        return self._publish([frame], timeout)

    def publish_many(self, messages: Iterable[tuple[str, bytes]], timeout: float | None = None) -> int:
        """Publish (key, body) pairs in order; returns the number of the last one.

        Raises as `publish` does; what came before is published, up to some thousand messages before the one
        at fault.
        """
        number, batch = 0, []
        encode = zeps.Publish
        for key, body in messages:
            batch.append(encode(key, body).encode())
            if len(batch) == SLICE:
                number = self._publish(batch, timeout)
                batch = []
        return self._publish(batch, timeout) if batch or not number else number

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything published so far, by any thread, is stored (ZEPS-PING-3).

        Raises Timeout, and PublishLost if something of it was given up: since this thread's last flush (its first
        publish if it has not flushed yet), or without any call having reported it.
        """
        self._check_waits()
        engine, outgoing = self._engine, self._outgoing
        with self._thread.condition:
            upto = engine.barrier()
            self._thread.wake()
            self._until(
                lambda: outgoing.settled >= upto,
                timeout,
                lambda: f"{upto - outgoing.settled} messages are not confirmed: {engine.no_session()}",
                engine.check_end,
            )
            lost = outgoing.losses.report(self._position.since, upto)
            self._position.since = upto
        if lost is not None:
            raise lost

    def _publish(self, frames: list[bytes], timeout: float | None) -> int:
        engine, interrupts = self._engine, self._thread.interrupts()
        with self._thread.lock:
            engine.check()
            if not engine.has_buffer_space(frames):
                if interrupts:
                    raise RuntimeError(_INTERRUPTS)
                self._thread.wake()
                self._until(
                    lambda: engine.has_buffer_space(frames),
                    timeout,
                    lambda: f"the buffer is full: {engine.no_session()}",
                )
            number = self._session.publish(frames)
            if self._position.since is None:
                self._position.since = number - len(frames)
            self._thread.wake()
            return number

    # --- waiting

    def _until(
        self,
        holds: Callable[[], bool],
        timeout: float | None,
        why: Callable[[], str],
        check: Callable[[], None] | None = None,
    ) -> None:
        """Wait, with the lock held, until `holds`. Raises Timeout, and what `check` raises (Engine.check)."""
        end = None if timeout is None else time.monotonic() + timeout
        check = check or self._engine.check
        while not holds():
            check()
            if self._thread.is_current:
                raise RuntimeError(_IN_CALLBACK)
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise Timeout(why())
            self._thread.condition.wait(left)

    def _check_waits(self) -> None:
        """Raises RuntimeError where a call that waits would wait for itself."""
        if self._thread.is_current:
            raise RuntimeError(_IN_CALLBACK)
        if self._thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
