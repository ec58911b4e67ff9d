"""``zeps forward`` on real sockets: an XSUB for all upstreams, an XPUB for all downstreams.

A multicast endpoint does not forward subscriptions: downstream it gets everything, upstream it sends everything. One
thread runs one loop, and each connection is read once per turn. Runs of messages for the same subscribers are joined
once and written to each. A subscriber whose queue is full loses further messages, without notice and without effect on
others (ZMTP-P-10, -18); upstreams share its queue, so that a flood of one does not displace the messages of another. An
upstream whose queue is full gets its subscriptions later, as the difference. A dialled peer is redialled, after a
pause that grows and is randomised (ZMTP-N-23), and a publisher gets all requests again, in its own dialect
(ZMTP-U-15). Either side may listen, dial, or do both.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import zmq

from zeps_broker.devices.forwarder.core import ForwarderCore, Interest, UpstreamRequest
from zeps_broker.devices.forwarder.multicast_links import MulticastDownstream, MulticastUpstream
from zeps_broker.devices.forwarder.policies import Policy
from zeps_broker.devices.forwarder.shares import Shares
from zeps_broker.devices.forwarder.upstream import ANY_KIND, Upstream
from zeps_broker.service.logs import EventLog
from zeps_broker.service.signals import stop_on_signals, wake_on_signals
from zeps_broker.service.stats import PeriodicStats
from zeps_broker.topics.budget import TopicLimitError, TopicLimits
from zeps_broker.topics.subscriptions import EVERYTHING, Peer, SubscriptionChange
from zeps_broker.transport.zmtp.connection import Connection, Limits
from zeps_broker.transport.zmtp.hub import Hub, Make
from zeps_broker.transport.zmtp.over_limit import OverLimit
from zeps_broker.transport.zmtp.pubsub import PublishingConnection, SubscribingConnection, Whole
from zeps_broker.transport.zmtp.redial import Redialler
from zeps_multicast import MulticastOptions, is_multicast

__all__ = ["Forwarder", "ForwarderOptions"]

_IDLE = 1.0
_PIECE = 64 << 10
"""Maximum bytes of messages that are written to a subscriber at once, unless one message is larger."""


@dataclass(frozen=True, slots=True)
class ForwarderOptions:
    """Limits of a forwarder, in bytes unless stated otherwise."""

    message_max: int = 64 << 20
    """A connection that brings a longer message is closed."""
    queue: int = 4 << 20
    """Bytes that wait for one peer from which on its queue is full: a subscriber loses further messages."""
    counted: bool = True
    """Whether two subscriptions of a peer to a topic need two cancels (ZMTP-S-11), or one, as with libzmq."""
    stats_seconds: float = 60.0
    """Seconds between log lines of figures; 0 disables them."""
    topics: TopicLimits = field(default_factory=TopicLimits)
    """A subscriber that exceeds these limits is disconnected."""
    multicast: MulticastOptions = field(default_factory=MulticastOptions)


class _SubscriberConnection(PublishingConnection):
    """A subscriber's connection. It accepts filters of any kind, since they are forwarded."""

    KINDS = bytes((ANY_KIND,))

    __slots__ = ()


