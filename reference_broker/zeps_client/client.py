"""The synchronous client. It may be shared by any number of threads."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
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
"""Subscribe to all retained messages and new ones."""
NEW: Final = zeps.LATEST_NEW
"""Subscribe to new messages only."""

SLICE: Final = 1024
"""Maximum number of messages that `publish_many` passes to the engine at a time."""
_LOG: Final = logging.getLogger("zeps.client")
_IN_CALLBACK: Final = (
    "a call in on_event cannot wait for its own client: only the client's thread can complete the call"
)
_INTERRUPTS: Final = "a signal handler that interrupts a call of the same client can only publish and close"


class _ThreadPosition(threading.local):
    """A thread's next flush reports losses after the number `since`; None if it has neither published nor flushed."""

    since: int | None = None


class Client:
    """A client of one stream. It attaches in the background, and again after every loss of the session: it then resumes
    each subscription where it was, and publishes unconfirmed messages again (the settings `reattach` and `republish`
    switch this off). Calls that need the broker wait for the next session. `settings` are the fields of
    :class:`~zeps_client.settings.Settings`; `context` None: pyzmq's global one.

    `on_event` is called with each event in the client's own thread, and must not wait. Like a signal handler, it may
    publish and close; calls that would have to wait raise RuntimeError there. An Exception from it is logged; any other
    BaseException ends the client. A forked process needs a client of its own. A ``with`` block closes the client at its
    end; after an exception within 1 second, and PublishLost is then only logged.

    Raises zmq.ZMQError for an invalid endpoint, zmq.ZMQError or OSError if the process has too few file descriptors,
    EncodeError or ValueError for an invalid stream name, and TypeError or ValueError for invalid settings. Once the
    client has ended, calls that can no longer succeed raise AttachRefused, BrokerLost or Closed; messages that have
    arrived can still be received. Every `timeout` is in seconds; None waits without limit. A call can be repeated after
    Timeout.
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

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.close(5.0 if kind is None else 1.0)
        except PublishLost as lost:
            if kind is None:
                raise
            _LOG.warning("%s: %s", self.stream, lost)

    def __del__(self) -> None:
        thread = getattr(self, "_thread", None)
        if thread is not None and not self._session.closing:
            thread.abandon()
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Client of {self.stream!r} at {self.endpoint}>"

    # --- the session

    def wait(self, timeout: float | None = None) -> None:
        """Waits until a session exists, for at most `timeout` seconds (None: without limit). Raises Timeout."""
        self._check_waits()
        with self._thread.condition:
            self._until(lambda: self._session.open, timeout, self._engine.no_session)

    def close(self, timeout: float = 5.0) -> None:
        """Waits until all published messages are confirmed, for at most `timeout` seconds, and detaches. A second call
        does nothing. Raises PublishLost if messages are not confirmed by then (they may or may not be stored), or were
        given up and no flush has reported it. In `on_event`, and in a signal handler that interrupts another call of
        this client, it starts to close and does not wait.
        """
        if (lost := self._thread.close(timeout)) is not None:
            raise lost

    def statistics(self) -> Statistics:
        """Returns the current counters and state."""
        with self._thread.lock:
            return self._engine.statistics()

    # --- subscribing

    def subscribe(self, pattern: str = "", latest: int = ALL, *, timeout: float | None = None) -> None:
        """Subscribes to messages whose keys match `pattern` and whose sequences follow `latest` (or ALL, or NEW).
        Several subscriptions form a union (ZEPS-SUBSCRIBE-6).

        Returns after the broker has confirmed. With NEW, every message published after that is delivered, except if the
        session is lost before the first message arrives: messages published in the meantime may then be missed, and the
        event `Attached` lists such patterns in `gaps`. If retention has removed messages after `latest`, the event
        `Missing` reports them, and the subscription begins after them. If `latest` is beyond the stream's end, the
        event `StreamReset` reports it, and the subscription begins at the end.

        Raises Timeout after `timeout` seconds (the request stays active), SubscribeRefused, and EncodeError if the
        pattern cannot be encoded as UTF-8 or is too long.
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
        """Returns the sequence of the stream's last message, retained or not; 0 if the stream is empty. Messages that
        were confirmed before the call are at or before it. Existing subscriptions do not change. Raises Timeout,
        SubscribeRefused if the broker refuses for another reason than ZEPS-SUBSCRIBE-5, ClientError if it accepts.
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
        """Returns the next message; waits for at most `timeout` seconds (None: without limit). Raises Timeout."""
        engine, thread = self._engine, self._thread
        if thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
        with thread.lock:
            if not engine.inbox:
                self._await_message(timeout)
            message, byte_count = engine.take_one()
            if engine.acknowledge(byte_count):
                thread.wake()
            return message

    def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Message]:
        """Returns the next messages: at least one, at most `count_max`. Waits, and raises errors, as `receive`."""
        engine, thread = self._engine, self._thread
        if thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
        with thread.lock:
            if not engine.inbox:
                self._await_message(timeout)
            messages, byte_count = engine.take(max(1, count_max))
            if engine.acknowledge(byte_count):
                thread.wake()
            return messages

    def __iter__(self) -> Iterator[Message]:
        """Yields messages until the client is closed. Raises the error of a client that ended otherwise."""
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
        self._until(lambda: bool(self._engine.inbox), timeout, lambda: "no message arrived in time")

    # --- publishing

    def publish(self, key: str, body: bytes, timeout: float | None = None) -> int:
        """Publishes a message; returns its number among this client's messages, from 1. With `republish` it is sent
        again after a loss, until the broker has confirmed that it is stored (ZEPS-PUBLISH-6). Waits only while the
        buffer is full, for at most `timeout` seconds. Raises Timeout (the message is then not published), and
        EncodeError if the key cannot be encoded as UTF-8, or the key or the body is too long.
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
        """Publishes (key, body) pairs in order; returns the number of the client's last message. Raises the errors of
        `publish`. The messages are accepted in batches of 1024, each of which may wait for `timeout` seconds; after an
        error the batches before the failing one are published, and the others are not.
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
        """Waits until all messages published so far, by any thread, are stored (ZEPS-PING-12), or given up. Raises
        Timeout after `timeout` seconds. Raises PublishLost if some of these messages were given up since this thread's
        last flush (or its first publish if it has not flushed), or were given up and not reported by any call.
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
        """Waits with the lock until `holds()`. Raises Timeout with the text of `why`, and the errors of `check`."""
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
        """Raises RuntimeError in `on_event`, and in a signal handler that interrupts a call of this client."""
        if self._thread.is_current:
            raise RuntimeError(_IN_CALLBACK)
        if self._thread.interrupts():
            raise RuntimeError(_INTERRUPTS)
