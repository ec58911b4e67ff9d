"""One session over one connection, for a commit that has to know what it did.

`zeps_client` attaches again after a loss and sends again what is in doubt: every message at least once. A commit
wants it the other way round: at the first sign of trouble the connection is given up, nothing is sent again, and
what has arrived is found out by reading it back. So this session has no second life. It publishes with few octets
under way, subscribes to everything the stream gets, its own messages included (ZEPS-PUBLISH-2), and asks for
confirmation by PING (ZEPS-PING-3).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType

import zmq

from zeps_client import Message
from zeps_client.connection import Connection, Garbled
from zeps_client.settings import LARGEST_FRAME
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import PipelineError
from zeps_wire import zeps
from zeps_wire.errors import DecodeError

__all__ = ["CREDIT_OCTETS", "RefusedError", "Session", "SessionLostError"]

CREDIT_OCTETS = 2 * LARGEST_FRAME
"""Messages that may be on their way here, in octets."""
_ANSWER_SECONDS = 10.0
"""A broker that answers nothing for so long is lost."""


class SessionLostError(PipelineError):
    """The session is over, for a reason that another may not meet; what was sent may have arrived or not."""


class RefusedError(PipelineError):
    """The broker does not want what this session says: trying again is of no use."""


class Session:
    """A session with `stream` at `broker`; a context manager.

    Its methods raise SessionLostError, and RefusedError if the broker answers INVALID.
    """

    def __init__(self, broker: Broker, stream: str) -> None:
        self.broker = broker
        self.stream = stream
        self.messages: deque[Message] = deque()
        """What the subscription brought and nobody has taken, in ascending sequence."""
        self.pings = 0
        """PINGs sent."""
        self.answered = 0
        """PINGs answered: whatever was published before the so-manieth is in the stream."""
        self._outbox: deque[bytes] = deque()
        self._owed = 0
        self._heard = time.monotonic()
        self._subscribed = False
        try:
            self._connection = Connection(zmq.Context.instance(), broker.endpoint, broker.curve())
        except zmq.ZMQError as error:
            raise PipelineError(f"{broker}: not an endpoint to connect to: {error}") from error
        self._attached = False

    def __enter__(self) -> Session:
        try:
            self._outbox.append(zeps.Attach(stream=self.stream).encode())
            self.wait(lambda: self._attached)
        except BaseException:
            self._connection.close([])
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close([zeps.Detach().encode()] if kind is None else [])

    def subscribe(self, after: int) -> None:
        """Have everything that follows sequence `after`, and what comes; returns when that is granted."""
        self._outbox.append(zeps.Subscribe(pattern="", latest=after).encode())
        self._outbox.append(zeps.Credit(credit=CREDIT_OCTETS).encode())
        self.wait(lambda: self._subscribed)

    def publish(self, frames: Sequence[bytes]) -> None:
        """Put encoded PUBLISH frames on their way, and a PING after them."""
        self._outbox.extend(frames)
        self.ping()

    def ping(self) -> None:
        """Ask for an answer after everything so far."""
        self._outbox.append(zeps.Ping().encode())
        self.pings += 1

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> bool:
        """Send and receive until `holds`, or for `seconds`; whether it does."""
        end = None if seconds is None else time.monotonic() + seconds
        while not holds():
            now = time.monotonic()
            if end is not None and now >= end:
                return False
            self._turn(0.05 if end is None else min(0.05, end - now))
        return True

    def take(self) -> Message:
        """The next message, of which there must be one; its octets are credit again."""
        message = self.messages.popleft()
        self._owed += len(message.key.encode()) + len(message.body) + zeps.DELIVER_HEAD_SIZE + 5
        if self._owed >= CREDIT_OCTETS // 4:
            self._outbox.append(zeps.Credit(credit=self._owed).encode())
            self._owed = 0
        return message

    def _turn(self, seconds: float) -> None:
        if self._outbox:
            self._connection.send(self._outbox)
        poller = zmq.Poller()
        self._connection.register(poller, writing=bool(self._outbox))
        poller.poll(int(seconds * 1000) + 1)
        try:
            frames = self._connection.receive()
        except Garbled as error:
            raise SessionLostError(f"{self.broker}: {error}") from error
        if frames:
            self._heard = time.monotonic()
            for frame in frames:
                self._handle(frame)
        elif (reason := self._connection.broken()) is not None:
            raise SessionLostError(f"{self.broker}: {reason}")
        elif self._waiting() and time.monotonic() - self._heard > _ANSWER_SECONDS:
            raise SessionLostError(f"{self.broker}: no answer for {_ANSWER_SECONDS:g} s")

    def _waiting(self) -> bool:
        """An answer is due."""
        if self._attached and self.pings == self.answered and not self._outbox:
            self._heard = time.monotonic()
            return False
        return True

    def _handle(self, frame: bytes) -> None:
        try:
            message = zeps.decode(frame)
        except DecodeError as error:
            raise SessionLostError(
                f"{self.broker}: the broker sent what does not decode ({error})"
            ) from error
        match message:
            case zeps.Deliver():
                self.messages.append(message)
            case zeps.PingOk():
                self.answered += 1
            case zeps.Ping():
                self._outbox.append(zeps.PingOk().encode())
            case zeps.AttachOk():
                self._attached = True
            case zeps.SubscribeOk():
                self._subscribed = True
            case zeps.Invalid():
                raise RefusedError(f"{self.broker}: the broker refuses: {message.reason}")
            case _:
                raise SessionLostError(f"{self.broker}: the broker said {message.NAME}")
