"""``zeps forward`` on real sockets: an XSUB for every upstream, an XPUB for all that is downstream.

One thread, one loop. What one read of an upstream brought is matched message by message; runs of messages for the same
subscribers are joined once and written to each of them. A subscriber whose queue is full loses what comes meanwhile,
without a word and without harm to others (ZMTP-P-10); an upstream whose queue is full is owed its subscriptions, and
gets the difference later. An upstream that is lost is dialled again, after a pause that grows and is never the same
(ZMTP-N-15), and asked for everything again in its own dialect (ZMTP-U-10).
"""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from zeps_broker.forwarder.core import Device, Up
from zeps_broker.forwarder.links import Link
from zeps_broker.forwarder.policies import Policy
from zeps_broker.forwarder.subscriptions import Peer
from zeps_broker.io.logs import Log
from zeps_broker.io.signals import handled, waking
from zeps_broker.io.zmtp.connection import Connection, Limits
from zeps_broker.io.zmtp.hub import Hub
from zeps_broker.io.zmtp.pubsub import PublishingConnection, SubscribingConnection, Whole, Wish

__all__ = ["Forwarder", "ForwarderOptions"]

_IDLE = 1.0
_PAUSE_FIRST = 0.05
_PAUSE_LAST = 5.0


@dataclass(frozen=True, slots=True)
class ForwarderOptions:
    """Bounds. Octets unless they say otherwise."""

    message_max: int = 64 << 20
    """A connection that brings a longer message is closed."""
    queue: int = 4 << 20
    """What waits for one peer, at most."""
    counted: bool = True
    """Two subscriptions of a peer to one topic need two cancels (ZMTP-S-11); False: one is enough, as with libzmq."""
    stats_interval: float = 60.0
    """Seconds between lines of figures in the log; 0 for none."""


