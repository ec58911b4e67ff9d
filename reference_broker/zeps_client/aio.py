"""The asyncio client: the same methods as :class:`Client`, as coroutines. The engine runs on the event loop, without a
thread or lock. libzmq signals readiness once, when its descriptor becomes readable. So a pump (one round of the
engine's work) schedules the next at once while work is left, and checks the sockets again before it waits for a
descriptor.
"""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
import weakref
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Unpack

from zeps_client.client import ALL, SLICE
from zeps_client.connection import Context
from zeps_client.engine import Engine, Statistics
from zeps_client.errors import BrokerLost, Closed, PublishLost, Timeout
from zeps_client.events import Event, Message
from zeps_client.results import end_of
from zeps_client.settings import Options, Settings
from zeps_wire import zeps

__all__ = ["AsyncClient"]

_LOG: Final = logging.getLogger("zeps.client")


@dataclass(slots=True, eq=False)
class _TaskPosition:
    """A task's next flush reports losses after the number `since`; None if it has neither published nor flushed."""

    client: weakref.ref[AsyncClient]
    task: weakref.ref[asyncio.Task[Any]]
    since: int | None


_POSITIONS: ContextVar[dict[int, _TaskPosition]] = ContextVar("zeps_client_positions")
"""Positions by client id. The dict is never changed in place: a new task starts with its creator's positions."""


def _task_position(client: AsyncClient) -> _TaskPosition | None:
    """Returns the position for `client` of this task, or of the task that created it; None if neither has one."""
    position = _POSITIONS.get({}).get(id(client))
    return position if position is not None and position.client() is client else None


def _begin_task_position(client: AsyncClient, since: int | None) -> _TaskPosition:
    task = asyncio.current_task()
    assert task is not None
    position = _TaskPosition(weakref.ref(client), weakref.ref(task), since)
    kept = {key: known for key, known in _POSITIONS.get({}).items() if known.client() is not None}
    _POSITIONS.set({**kept, id(client): position})
    return position


