"""``zeps bridge`` on real sockets: XPUB and XSUB on the native engine, a foreign broker in a thread of its own.

Each turn of the one loop reads input from sockets and the foreign broker, and then sends the collected output. A
subscriber whose queue is full loses further messages (ZMTP-P-10). If the foreign broker is away for so long that its
queue is full, publishers' messages are dropped, which is logged.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from zeps_broker.devices.bridge.core import Bridge, BridgeSettings
from zeps_broker.devices.bridge.port import Event, Failed, ForeignBroker, Frames, Lost, Opened
from zeps_broker.devices.forwarder.policies import Policy
from zeps_broker.devices.forwarder.upstream import Upstream
from zeps_broker.service.logs import EventLog
from zeps_broker.service.signals import stop_on_signals, wake_on_signals
from zeps_broker.service.stats import PeriodicStats
from zeps_broker.topics.budget import TopicLimitError, TopicLimits
from zeps_broker.topics.subscriptions import Peer, SubscriptionChange, Topic
from zeps_broker.transport.zmtp.connection import Connection, Limits
from zeps_broker.transport.zmtp.frames import join_parts, parts_of
from zeps_broker.transport.zmtp.hub import Hub
from zeps_broker.transport.zmtp.over_limit import OverLimit
from zeps_broker.transport.zmtp.pubsub import PublishingConnection, SubscribingConnection, Whole
from zeps_broker.transport.zmtp.redial import Redialler

__all__ = ["BridgeOptions", "BridgeServer", "RunningBroker"]

_IDLE = 1.0
_WARN_EVERY = 10.0


class RunningBroker(ForeignBroker, Protocol):
    """A foreign broker with a thread, or a connection, of its own. It may be started once."""

    def start(self) -> None:
        """Starts to connect, without waiting; tries again after every loss and failed attempt."""

    def take(self) -> list[Event]:
        """Returns the events since the last call, oldest first. Raises any exception if the broker cannot continue."""

    def close(self) -> None:
        """Closes the connection and removes the bridge's queue; may wait for some seconds."""


@dataclass(frozen=True, slots=True)
class BridgeOptions:
    """Options of a bridge process."""

    exports: tuple[bytes, ...] = (b"",)
    """Prefixes that publishers are asked for; only messages that begin with one go to the foreign broker."""
    peer_queue: int = 4 << 20
    """Bytes that wait for one peer from which on its queue is full: a subscriber loses further messages."""
    message_max: int = 64 << 20
    """Maximum bytes of a message; a connection that brings a longer message is closed."""
    topics: TopicLimits = field(default_factory=TopicLimits)
    """A subscriber that exceeds these limits is disconnected."""
    linger: float = 5.0
    """Seconds that a stop waits for the foreign broker's confirmations."""
    patient: bool = False
    """Whether to retry if the first attempt to reach the foreign broker fails."""
    stats_seconds: float = 60.0
    """Seconds between log lines of figures; 0 disables them."""