class _Upstream:
    """One publisher that is to be connected, and is dialled again and again."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.link = Link(endpoint)
        self.connection: SubscribingConnection | None = None
        self.due = 0.0
        self.dialled = False
        self._pause = _PAUSE_FIRST

    def wait(self, now: float) -> None:
        """Dial again later, and later each time."""
        self.dialled = False
        self.due = now + self._pause * random.uniform(0.5, 1.5)
        self._pause = min(self._pause * 2, _PAUSE_LAST)

    def opened(self) -> None:
        self._pause = _PAUSE_FIRST


class Forwarder:
    """A device that runs until it is told to stop. The constructor listens; raises TransportError."""

    def __init__(
        self,
        upstreams: Sequence[str],
        downstreams: Sequence[str],
        policy: Policy | None = None,
        options: ForwarderOptions | None = None,
        log: Log | None = None,
    ) -> None:
        self._options = options = options or ForwarderOptions()
        self._log = log or Log("warning")
        self._limits = Limits(options.message_max, options.message_max, options.queue)
        self.device = Device(policy, counted=options.counted)
        self._hub = Hub(ended=self._ended, queue=options.queue)
        self._upstreams = [_Upstream(endpoint) for endpoint in upstreams]
        self._by_connection: dict[Connection, _Upstream] = {}
        self._stopping = threading.Event()
        self._dropped = 0
        self._logged = time.monotonic()
        self.endpoints: list[str] = []
        """Where subscribers connect, with the real ports."""
        try:
            for endpoint in downstreams:
                self.endpoints.append(self._hub.listen(endpoint, self._subscriber))
        except BaseException:
            self._hub.close()
            raise

    def stop(self) -> None:
        """Ask for the end; from any thread, and from a signal handler."""
        self._stopping.set()
        self._hub.wake()

    def run(self, ready: Callable[[list[str]], None] | None = None, *, signals: bool = False) -> int:
        """Serve until :meth:`stop`; `ready` is told the endpoints first. Returns the process's exit code, 0.

        With `signals` (in the main thread) SIGTERM and SIGINT stop it. TransportError if an upstream's endpoint is
        none.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self._hub.close, 1.0)
            if signals:
                stack.enter_context(handled(self.stop))
                stack.enter_context(waking(self._hub.wake_fd))
            self._dial(time.monotonic())
            upstreams = [each.endpoint for each in self._upstreams]
            self._log.info("ready", endpoints=self.endpoints, upstreams=upstreams)
            if ready is not None:
                ready(self.endpoints)
            while not self._stopping.is_set():
                self._turn()
        self._log.info("stopped", **self.stats())
        return 0

    def stats(self) -> dict[str, int]:
        """Counts since the start."""
        return {**self.device.stats(), "dropped": self._dropped, "connections": len(self._hub.connections)}

    # The loop

    def _turn(self) -> None:
        now = time.monotonic()
        due = min((each.due for each in self._upstreams if not each.dialled), default=now + _IDLE)
        self._hub.turn(max(0.0, min(due - now, _IDLE)), self._take)
        for connection in [*self._hub.writable]:
            upstream = self._by_connection.get(connection)
            if upstream is not None:
                self.device.writable(upstream.link)
        self._hub.writable.clear()
        self._ask()
        self._dial(time.monotonic())
        self._tell(time.monotonic())

    def _take(self, connection: Connection, found: list[Any], octets: int) -> bool:
        if isinstance(connection, PublishingConnection):
            self._wishes(connection, found)
        else:
            self._opened(connection)
            self._messages(found)
        self._ask()
        return True

    def _wishes(self, peer: PublishingConnection, wishes: Sequence[Wish]) -> None:
        for more, topic in wishes:
            if more:
                self.device.subscribe(peer, topic)
            else:
                self.device.cancel(peer, topic)

    def _messages(self, messages: Sequence[Whole]) -> None:
        """Runs of messages for the same subscribers, each joined once."""
        match = self.device.match
        run: list[bytes] = []
        peers: Sequence[Peer] = ()
        for first, octets in messages:
            wanting = match(first)
            if wanting is not peers and wanting != peers:
                self._send(peers, run)
                run = []
            peers = wanting
            run.append(octets)
        self._send(peers, run)

    def _send(self, peers: Sequence[Peer], run: list[bytes]) -> None:
        if not run or not peers:
            return
        octets = b"".join(run)
        for peer in peers:
            assert isinstance(peer, PublishingConnection)
            if peer.closed or not self._hub.write(peer, octets):
                self._dropped += len(run)

    def _ask(self) -> None:
        """Send upstream what the device wants asked."""
        ups, self.device.ups = self.device.ups, []
        for up in ups:
            upstream = next(each for each in self._upstreams if each.link is up.link)
            self._ask_one(upstream, up)

    def _ask_one(self, upstream: _Upstream, up: Up) -> None:
        connection = upstream.connection
        if connection is None or connection.closed:
            return
        try:
            taken = connection.ask(up.steps)
        except OSError:
            self._hub.end(connection)
            return
        self._hub.flush(connection)
        if taken < len(up.steps):
            self.device.refused(up, taken)

    # Coming and going

    def _subscriber(self, link: socket.socket, name: str) -> PublishingConnection:
        return PublishingConnection(link, name, self._limits)

    def _dial(self, now: float) -> None:
        for upstream in self._upstreams:
            if not upstream.dialled and upstream.due <= now:
                upstream.dialled = True
                self._dial_one(upstream)

    def _dial_one(self, upstream: _Upstream) -> None:
        def make(link: socket.socket, name: str) -> SubscribingConnection:
            connection = SubscribingConnection(link, upstream.endpoint, self._limits)
            upstream.connection = connection
            self._by_connection[connection] = upstream
            return connection

        self._hub.dial(upstream.endpoint, make, lambda: upstream.wait(time.monotonic()))

    def _opened(self, connection: Connection) -> None:
        upstream = self._by_connection[connection]
        if connection.open and not upstream.link.up:
            upstream.opened()
            self._log.info("upstream-connected", endpoint=upstream.endpoint)
            self.device.connected(upstream.link)

    def _ended(self, connection: Connection) -> None:
        upstream = self._by_connection.pop(connection, None)
        if upstream is None:
            self.device.gone(connection)
            return
        if upstream.link.up and not self._stopping.is_set():
            self._log.warning(
                "upstream-lost", endpoint=upstream.endpoint, reason=connection.broken or "closed"
            )
        self.device.lost(upstream.link)
        upstream.connection = None
        upstream.wait(time.monotonic())

    def _tell(self, now: float) -> None:
        interval = self._options.stats_interval
        if interval and now - self._logged >= interval:
            self._logged = now
            self._log.info("stats", **self.stats())
