"""A foreign broker that speaks AMQP 0-9-1, through pika, in a thread of its own.

A session is a connection with one channel. Each bridge has one queue, with a unique name: durable, so that a lost
connection loses neither its bindings nor its messages; bounded; and deleted by the broker after a time without use.
Messages are published as persistent and confirmed by the broker (publisher confirms). A lost connection is dialled
again after a growing pause. Calls of the bridge's thread are passed to pika's thread as callbacks; events come back
through :meth:`AmqpBroker.take`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import pika
from pika.adapters.select_connection import IOLoop, SelectConnection
from pika.exceptions import AMQPError, ChannelClosedByBroker
from pika.spec import Basic, BasicProperties

from zeps_broker.devices.bridge.amqp_faults import explain
from zeps_broker.devices.bridge.amqp_mapping import EXCHANGE_TYPES, FRAMES_HEADER, ORIGIN_HEADER, pack, unpack
from zeps_broker.devices.bridge.port import (
    Arrived,
    Changed,
    Event,
    Failed,
    Frames,
    Lost,
    Opened,
    PatternChange,
    Settled,
)
from zeps_broker.transport.zmtp.redial import Pause

__all__ = ["AmqpBroker", "AmqpOptions"]

_PERSISTENT = 2
_CLOSING = 5.0


@dataclass(frozen=True, slots=True)
class AmqpOptions:
    """The connection, exchange and queue of a bridge."""

    parameters: pika.connection.Parameters
    exchange: str
    exchange_type: str
    name: str
    """The bridge's name; its queue is called ``zeps.bridge.NAME``."""
    declare: bool = False
    """Create the exchange, durable, if it does not exist."""
    window: int = 1000
    """Maximum number of messages that are delivered and not acknowledged (prefetch)."""
    queue: int = 64 << 20
    """Maximum bytes that the broker keeps for the bridge; the oldest messages are dropped first."""
    keep: float = 60.0
    """Seconds that the broker keeps the queue without use."""


class AmqpBroker:
    """A ForeignBroker. Pika's thread calls `wake` once before each :meth:`take`, and if an exception ends it."""

    def __init__(self, options: AmqpOptions, wake: Callable[[], None]) -> None:
        self._options = options
        self._wake = wake
        self.pattern = EXCHANGE_TYPES[options.exchange_type]
        self._loop = IOLoop()
        self._thread = threading.Thread(target=self._run, name="amqp", daemon=True)
        self._events: deque[Event] = deque()
        self._pause = Pause()
        self._session: _Session | None = None
        self._sessions = 0
        self._closing = False
        self._woken = False
        self._crash: Exception | None = None

    def start(self) -> None:
        """Connects in a thread of its own, and again after every loss or failed attempt; call it once."""
        self._thread.start()

    def take(self) -> list[Event]:
        """Returns the events since the last call, oldest first. Raises the exception that ended pika's thread."""
        if self._crash is not None:
            raise self._crash
        self._woken = False
        return [self._events.popleft() for _ in range(len(self._events))]

    def close(self) -> None:
        """Deletes the session's queue and disconnects; waits up to 5 s for the broker. May be called at any time."""
        if self._thread.is_alive():
            self._loop.add_callback_threadsafe(self._close)
            self._thread.join(_CLOSING)
        elif self._thread.ident is None:  # it was not started
            self._loop.close()

    # Calls of the bridge

    def change(self, session: int, steps: Sequence[PatternChange]) -> None:
        steps = list(steps)
        self._call(session, lambda at: at.change(steps))

    def publish(self, session: int, messages: Sequence[tuple[int, Frames]]) -> None:
        self._call(session, lambda at: at.publish(messages))

    def acknowledge(self, session: int, tag: int) -> None:
        self._call(session, lambda at: at.acknowledge(tag))

    def _call(self, session: int, call: Callable[[_Session], None]) -> None:
        def serve() -> None:
            if self._session is not None and self._session.number == session:
                self._session.serve(call)

        self._loop.add_callback_threadsafe(serve)

    # In pika's thread

    def _run(self) -> None:
        try:
            self._connect()
            self._loop.start()
        except Exception as error:
            self._crash = error
            self._wake()
        finally:
            self._loop.close()

    def _connect(self) -> None:
        if self._closing:
            self._loop.stop()
            return
        self._sessions += 1
        self._session = _Session(self._sessions, self._options, self._loop, self._tell, self._over)

    def _tell(self, event: Event) -> None:
        if isinstance(event, Opened):
            self._pause.reset()
        self._events.append(event)
        if not self._woken:
            self._woken = True
            self._wake()

    def _over(self) -> None:
        """Handles the end of the session's connection: dials again after a pause, or ends the thread if closing."""
        self._session = None
        if self._closing:
            self._loop.stop()
        else:
            self._loop.call_later(self._pause.take(), self._connect)

    def _close(self) -> None:
        self._closing = True
        if self._session is None:
            self._loop.stop()
        else:
            self._session.leave()