class Forwarder:
    """A device that runs until it is stopped."""

    def __init__(
        self,
        upstreams: Sequence[str],
        downstreams: Sequence[str],
        policy: Policy | None = None,
        options: ForwarderOptions | None = None,
        log: EventLog | None = None,
        *,
        upstream_binds: Sequence[str] = (),
        downstream_connects: Sequence[str] = (),
        interest: Interest | None = None,
    ) -> None:
        """Listens and joins multicast groups; raises TransportError if one of them fails. `upstreams` and
        `downstream_connects` are dialled, `downstreams` and `upstream_binds` are listened on. `policy` None:
        :class:`Count`; `log` None: warnings and errors to standard error. `interest` is called in the thread of
        :meth:`run`.
        """
        self._options = options = options or ForwarderOptions()
        self._log = log or EventLog("warning")
        self._limits = Limits(options.message_max, options.message_max, options.queue)
        self.device = ForwarderCore(policy, counted=options.counted, interest=interest, topics=options.topics)
        logger = self._log.logger("forwarder")
        self._over_limit = OverLimit(logger)
        self._hub = Hub(ended=self._ended, queue=options.queue, log=logger)
        self._remotes = Redialler(self._hub, logger)
        for endpoint in upstreams:
            if not is_multicast(endpoint):
                self._remotes.add(endpoint, self._dialled_publisher(Upstream(endpoint)))
        for endpoint in downstream_connects:
            self._remotes.add(endpoint, self._subscriber)
        self._links: dict[Connection, Upstream] = {}
        self._publishers: dict[Upstream, SubscribingConnection] = {}
        self._shares: dict[Connection, Shares] = {}
        """Shares of subscribers whose queues were not empty while there were several publishers."""
        self._groups_above: list[MulticastUpstream] = []
        self._groups_below: list[MulticastDownstream] = []
        self._stopping = threading.Event()
        self._dropped = 0
        self._passed_up = 0
        self._periodic = PeriodicStats(options.stats_seconds, self._log, self.stats)
        self.endpoints: list[str] = []
        """The endpoints for subscribers, with the real ports."""
        self.upstream_endpoints: list[str] = []
        """The endpoints for publishers, with the real ports."""
        try:
            for endpoint in filter(is_multicast, upstreams):
                self._join(endpoint)
            for endpoint in downstreams:
                self.endpoints.append(self._listen(endpoint))
            for endpoint in upstream_binds:
                self.upstream_endpoints.append(self._hub.listen(endpoint, self._publisher))
        except BaseException:
            self._close(0.0)
            raise

    def stop(self) -> None:
        """Requests the end; may be called from any thread and from a signal handler."""
        self._stopping.set()
        self._hub.wake()

    def run(self, ready: Callable[[list[str]], None] | None = None, *, signals: bool = False) -> int:
        """Serves until :meth:`stop`; calls `ready` with the endpoints for subscribers first. Returns the exit code 0.
        With `signals` (in the main thread) SIGTERM and SIGINT stop it. Closes all sockets at the end: call it once.
        Raises TransportError if an endpoint to dial is invalid.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self._close, 1.0)
            if signals:
                stack.enter_context(stop_on_signals(self.stop))
                stack.enter_context(wake_on_signals(self._hub.wake_fd))
            self._remotes.dial()
            groups = [group.endpoint for group in self._groups_above]
            self._log.info(
                "ready",
                endpoints=self.endpoints,
                upstream_endpoints=self.upstream_endpoints,
                dialled=self._remotes.endpoints,
                groups=groups,
            )
            if ready is not None:
                ready(self.endpoints)
            while not self._stopping.is_set():
                self._turn()
        self._log.info("stopped", **self.stats())
        return 0

    def stats(self) -> dict[str, int]:
        """Returns :meth:`ForwarderCore.stats`; since the start, messages dropped (for each subscriber) or sent up (for
        each publisher), and connections closed beyond a limit; and the number of connections.
        """
        stats = {**self.device.stats(), "dropped": self._dropped, "over_limit": self._over_limit.closed}
        stats |= {"messages_up": self._passed_up, "connections": len(self._hub.connections)}
        if self._groups_below:
            stats["too_long"] = sum(group.too_long for group in self._groups_below)
        return stats

    # Loop

    def _turn(self) -> None:
        waiting = any(upstream.more for upstream in self._groups_above)
        self._hub.turn(0.0 if waiting else self._remotes.wait(_IDLE), self._take)
        for group in self._groups_above:
            self._messages(group, group.receive())
        for connection in [*self._hub.writable]:
            link = self._links.get(connection)
            if link is not None:
                self.device.writable(link)
        self._hub.writable.clear()
        self._ask()
        self._remotes.dial()
        self._periodic.tick()

    def _take(self, connection: Connection, items: list[Any], byte_count: int) -> bool:
        if connection.open:
            self._remotes.opened(connection)
        if isinstance(connection, PublishingConnection):
            try:
                self._from_below(connection, items)
            except TopicLimitError as error:
                connection.exceed(str(error))
        else:
            self._opened(connection)
            self._messages(connection, items)
        self._ask()
        return True

    def _from_below(self, peer: PublishingConnection, items: Sequence[SubscriptionChange | Whole]) -> None:
        """Handles subscriptions for the device, and messages for every publisher (ZMTP-E-8), in order."""
        for item in items:
            if not isinstance(item, SubscriptionChange):
                self._pass_up(item[1])
            elif item.subscribe:
                self.device.subscribe(peer, item.topic)
            else:
                self.device.cancel(peer, item.topic)

    def _pass_up(self, encoded: bytes) -> None:
        """Sends an encoded message to all connected publishers without a full queue, after the pending requests."""
        self._ask()
        for publisher in list(self._publishers.values()):
            if publisher.open and publisher.broken is None and self._hub.write(publisher, encoded):
                self._passed_up += 1

    def _messages(self, source: object, messages: Sequence[Whole]) -> None:
        """Sends an upstream's messages: runs for the same subscribers are joined once."""
        match = self.device.match
        run: list[bytes] = []
        peers: Sequence[Peer] = ()
        for first, whole in messages:
            wanting = match(first)
            if wanting is not peers and wanting != peers:
                self._send_run(source, peers, run)
                run = []
            peers = wanting
            run.append(whole)
        self._send_run(source, peers, run)

    def _send_run(self, source: object, peers: Sequence[Peer], run: list[bytes]) -> None:
        """Sends a run as a whole to `peers`; with several upstreams in pieces, each of which is queued or dropped."""
        if not run or not peers:
            return
        if self._upstreams < 2:
            self._send(source, peers, run)
            return
        most = min(_PIECE, self._options.queue // 8)
        begin = size = 0
        for place, message in enumerate(run):
            if size + len(message) > most and place > begin:
                self._send(source, peers, run[begin:place])
                begin, size = place, 0
            size += len(message)
        self._send(source, peers, run[begin:])

    @property
    def _upstreams(self) -> int:
        return len(self._publishers) + len(self._groups_above)

    def _send(self, source: object, peers: Sequence[Peer], run: list[bytes]) -> None:
        data = b"".join(run)
        for peer in peers:
            if isinstance(peer, MulticastDownstream):
                self._dropped += len(run) - peer.write(run)
                continue
            assert isinstance(peer, PublishingConnection)
            if peer.closed or not self._write(source, peer, data):
                self._dropped += len(run)

    def _write(self, source: object, peer: PublishingConnection, data: bytes) -> bool:
        """Queues messages for a subscriber; returns False if its queue, or `source`'s share of it, is full."""
        if self._upstreams < 2:
            return self._hub.write(peer, data)
        waiting = peer.unsent_bytes
        shares = self._shares.get(peer)
        if shares is not None and not shares.admits(source, waiting):
            return False
        if not self._hub.write(peer, data):
            return False
        if peer.unsent_bytes > waiting:
            if shares is None:
                shares = self._shares[peer] = Shares(self._options.queue)
            shares.added(source, peer.unsent_bytes - waiting)
        return True

    def _ask(self) -> None:
        """Sends the device's requests to the upstreams."""
        self.device.flush(self._ask_one)

    def _ask_one(self, request: UpstreamRequest) -> int:
        """Sends a request; returns the number of changes taken: all of them if the connection is lost or will be."""
        everything = len(request.changes)
        connection = self._publishers.get(request.upstream)
        # A connection that has violated the protocol is closed after its read was processed.
        if connection is None or not connection.open or connection.broken is not None:
            return everything
        try:
            taken = connection.ask(request.changes)
        except OSError as error:
            self._hub.end(connection, f"lost: {error.strerror}")
            return everything
        self._hub.flush(connection)
        return everything if connection.closed else taken

    # Opening and closing

    def _listen(self, endpoint: str) -> str:
        """Serves a downstream endpoint; returns it with its real port. Raises TransportError."""
        if not is_multicast(endpoint):
            return self._hub.listen(endpoint, self._subscriber)
        group = MulticastDownstream(endpoint, zmq.Context.instance(), self._options.multicast)
        self._groups_below.append(group)
        self.device.subscribe(group, EVERYTHING)
        return endpoint

    def _join(self, endpoint: str) -> None:
        """Joins an upstream group. Raises TransportError."""
        group = MulticastUpstream(endpoint, zmq.Context.instance(), self._options.multicast)
        self._groups_above.append(group)
        self._hub.watch(group.descriptor)

    def _close(self, flush: float) -> None:
        self._hub.close(flush)
        for above in self._groups_above:
            above.close()
        for below in self._groups_below:
            below.close(flush)

    def _subscriber(self, link: socket.socket, name: str) -> _SubscriberConnection:
        return _SubscriberConnection(link, name, self._limits)

    def _publisher(self, link: socket.socket, name: str) -> SubscribingConnection:
        """Creates the connection of a publisher that has dialled this side."""
        return self._noted(SubscribingConnection(link, name, self._limits), Upstream(name))

    def _dialled_publisher(self, upstream: Upstream) -> Make:
        """Returns the factory of connections to a dialled publisher, which all belong to the same upstream."""

        def make(link: socket.socket, _: str) -> SubscribingConnection:
            return self._noted(SubscribingConnection(link, upstream.name, self._limits), upstream)

        return make

    def _noted(self, connection: SubscribingConnection, link: Upstream) -> SubscribingConnection:
        self._links[connection] = link
        self._publishers[link] = connection
        return connection

    def _opened(self, connection: Connection) -> None:
        link = self._links[connection]
        if connection.open and not link.up:
            self._log.info("upstream-connected", endpoint=link.name)
            self.device.connected(link, self._publishers[link].kinds)

    def _ended(self, connection: Connection) -> None:
        self._over_limit.ended(connection)
        dialled = self._remotes.ended(connection)
        link = self._links.pop(connection, None)
        if link is None:
            self._shares.pop(connection, None)
            self.device.gone(connection)
            return
        del self._publishers[link]
        if link.up and not self._stopping.is_set():
            self._log.warning("upstream-lost", endpoint=link.name, reason=connection.broken or "closed")
        if dialled:
            self.device.lost(link)
        else:
            self.device.forget(link)