class AsyncClient:
    """A client of one stream, for one event loop. Arguments, settings and errors are those of :class:`Client`. Create
    it inside a coroutine, preferably with ``async with``, which closes it at the end (after an exception within 1
    second, and PublishLost is only logged). `on_event` is called on the loop.
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
        self._loop = asyncio.get_running_loop()
        self._engine = Engine(endpoint, stream, Settings(**settings), on_event=on_event, context=context)
        self._engine.before_close = self._unwatch
        self._waiters: set[asyncio.Future[None]] = set()
        self._watched: tuple[int, ...] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._pumping = False
        self._since_pump = 0
        self._ended = False
        self._reported = False  # True after `close` has reported unconfirmed messages
        self._kick()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            await self.close()
            return
        try:
            await self.close(1.0)
        except PublishLost as lost:
            _LOG.warning("%s: %s", self.stream, lost)

    def __del__(self) -> None:
        if not getattr(self, "_ended", True):
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
            self._engine.before_close = None
            self._engine.close()

    def __repr__(self) -> str:
        return f"<AsyncClient of {self.stream!r} at {self.endpoint}>"

    # --- the session

    async def wait(self, timeout: float | None = None) -> None:
        """Waits until a session exists, for at most `timeout` seconds (None: without limit). Raises Timeout."""
        await self._until(lambda: self._engine.session.open, timeout, self._engine.no_session)

    async def close(self, timeout: float = 5.0) -> None:
        """Waits until all published messages are confirmed, for at most `timeout` seconds, and detaches. A second call
        does nothing. Raises PublishLost if messages are not confirmed by then (they may or may not be stored), or were
        given up and no flush has reported it.
        """
        if self._reported:
            return
        self._engine.session.close(time.monotonic(), timeout)
        self._kick()
        while not self._ended:
            await self._change(None)
        self._reported = True
        if (lost := self._engine.unsettled()) is not None:
            raise lost

    def statistics(self) -> Statistics:
        """Returns the current counters and state."""
        return self._engine.statistics()

    # --- subscribing

    async def subscribe(self, pattern: str = "", latest: int = ALL, *, timeout: float | None = None) -> None:
        """See :meth:`Client.subscribe`."""
        self._engine.check()
        result = self._engine.subscribe(pattern, latest)
        self._kick()
        await self._until(
            lambda: result.done,
            timeout,
            lambda: f"the subscription is not confirmed: {self._engine.no_session()}",
        )
        if result.error is not None:
            raise result.error

    async def last_sequence(self, timeout: float | None = None) -> int:
        """See :meth:`Client.last_sequence`."""
        engine = self._engine
        engine.check()
        result = engine.session.ask_end(time.monotonic())
        self._kick()
        await self._until(
            lambda: result.done, timeout, lambda: f"the stream's end is not known: {engine.no_session()}"
        )
        return end_of(result)

    async def receive(self, timeout: float | None = None) -> Message:
        """Returns the next message; waits for at most `timeout` seconds (None: without limit). Raises Timeout."""
        if not self._engine.inbox:
            await self._await_message(timeout)
        message, byte_count = self._engine.take_one()
        if self._engine.acknowledge(byte_count):
            self._kick()
        return message

    async def receive_many(self, count_max: int = 1024, timeout: float | None = None) -> list[Message]:
        """Returns the next messages: at least one, at most `count_max`. Waits, and raises errors, as `receive`."""
        if not self._engine.inbox:
            await self._await_message(timeout)
        messages, byte_count = self._engine.take(max(1, count_max))
        if self._engine.acknowledge(byte_count):
            self._kick()
        return messages

    def __aiter__(self) -> AsyncClient:
        """Iterates over messages until the client is closed. Raises the error of a client that ended otherwise."""
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except Closed:
            raise StopAsyncIteration from None

    async def _await_message(self, timeout: float | None) -> None:
        await self._until(lambda: bool(self._engine.inbox), timeout, lambda: "no message arrived in time")

    # --- publishing

    async def publish(self, key: str, body: bytes, timeout: float | None = None) -> int:
        """See :meth:`Client.publish`."""
        return await self._publish([zeps.Publish(key=key, body=body).encode()], timeout)

    async def publish_many(self, messages: Iterable[tuple[str, bytes]], timeout: float | None = None) -> int:
        """See :meth:`Client.publish_many`."""
        number, batch = 0, []
        encode = zeps.Publish
        for key, body in messages:
            batch.append(encode(key, body).encode())
            if len(batch) == SLICE:
                number = await self._publish(batch, timeout)
                batch = []
        return await self._publish(batch, timeout) if batch or not number else number

    async def flush(self, timeout: float | None = None) -> None:
        """See :meth:`Client.flush`, with tasks in place of threads. A flush in a task that never published, such as the
        task that ``asyncio.wait_for`` creates in Python 3.11, reports the losses of its creator's messages.
        """
        engine, outgoing = self._engine, self._engine.session.outgoing
        upto = engine.barrier()
        self._kick()
        await self._until(
            lambda: outgoing.settled >= upto,
            timeout,
            lambda: f"{upto - outgoing.settled} messages are not confirmed: {engine.no_session()}",
            engine.check_end,
        )
        position = _task_position(self) or _begin_task_position(self, None)
        lost = outgoing.losses.report(position.since, upto)
        position.since = max(upto, position.since or 0)
        if lost is not None:
            raise lost

    async def _publish(self, frames: list[bytes], timeout: float | None) -> int:
        engine = self._engine
        engine.check()
        if not engine.has_buffer_space(frames):
            await self._until(
                lambda: engine.has_buffer_space(frames),
                timeout,
                lambda: f"the buffer is full: {engine.no_session()}",
            )
        number = engine.session.publish(frames)
        position = _task_position(self)
        if position is None or position.task() is not asyncio.current_task():
            _begin_task_position(self, number - len(frames))
        self._kick()
        self._since_pump += len(frames)
        if self._since_pump >= SLICE:
            # Without this, a coroutine that only publishes would block the loop from sending.
            await asyncio.sleep(0)
        return number

    # --- the loop

    def _kick(self) -> None:
        """Schedules a pump."""
        if not self._pumping and not self._ended:
            self._pumping = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        """Performs the work that is due and reads the input; then watches the connection again."""
        self._pumping = False
        self._since_pump = 0
        if self._ended:
            return
        engine, failure = self._engine, None
        try:
            changed = engine.turn()
            more = engine.receive()
            changed = engine.turn() or changed
            engine.report()
        except BaseException as error:
            _LOG.exception("the client failed")
            engine.session.fail(BrokerLost(f"the client failed: {error!r}"))
            changed = more = True
            failure = error
        if engine.session.closed:
            self._ended = changed = True
            if self._timer is not None:
                self._timer.cancel()
            engine.close()
        if changed:
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
        if not self._ended:
            self._rest(more)
        if failure is not None and not isinstance(failure, Exception):
            raise failure  # SystemExit, which ends the loop

    def _rest(self, more: bool) -> None:
        """Watches the connection, and schedules the next pump; immediately if there is `more` to do."""
        engine, connection = self._engine, self._engine.connection
        if connection is not None:
            if not self._watched:
                self._watched = connection.descriptors
                for descriptor in self._watched:
                    self._loop.add_reader(descriptor, self._kick)
            more = more or connection.readable() or bool(engine.session.outbox and connection.writable())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if more:
            self._kick()
        elif (pause := engine.pause()) is not None:
            self._timer = self._loop.call_later(pause, self._kick)

    def _unwatch(self) -> None:
        """Stops watching a connection that the engine is about to close."""
        for descriptor in self._watched:
            self._loop.remove_reader(descriptor)
        self._watched = ()

    async def _until(
        self,
        holds: Callable[[], bool],
        timeout: float | None,
        why: Callable[[], str],
        check: Callable[[], None] | None = None,
    ) -> None:
        """Waits until `holds()`. Raises Timeout with the text of `why`, and the errors of `check`."""
        end = None if timeout is None else self._loop.time() + timeout
        check = check or self._engine.check
        while not holds():
            check()
            left = None if end is None else end - self._loop.time()
            if left is not None and left <= 0:
                raise Timeout(why())
            await self._change(left)

    async def _change(self, timeout: float | None) -> None:
        """Waits until a pump has changed something, for at most `timeout` seconds (None: without limit)."""
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait((waiter,), timeout=timeout)
        finally:
            self._waiters.discard(waiter)
