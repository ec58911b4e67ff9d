"""The synchronous client. Any number of threads may use one."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any, Final

import zmq

from zeps_wire import zeps

from .engine import Engine
from .errors import ClientError, Closed, PublishLost, SubscribeRefused, Timeout
from .events import Event, Message
from .settings import Settings

__all__ = ["ALL", "NEW", "Client", "Statistics"]

ALL: Final = zeps.LATEST_ALL
"""Everything that the stream retains."""
NEW: Final = zeps.LATEST_NEW
"""Only what is published from now on."""

_SLICE = 1024
"""How many frames `publish_many` hands over at a time."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Where a client stands."""

    attached: bool
    sessions: int
    received: int
    waiting: int
    published: int
    confirmed: int
    trouble: str


def make_settings(options: dict[str, Any]) -> Settings:
    """Settings from keyword arguments.

    Raises TypeError for one that there is not, ValueError for a bad value.
    """
    known = {field.name for field in fields(Settings)}
    if unknown := options.keys() - known:
        raise TypeError(
            f"no such setting: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}"
        )
    return Settings(**options)


class Client:
    """A client of one stream.

    It attaches in the background, and again after every loss; what is asked for before that waits. `settings`
    are those of :class:`~zeps_client.settings.Settings` (`window`, `heartbeat`, `give_up`, ...). `on_event`
    is called from the client's own thread and must not call the client.

    Raises zmq.ZMQError for a bad endpoint, EncodeError or ValueError for a bad stream name, and TypeError or
    ValueError for bad settings. Every method raises the error that ended the client, if one did:
    AttachRefused, BrokerLost, or Closed.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        *,
        on_event: Callable[[Event], None] | None = None,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        **settings: Any,
    ) -> None:
        self.endpoint = endpoint
        self.stream = stream
        self._settings = make_settings(settings)
        self._ready: threading.Condition | None = None
        self._engine = Engine(
            endpoint, stream, self._settings, on_change=self._changed, on_event=on_event, context=context
        )
        self._condition = threading.Condition(self._engine.lock)
        self._ready = self._condition

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            with contextlib.suppress(PublishLost):
                self.close(timeout=1.0)

    def _changed(self) -> None:
        if self._ready is not None:
            with self._ready:
                self._ready.notify_all()

    # --- the session

    def wait(self, timeout: float | None = None) -> None:
        """Wait until there is a session. Raises Timeout."""
        with self._condition:
            self._until(lambda: self._engine.session.open, timeout, self._no_session)

    def close(self, timeout: float = 5.0) -> None:
        """Wait until what was published is confirmed, and detach; at most `timeout` seconds. Again: does
        nothing.

        Raises PublishLost if something is not confirmed by then: it may be stored or not.
        """
        end = time.monotonic() + timeout
        with self._condition:
            session = self._engine.session
            if session.closed:
                left = 0
            else:
                session.confirm(session.outgoing.accepted)
                self._engine.wake()
                with contextlib.suppress(ClientError):
                    self._until(lambda: not len(session.outgoing), timeout, str)
                left = len(session.outgoing)
                session.close(time.monotonic(), max(0.05, end - time.monotonic()))
                self._engine.wake()
        self._engine.join(timeout + 1.0)
        self._engine.release()
        if left:
            raise PublishLost(
                left, f"the client was closed before they were confirmed ({session.trouble or 'no answer'})"
            )

    def statistics(self) -> Statistics:
        """Where the client stands now."""
        with self._condition:
            session = self._engine.session
            return Statistics(
                attached=session.open,
                sessions=session.sessions,
                received=session.received,
                waiting=len(self._engine.inbox),
                published=session.outgoing.accepted,
                confirmed=session.outgoing.settled,
                trouble="" if session.open else session.trouble,
            )

    # --- subscribing

    def subscribe(self, pattern: str = "", latest: int = ALL) -> None:
        """Ask for messages whose keys match `pattern` and whose sequences follow `latest` (or ALL, or NEW).

        Several subscriptions are a union (ZEPS-SUBSCRIBE-6). A pattern that the broker refuses is told by
        `receive`.
        """
        with self._condition:
            self._check()
            self._engine.session.subscribe(time.monotonic(), pattern, latest)
            self._engine.wake()

    def receive(self, timeout: float | None = None) -> Message:
        """The next message. Raises Timeout, SubscribeRefused."""
        return self._receive(1, timeout)[0]

    def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Message]:
        """The next messages, at least one and at most `count_max`. Raises Timeout, SubscribeRefused."""
        return self._receive(count_max, timeout)

    def __iter__(self) -> Iterator[Message]:
        """Messages as they come, until the client is closed."""
        while True:
            try:
                # One at a time, so that a loop that stops leaves nothing behind that counts as consumed.
                yield self._receive(1, None)[0]
            except Closed:
                return

    def _receive(self, count_max: int, timeout: float | None) -> list[Message]:
        engine = self._engine
        with self._condition:
            if not engine.inbox:
                self._until(
                    lambda: bool(engine.inbox or engine.refused), timeout, lambda: "no message came in time"
                )
            if not engine.inbox:
                refused = engine.refused.popleft()
                raise SubscribeRefused(refused.pattern or "", refused.reason)
            return engine.take(count_max)

    # --- publishing

    def publish(self, key: str, body: bytes, timeout: float | None = None) -> int:
        """Publish; returns the message's number among this client's, from 1.

        It is kept, and sent again after a loss, until the broker has confirmed that it is stored. Waits while
        the buffer is full. Raises Timeout (then it is not published), and EncodeError for a key that is no
        text.
        """
        return self._publish([zeps.Publish(key=key, body=body).encode()], timeout)

    def publish_many(self, messages: Iterable[tuple[str, bytes]], timeout: float | None = None) -> int:
        """Publish (key, body) pairs in order; returns the last one's number, or that of the last before.

        Raises as `publish` does, with what came before the failure published.
        """
        number, batch = 0, []
        for key, body in messages:
            batch.append(zeps.Publish(key=key, body=body).encode())
            if len(batch) == _SLICE:
                number = self._publish(batch, timeout)
                batch = []
        if batch or not number:
            number = self._publish(batch, timeout)
        return number

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything published so far is stored (ZEPS-PING-3).

        Raises Timeout, and PublishLost if something was given up since the last flush.
        """
        with self._condition:
            session = self._engine.session
            upto = session.outgoing.accepted
            session.confirm(upto)
            self._engine.wake()
            self._until(
                lambda: session.outgoing.settled >= upto,
                timeout,
                lambda: f"{upto - session.outgoing.settled} messages are not confirmed: {self._no_session()}",
            )
            if lost := self._engine.publishes_lost:
                count, reason = sum(event.count for event in lost), lost[-1].reason
                lost.clear()
                raise PublishLost(count, reason)

    def _publish(self, frames: list[bytes], timeout: float | None) -> int:
        with self._condition:
            self._check()
            outgoing, limits = self._engine.session.outgoing, self._settings
            octets = sum(map(len, frames))

            def room() -> bool:
                return not len(outgoing) or (
                    len(outgoing) + len(frames) <= limits.buffer_messages
                    and outgoing.octets + octets <= limits.buffer_octets
                )

            if not room():
                self._engine.wake()
                self._until(room, timeout, lambda: f"the buffer is full: {self._no_session()}")
            number = self._engine.session.publish(frames)
            self._engine.wake()
            return number

    # --- waiting

    def _check(self) -> None:
        if (failure := self._engine.failure()) is not None:
            raise failure

    def _no_session(self) -> str:
        session = self._engine.session
        if session.open:
            return "the broker has not answered yet"
        return f"no session with {self.endpoint}: {session.trouble or 'no answer'}"

    def _until(self, holds: Callable[[], bool], timeout: float | None, why: Callable[[], str]) -> None:
        """Wait, with the lock held, until `holds`. Raises Timeout, and what ended the client."""
        end = None if timeout is None else time.monotonic() + timeout
        while not holds():
            self._check()
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise Timeout(why())
            self._condition.wait(left)
