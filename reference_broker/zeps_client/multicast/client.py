"""Receiving client: a thread reads multicast and history, and the application reads one ordered sequence."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Unpack

import zmq

from zeps_client.connection import Context
from zeps_client.errors import BrokerLost, ClientError, Closed, Timeout
from zeps_client.events import Event, StreamReset
from zeps_client.multicast.history import History
from zeps_client.multicast.packets import join
from zeps_client.multicast.reconcile import Bounds, Reconciler
from zeps_client.settings import Options, Settings
from zeps_client.thread import Waker
from zeps_multicast import MulticastOptions, is_multicast, open_receiver
from zeps_wire.zeps import LATEST_NEW, Deliver

__all__ = ["MulticastClient", "MulticastStatistics"]

_LOG: Final = logging.getLogger("zeps.client")
_BATCH: Final = 1024


@dataclass(frozen=True, slots=True)
class MulticastStatistics:
    """Counters and state of a client."""

    place: int | None
    """The sequence up to which all messages were delivered, do not match `prefix` or are lost; None if unknown yet."""
    history: bool
    """True while a history session is open or needed."""
    sessions: int
    """Number of history sessions."""
    heard: int
    """Messages received by multicast."""
    garbled: int
    """Multicast messages that could not be decoded."""
    from_history: int
    repeats: int
    """Duplicates: received messages that had been delivered or kept before."""
    dropped: int
    """Multicast messages that were dropped because the buffer was full."""
    waiting: int
    """Messages that the application has not taken yet."""


class MulticastClient:
    """Subscribes to `stream`: real-time messages by `multicast`, history from the broker at `endpoint`. Each message is
    delivered once and in order, starting after `latest` (a sequence, ALL or NEW), if its key begins with `prefix`; both
    flows carry the whole stream. `on_event` is called in the client's own thread with the events of the sessions, with
    Missing if neither flow can deliver a message any more, and with StreamReset if the stream was replaced by another.
    `settings` are those of :class:`~zeps_client.client.Client`, for the sessions with the broker.

    Raises MulticastError, ValueError or zmq.ZMQError if a socket cannot be opened, EncodeError or ValueError if the
    stream name is invalid, TypeError or ValueError for invalid settings. Calls that wait raise the error that ended the
    client; messages that have arrived can still be received. Every `timeout` is in seconds, and None waits without
    limit. After a Timeout nothing has changed.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        multicast: str,
        *,
        latest: int = LATEST_NEW,
        prefix: str = "",
        bounds: Bounds | None = None,
        options: MulticastOptions | None = None,
        on_event: Callable[[Event], None] | None = None,
        context: Context | None = None,
        **settings: Unpack[Options],
    ) -> None:
        if not is_multicast(multicast):
            raise ValueError(f"{multicast} is not a multicast endpoint (norm://, epgm:// or pgm://)")
        self.stream = stream
        self._on_event = on_event
        self._reconciler = Reconciler(latest, time.monotonic(), prefix=prefix, bounds=bounds)
        self._history = History(endpoint, stream, Settings(**settings), context)
        try:
            self._live = open_receiver(multicast, context or zmq.Context.instance(), options)
        except BaseException:
            self._history.close()
            raise
        self._heard = self._garbled = 0
        self._begun = self._closing = self._asleep = False
        self._error: ClientError | None = None
        self._condition = threading.Condition()
        self._waker: Waker | None = Waker()
        self._thread = threading.Thread(target=self._run, name=f"zeps-multicast {stream}", daemon=True)
        self._thread.start()

    def __enter__(self) -> MulticastClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The application

    def wait(self, timeout: float | None = None) -> None:
        """Waits until the broker has confirmed the subscription: later messages are then delivered. Raises Timeout."""
        with self._condition:
            self._until(lambda: self._begun, timeout, lambda: self._history.last_error)

    @property
    def last_error(self) -> str:
        """The text of a Timeout: why the session for history has not answered, even if nothing failed; else empty."""
        with self._condition:
            return self._history.last_error

    @property
    def trouble(self) -> str:
        """Deprecated name of `last_error`."""
        warnings.warn(
            "MulticastClient.trouble is deprecated; use last_error", DeprecationWarning, stacklevel=2
        )
        return self.last_error

    def receive(self, timeout: float | None = None) -> Deliver:
        """Returns the next message; waits for at most `timeout` seconds (None: without limit). Raises Timeout."""
        return self.receive_many(1, timeout)[0]

    def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Deliver]:
        """Returns the next messages: at least one, at most `count_max`. Waits, and raises errors, as `receive`."""
        reconciler = self._reconciler
        with self._condition:
            if not reconciler.ready:
                self._until(lambda: bool(reconciler.ready), timeout, lambda: "no message arrived in time")
            full = not reconciler.has_room
            messages = reconciler.take(max(1, count_max))
            if full or self._history.waiting:
                self._wake()
            return messages

    def __iter__(self) -> Iterator[Deliver]:
        """Yields messages until the client is closed. Raises the error of a client that ended otherwise."""
        while True:
            try:
                messages = self.receive_many()
            except Closed:
                return
            yield from messages

    def statistics(self) -> MulticastStatistics:
        """Returns the current counters and state."""
        with self._condition:
            reconciler, history = self._reconciler, self._history
            return MulticastStatistics(
                place=reconciler.place,
                history=history.engine is not None,
                sessions=history.sessions,
                heard=self._heard,
                garbled=self._garbled,
                from_history=reconciler.from_history,
                repeats=reconciler.repeats,
                dropped=reconciler.dropped,
                waiting=len(reconciler.ready),
            )

    def close(self) -> None:
        """Closes the sockets and waits for its thread (not in `on_event`). A second call does nothing."""
        with self._condition:
            self._closing = True
            self._wake()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _until(self, holds: Callable[[], bool], timeout: float | None, why: Callable[[], str]) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        while not holds():
            if self._error is not None or self._closing:
                raise self._error or Closed("the client is closed")
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise Timeout(why())
            self._condition.wait(left)

    def _wake(self) -> None:
        if self._asleep and self._waker is not None:
            self._asleep = False
            self._waker.wake()

    # The thread

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except BaseException as error:  # including SystemExit, which a callback may raise
            _LOG.exception("the client's thread failed")
            self._error = BrokerLost(f"the client failed: {error!r}")
        finally:
            with self._condition:
                self._history.close()
                self._live.close()
                self._asleep = False
                self._waker = None
                self._condition.notify_all()

    def _turn(self) -> bool:
        """Performs the work that is due, waits, and reads the input. Returns False at the end."""
        waker = self._waker
        assert waker is not None
        with self._condition:
            self._look_after_history()
            self._condition.notify_all()
            if self._closing or self._error is not None:
                return False
            pause, self._asleep = self._pause(), True
        self._report()
        poller = zmq.Poller()
        poller.register(waker.descriptor, zmq.POLLIN)
        poller.register(self._live, zmq.POLLIN)
        self._history.register(poller)
        ready = dict(poller.poll(None if pause is None else int(pause * 1000) + (pause > 0)))
        with self._condition:
            self._asleep = False
            if ready.pop(waker.descriptor, None):
                waker.clear()
            if ready.pop(self._live, None):
                self._hear()
            if ready:
                self._history.receive()
        return True

    def _look_after_history(self) -> None:
        history, reconciler = self._history, self._reconciler
        history.turn()
        while history.gaps:
            gap = history.gaps.popleft()
            if isinstance(gap, StreamReset):
                reconciler.past(time.monotonic(), history.take_all())
                reconciler.reset(time.monotonic(), gap.end)
            else:
                reconciler.lost(time.monotonic(), gap)
        while reconciler.has_room and (messages := history.take(_BATCH)):
            reconciler.past(time.monotonic(), messages)
        self._error = history.error
        self._begun = self._begun or history.confirmed
        wants_history = reconciler.wants_history(time.monotonic())
        if wants_history and history.engine is None:
            history.ask(reconciler.ask())
            history.turn()
        elif not wants_history and self._begun:
            history.leave()

    def _pause(self) -> float | None:
        deadline = self._reconciler.deadline()
        pauses = [] if deadline is None else [max(0.0, deadline - time.monotonic())]
        if (pause := self._history.pause()) is not None:
            pauses.append(pause)
        return min(pauses, default=None)

    def _hear(self) -> None:
        """Reads up to 1024 multicast messages and passes them to the reconciler."""
        messages: list[Deliver] = []
        with contextlib.suppress(zmq.Again):
            for _ in range(_BATCH):
                message = join(self._live.recv_multipart(zmq.NOBLOCK))
                if message is None:
                    self._garbled += 1
                else:
                    messages.append(message)
        self._heard += len(messages)
        self._reconciler.live(time.monotonic(), messages)

    def _report(self) -> None:
        for events in (self._history.events, self._reconciler.events):
            while events:
                event = events.popleft()
                if self._on_event is not None:
                    try:
                        self._on_event(event)
                    except Exception:
                        _LOG.exception("on_event raised an exception, which is ignored")