class _Session:
    """One connection, which the constructor dials; `over` is called once, when it has ended or could not be opened."""

    def __init__(
        self,
        number: int,
        options: AmqpOptions,
        loop: IOLoop,
        tell: Callable[[Event], None],
        over: Callable[[], None],
    ) -> None:
        self.number = number
        self._options = options
        self._queue = f"zeps.bridge.{options.name}"
        self._tell = tell
        self._over = over
        self._opened = False
        self._leaving = False
        self._channel: Any = None
        self._reason: BaseException | None = None
        self._published = 0
        self._numbers: dict[int, int] = {}
        """The bridge's number of each unconfirmed message, by the channel's number, in order."""
        self._connection = SelectConnection(
            options.parameters,
            on_open_callback=lambda _: self._check_exchange(),
            on_open_error_callback=lambda _, error: self._ended(error),
            on_close_callback=lambda _, error: self._ended(error),
            custom_ioloop=loop,
        )

    # Set-up, one answer after the other

    def _new_channel(
        self, ready: Callable[[Any], None], closed: Callable[[BaseException], None] | None = None
    ) -> None:
        def opened(channel: Any) -> None:
            channel.add_on_close_callback(lambda _, reason: (closed or self._fail)(reason))
            self.serve(lambda _: ready(channel))

        self._connection.channel(on_open_callback=opened)

    def _check_exchange(self) -> None:
        """Starts the set-up. Without `declare` the exchange must exist; the declaration below would create it."""
        name = self._options.exchange
        if self._options.declare:
            self._check_type()
            return
        self._new_channel(
            lambda channel: channel.exchange_declare(
                name, passive=True, callback=lambda _: self._check_type()
            )
        )

    def _check_type(self) -> None:
        """Declares the exchange to check its type. Without `declare`, a missing permission to declare is ignored."""

        def refused(reason: BaseException) -> None:
            code = reason.reply_code if isinstance(reason, ChannelClosedByBroker) else 0
            other = code == 406 and "'type' for exchange" not in str(reason)
            if other or (code == 403 and not self._options.declare):
                self._open_channel()
            else:
                self._fail(reason)

        options = self._options
        self._new_channel(
            lambda channel: channel.exchange_declare(
                options.exchange, options.exchange_type, durable=True, callback=lambda _: self._open_channel()
            ),
            refused,
        )

    def _open_channel(self) -> None:
        self._new_channel(self._declare_queue)

    def _declare_queue(self, channel: Any) -> None:
        self._channel = channel
        channel.add_on_cancel_callback(
            lambda _: self._fail(
                AMQPError("the bridge's queue was deleted; the next connection declares it again")
            )
        )
        options = self._options
        arguments = {"x-expires": max(1, int(options.keep * 1000)), "x-max-length-bytes": options.queue}
        channel.queue_declare(
            self._queue, durable=True, arguments=arguments, callback=lambda _: self._configure(channel)
        )

    def _configure(self, channel: Any) -> None:
        channel.confirm_delivery(self._answered)
        channel.basic_qos(prefetch_count=self._options.window, callback=lambda _: self._consume(channel))

    def _consume(self, channel: Any) -> None:
        self._opened = True
        self._tell(Opened(self.number))
        channel.basic_consume(self._queue, self._arrived)

    # Calls of the bridge

    def serve(self, call: Callable[[_Session], None]) -> None:
        """Makes a call. An AMQPError closes the connection, whose end is then reported with the first such error."""
        try:
            call(self)
        except AMQPError as error:
            self._fail(error)

    def change(self, steps: Sequence[PatternChange]) -> None:
        """Binds and unbinds in order; the answer to the last step confirms all and is reported as Changed."""

        def last(_frame: Any) -> None:
            self._tell(Changed(self.number))

        for place, (more, pattern) in enumerate(steps, 1):
            bind = self._channel.queue_bind if more else self._channel.queue_unbind
            answered = last if place == len(steps) else None if more else _ignore
            bind(self._queue, self._options.exchange, pattern, callback=answered)

    def publish(self, messages: Sequence[tuple[int, Frames]]) -> None:
        name = self._options.name
        for number, frames in messages:
            packed = pack(frames)
            headers: dict[str, Any] = {ORIGIN_HEADER: name}
            if packed.sizes is not None:
                headers[FRAMES_HEADER] = packed.sizes
            properties = BasicProperties(
                headers=headers, delivery_mode=_PERSISTENT, message_id=f"{name}-{number}"
            )
            self._published += 1
            self._numbers[self._published] = number
            self._channel.basic_publish(self._options.exchange, packed.key, packed.body, properties)

    def acknowledge(self, tag: int) -> None:
        self._channel.basic_ack(tag, multiple=True)

    def leave(self) -> None:
        """Deletes the queue and closes."""
        self._leaving = True
        if not self._opened or self._channel is None or not self._channel.is_open:
            self._shut()
            return
        self.serve(lambda _: self._channel.queue_delete(self._queue, callback=lambda _: self._shut()))

    # Answers of the broker

    def _answered(self, frame: Any) -> None:
        tag, multiple = frame.method.delivery_tag, frame.method.multiple
        taken = isinstance(frame.method, Basic.Ack)
        tags = list(takewhile(lambda sent_tag: sent_tag <= tag, self._numbers)) if multiple else [tag]
        numbers = [self._numbers.pop(sent_tag) for sent_tag in tags]
        if numbers:
            self._tell(Settled(self.number, numbers[-1], multiple, taken))

    def _arrived(self, _channel: Any, method: Any, properties: Any, body: bytes) -> None:
        headers = properties.headers or {}
        origin = headers.get(ORIGIN_HEADER)
        frames = unpack(method.routing_key, body, headers.get(FRAMES_HEADER))
        identity = None if properties.message_id is None else str(properties.message_id)
        self._tell(
            Arrived(
                self.number,
                method.delivery_tag,
                frames,
                identity,
                origin if isinstance(origin, str) else None,
                method.redelivered,
            )
        )

    def _fail(self, reason: BaseException) -> None:
        """Closes the connection; its end is then reported with the first reason that was passed here."""
        if self._reason is None:
            self._reason = reason
        self._shut()

    def _shut(self) -> None:
        if not (self._connection.is_closing or self._connection.is_closed):
            self._connection.close()

    def _ended(self, error: BaseException) -> None:
        if not self._leaving:
            text = explain(self._reason or error, self._options.parameters, self._options.exchange)
            self._tell(Lost(self.number, text) if self._opened else Failed(text))
        self._over()


def _ignore(_frame: Any) -> None:
    """Ignores an answer."""