class BridgeServer:
    """A bridge that runs until it is stopped. The constructor listens; raises TransportError if it cannot. `upstreams`
    and `downstream_connects` are dialled, `downstreams` and `upstream_binds` are listened on. `connect` creates the
    foreign broker; its argument wakes this loop.
    """

    def __init__(
        self,
        connect: Callable[[Callable[[], None]], RunningBroker],
        settings: BridgeSettings,
        *,
        downstreams: Sequence[str] = (),
        upstreams: Sequence[str] = (),
        upstream_binds: Sequence[str] = (),
        downstream_connects: Sequence[str] = (),
        policy: Policy | None = None,
        options: BridgeOptions | None = None,
        log: EventLog | None = None,
    ) -> None:
        self._options = options = options or BridgeOptions()
        self._settings = settings
        self._log = log or EventLog("warning")
        self._limits = Limits(options.message_max, options.message_max, options.peer_queue)
        logger = self._log.logger("bridge")
        self._hub = Hub(ended=self._ended, queue=options.peer_queue, log=logger)
        self._broker = connect(self._hub.wake)
        self.bridge = Bridge(self._broker, settings, self._deliver, policy, options.topics)
        self._over_limit = OverLimit(logger)
        self._exported: Counter[Topic] = Counter(dict.fromkeys(options.exports, 1))
        self._asked: dict[Connection, Upstream] = {}
        self._remotes = Redialler(self._hub, logger)
        for endpoint in upstreams:
            self._remotes.add(endpoint, self._publisher)
        for endpoint in downstream_connects:
            self._remotes.add(endpoint, self._subscriber)
        self._stopping = threading.Event()
        self._dropped = 0
        self._failure: str | None = None
        self._was_open = False
        self._periodic = PeriodicStats(options.stats_seconds, self._log, self.stats)
        self._warned = -_WARN_EVERY
        self.endpoints: list[str] = []
        """The endpoints for subscribers, with the real ports."""
        self.upstream_endpoints: list[str] = []
        """The endpoints for publishers, with the real ports."""
        try:
            self.endpoints += [self._hub.listen(downstream, self._subscriber) for downstream in downstreams]
            self.upstream_endpoints += [
                self._hub.listen(upstream, self._publisher) for upstream in upstream_binds
            ]
        except BaseException:
            self._hub.close()
            self._broker.close()
            raise

    def stop(self) -> None:
        """Requests the end; may be called from any thread and from a signal handler."""
        self._stopping.set()
        self._hub.wake()

    def run(self, ready: Callable[[], None] | None = None, *, signals: bool = False) -> str | None:
        """Serves until :meth:`stop`, and closes all sockets and the foreign broker at the end; call it once. Returns
        None, or, unless `patient`, the reason why the first attempt to reach the foreign broker failed. `ready` is
        called after it is connected. With `signals` (in the main thread) SIGTERM and SIGINT stop it. Raises
        TransportError if an endpoint to dial is invalid, and what :meth:`RunningBroker.take` raises.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self._hub.close, 1.0)
            stack.callback(self._broker.close)
            if signals:
                stack.enter_context(stop_on_signals(self.stop))
                stack.enter_context(wake_on_signals(self._hub.wake_fd))
            self._broker.start()
            if not self._wait_for_broker():
                return None if self._stopping.is_set() else self._failure
            self._log.info(
                "ready",
                endpoints=self.endpoints,
                upstream_endpoints=self.upstream_endpoints,
                name=self._settings.name,
            )
            if ready is not None:
                ready()
            while not self._stopping.is_set():
                self._remotes.dial()
                self._turn(self._remotes.wait(_IDLE))
            self._linger()
        self._log.info("stopped", **self.stats())
        return None

    def stats(self) -> dict[str, int]:
        """Returns :meth:`Bridge.stats`, messages dropped (per subscriber), and connections closed and present."""
        connections = len(self._hub.connections)
        counts = {"dropped_in": self._dropped, "over_limit": self._over_limit.closed}
        return {**self.bridge.stats(), **counts, "connections": connections}

    # Loop

    def _wait_for_broker(self) -> bool:
        """Waits for a session; returns False after a stop, or after a failed first attempt unless `patient`."""
        while self.bridge.session is None and not self._stopping.is_set():
            self._turn(_IDLE)
            if self._failure is not None and not self._options.patient:
                return False
        return self.bridge.session is not None

    def _linger(self) -> None:
        """Disconnects publishers, waits up to `linger` seconds for confirmations, and logs unanswered messages."""
        for connection in list(self._asked):
            self._hub.end(connection, "stopped")
        until = time.monotonic() + self._options.linger
        while self.bridge.outbound and self.bridge.session is not None and time.monotonic() < until:
            self._turn(0.05)
        if self.bridge.outbound:
            self._log.warning("unanswered", messages=len(self.bridge.outbound))

    def _turn(self, timeout: float) -> None:
        self._hub.turn(timeout, self._take)
        for event in self._broker.take():
            self._hear(event)
        writable = list(self._hub.writable)
        self._hub.writable.clear()  # before asking, which may fill a queue and empty it again
        for connection in writable:
            if connection in self._asked:
                self._ask(connection, self._asked[connection].catch_up(self._exported))
        self.bridge.flush()
        self._periodic.tick()

    def _hear(self, event: Event) -> None:
        if isinstance(event, Failed):
            self._failure = event.reason
            if self._options.patient or self._was_open:  # otherwise the process ends with this error
                self._log.error("unreachable", reason=event.reason)
            return
        if isinstance(event, Opened):
            self._was_open = True
            self._log.info("connected", session=event.session)
        elif isinstance(event, Lost):
            self._log.warning("lost", session=event.session, reason=event.reason)
        self.bridge.handle(event)

    def _take(self, connection: Connection, items: list[Any], byte_count: int) -> bool:
        if connection.open:
            self._remotes.opened(connection)
        if isinstance(connection, PublishingConnection):
            try:
                self._from_subscriber(connection, items)
            except TopicLimitError as error:
                connection.exceed(str(error))
        else:
            self._opened(connection)
            self._publish(items)
        return True

    def _from_subscriber(
        self, peer: PublishingConnection, items: Sequence[SubscriptionChange | Whole]
    ) -> None:
        for item in items:
            if isinstance(item, SubscriptionChange):  # other messages of subscribers have no destination
                (self.bridge.device.subscribe if item.subscribe else self.bridge.device.cancel)(
                    peer, item.topic
                )

    def _publish(self, messages: Sequence[Whole]) -> None:
        exports = self._options.exports
        for first, whole in messages:
            if first.startswith(exports) and not self.bridge.published(parts_of(whole)):
                self._warn_full()

    def _deliver(self, peers: Sequence[Peer], frames: Frames) -> None:
        encoded = join_parts(frames)
        for peer in peers:
            assert isinstance(peer, PublishingConnection)
            if peer.closed or not self._hub.write(peer, encoded):
                self._dropped += 1

    # Opening and closing

    def _subscriber(self, link: socket.socket, name: str) -> Connection:
        return PublishingConnection(link, name, self._limits)

    def _publisher(self, link: socket.socket, name: str) -> Connection:
        return SubscribingConnection(link, name, self._limits)

    def _opened(self, connection: Connection) -> None:
        """Subscribes to the exported prefixes at a publisher, once, after its handshake."""
        if connection.open and connection not in self._asked:
            link = self._asked[connection] = Upstream(connection.name)
            self._ask(connection, link.connected(self._exported))

    def _ask(self, connection: Connection, steps: Sequence[SubscriptionChange]) -> None:
        assert isinstance(connection, SubscribingConnection)
        if not connection.open or connection.broken is not None or connection.closed:
            return  # its end is handled in this turn
        try:
            taken = connection.ask(steps)
        except OSError as error:
            self._hub.end(connection, f"lost: {error.strerror}")
            return
        self._hub.flush(connection)
        if taken < len(steps) and not connection.closed:
            self._asked[connection].refused(steps[taken:])

    def _ended(self, connection: Connection) -> None:
        self._over_limit.ended(connection)
        if isinstance(connection, PublishingConnection):
            self.bridge.device.gone(connection)
        self._asked.pop(connection, None)
        self._remotes.ended(connection)

    # Logging

    def _warn_full(self) -> None:
        now = time.monotonic()
        if now - self._warned >= _WARN_EVERY:
            self._warned = now
            self._log.warning(
                "queue-full",
                waiting_octets=self.bridge.outbound.byte_count,
                remedy="the foreign broker is away or slow; messages of publishers are dropped; see --queue",
            )
