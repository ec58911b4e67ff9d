"""The asyncio client: the same vocabulary, awaited.

The session's thread is the same as the synchronous client's; it wakes the event loop when anything changed.
Nothing here blocks the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any

from zeps_wire import zeps

from .client import ALL, make_settings
from .engine import Engine
from .errors import ClientError, Closed, PublishLost, SubscribeRefused, Timeout
from .events import Event, Message

__all__ = ["AsyncClient"]

_SLICE = 1024


class AsyncClient:
    """A client of one stream, for one event loop. Arguments, settings and errors are those of
    :class:`Client`.

    Create it while the loop runs: inside a coroutine, best with ``async with``.
    """

    def __init__(
        self, endpoint: str, stream: str, *, on_event: Callable[[Event], None] | None = None, **settings: Any
    ) -> None:
        self.endpoint = endpoint
        self.stream = stream
        self._settings = make_settings(settings)
        self._loop = asyncio.get_running_loop()
        self._waiters: set[asyncio.Future[None]] = set()
        self._engine = Engine(endpoint, stream, self._settings, on_change=self._changed, on_event=on_event)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.close()
        else:
            with contextlib.suppress(PublishLost):
                await self.close(timeout=1.0)

    def _changed(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, timeout: float | None = None) -> None:
        """Wait until there is a session. Raises Timeout."""
        await self._until(lambda: self._engine.session.open, timeout, self._no_session)

    async def close(self, timeout: float = 5.0) -> None:
        """As :meth:`Client.close`."""
        engine, session, end = self._engine, self._engine.session, time.monotonic() + timeout
        with engine.lock:
            closed = session.closed
            session.confirm(session.outgoing.accepted)
            engine.wake()
        if not closed:
            with contextlib.suppress(ClientError):
                await self._until(lambda: not len(session.outgoing), timeout, str)
        with engine.lock:
            left = 0 if closed else len(session.outgoing)
            session.close(time.monotonic(), max(0.05, end - time.monotonic()))
            engine.wake()
        await self._loop.run_in_executor(None, engine.join, timeout + 1.0)
        engine.release()
        if left:
            raise PublishLost(
                left, f"the client was closed before they were confirmed ({session.trouble or 'no answer'})"
            )

    async def subscribe(self, pattern: str = "", latest: int = ALL) -> None:
        """As :meth:`Client.subscribe`."""
        with self._engine.lock:
            self._check()
            self._engine.session.subscribe(time.monotonic(), pattern, latest)
            self._engine.wake()

    async def receive(self, timeout: float | None = None) -> Message:
        """The next message. Raises Timeout, SubscribeRefused."""
        return (await self.receive_many(1, timeout))[0]

    async def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Message]:
        """The next messages, at least one and at most `count_max`. Raises Timeout, SubscribeRefused."""
        engine, end = self._engine, None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            await self._until(
                lambda: bool(engine.inbox or engine.refused), left, lambda: "no message came in time"
            )
            with engine.lock:
                if engine.inbox:
                    return engine.take(count_max)
                if engine.refused:
                    refused = engine.refused.popleft()
                    raise SubscribeRefused(refused.pattern or "", refused.reason)

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Messages as they come, until the client is closed."""
        while True:
            try:
                yield await self.receive()
            except Closed:
                return

    async def publish(self, key: str, body: bytes, timeout: float | None = None) -> int:
        """As :meth:`Client.publish`."""
        return await self._publish([zeps.Publish(key=key, body=body).encode()], timeout)

    async def publish_many(self, messages: Iterable[tuple[str, bytes]], timeout: float | None = None) -> int:
        """As :meth:`Client.publish_many`."""
        number, batch = 0, []
        for key, body in messages:
            batch.append(zeps.Publish(key=key, body=body).encode())
            if len(batch) == _SLICE:
                number = await self._publish(batch, timeout)
                batch = []
        if batch or not number:
            number = await self._publish(batch, timeout)
        return number

    async def flush(self, timeout: float | None = None) -> None:
        """As :meth:`Client.flush`."""
        engine, session = self._engine, self._engine.session
        with engine.lock:
            upto = session.outgoing.accepted
            session.confirm(upto)
            engine.wake()
        await self._until(
            lambda: session.outgoing.settled >= upto,
            timeout,
            lambda: f"{upto - session.outgoing.settled} messages are not confirmed: {self._no_session()}",
        )
        with engine.lock:
            if lost := engine.publishes_lost:
                count, reason = sum(event.count for event in lost), lost[-1].reason
                lost.clear()
                raise PublishLost(count, reason)

    async def _publish(self, frames: list[bytes], timeout: float | None) -> int:
        engine, outgoing, limits = self._engine, self._engine.session.outgoing, self._settings
        octets = sum(map(len, frames))

        def room() -> bool:
            return not len(outgoing) or (
                len(outgoing) + len(frames) <= limits.buffer_messages
                and outgoing.octets + octets <= limits.buffer_octets
            )

        while True:
            with engine.lock:
                self._check()
                if room():
                    number = engine.session.publish(frames)
                    engine.wake()
                    return number
                engine.wake()
            await self._until(room, timeout, lambda: f"the buffer is full: {self._no_session()}")

    def _check(self) -> None:
        if (failure := self._engine.failure()) is not None:
            raise failure

    def _no_session(self) -> str:
        session = self._engine.session
        if session.open:
            return "the broker has not answered yet"
        return f"no session with {self.endpoint}: {session.trouble or 'no answer'}"

    async def _until(self, holds: Callable[[], bool], timeout: float | None, why: Callable[[], str]) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._waiters.add(waiter)
            try:
                with self._engine.lock:
                    if holds():
                        return
                    self._check()
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise Timeout(why())
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(waiter, left)
            finally:
                self._waiters.discard(waiter)
