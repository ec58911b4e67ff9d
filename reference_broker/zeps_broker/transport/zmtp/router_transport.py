"""The broker's network on plain sockets: whole reads, and one write for each peer and run of messages.

To a ZeroMQ client this is a ROUTER, but without a second thread, a copy or a call per message. A run of frames for many
peers is joined once, and each peer's socket takes that one buffer; the rest waits in the peer's queue as a view of it.
A peer whose queue is full refuses further output; it is writable again once the queue has emptied to a quarter.

* A closed connection is reported to the core after all of its input (:class:`zeps_broker.ports.Gone`).
* Plain SUB and PUB sockets, at the endpoints of a gateway, are clients too: see `gateway`.
* Frames of a peer with a routing id of its own are malformed: it could lose messages by reconnecting as the same peer.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.memory import Budget, Shares
from zeps_broker.ports import Gone, Output, Peer, Received, Undelivered
from zeps_broker.topics.budget import TopicBudget, TopicLimits
from zeps_broker.transport.options import COMMAND_BYTES_MAX, CurveOptions, GatewayOptions, RouterOptions
from zeps_broker.transport.zmtp.connection import Connection, Limits
from zeps_broker.transport.zmtp.frames import join
from zeps_broker.transport.zmtp.gateway import Gateway, GatewayPublisher, GatewaySubscriber, answers
from zeps_broker.transport.zmtp.hub import Hub, Make
from zeps_broker.transport.zmtp.over_limit import OverLimit
from zeps_broker.transport.zmtp.router_connection import RouterConnection

__all__ = ["RouterTransport"]

_GONE = Gone()


class RouterTransport:
    """A :class:`zeps_broker.ports.Transport`. One thread calls all methods but :meth:`wake`. Peers are connections."""

    unseen_bytes = 0
    """See :class:`zeps_broker.ports.Progress`."""

    def __init__(
        self,
        endpoints: Sequence[str],
        options: RouterOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
        gateways: Sequence[GatewayOptions] = (),
        is_attached: Callable[[Peer], bool] = lambda peer: True,
        shares: Shares | None = None,
        topics: TopicLimits | None = None,
        log: logging.Logger | None = None,
    ) -> None:
        """Listens on `endpoints`, with CURVE if configured, and on those of `gateways`, without CURVE: tcp and ipc.
        `is_attached` returns whether a peer has a session. `shares` bounds the memory of all connections; None: no
        bound. `topics` limits the subscriptions of SUB sockets; None: `options.topics_max` and `shares.topics`, or the
        defaults without `shares`. Raises TransportError.
        """
        self._options = options = options or RouterOptions()
        if topics is None and shares is not None:
            topics = TopicLimits(options.topics_max, shares.topics // 2, shares.topics)
        frame = options.frame_bytes_max
        self._limits = Limits(min(COMMAND_BYTES_MAX, frame), frame, options.send_bytes_max, is_attached)
        self._hub = Hub(
            ended=self._ended,
            handshakes_max=options.handshakes_max,
            handshake_seconds_max=options.handshake_seconds_max,
            queue=options.send_bytes_max,
            incoming=None if shares is None else Budget(shares.incoming),
            outgoing=None if shares is None else Budget(shares.outgoing),
            connections_max=options.connections_max,
            unused_seconds_max=options.attach_seconds_max,
            is_used=lambda connection: (
                is_attached(connection) or not isinstance(connection, RouterConnection)
            ),
            log=log,
            clock=clock,
        )
        self._batch: list[Received] = []
        """Input for the next receive: ends of connections between turns, and answers for plain sockets."""
        self._bytes_left = self._messages_left = 0
        budget = TopicBudget(topics)
        self._gateways = [Gateway(gateway_options, budget) for gateway_options in gateways]
        self._over_limit = OverLimit(log or logging.getLogger(__name__))
        self.endpoints: list[str] = []
        """The endpoints, with the real ports."""
        self.gateway_endpoints: list[tuple[str, str, str]] = []
        """("subscribers" or "publishers", the endpoint, the stream's name)."""
        try:
            make = self._maker(options.curve, log)
            for endpoint in endpoints:
                self.endpoints.append(self._hub.listen(endpoint, make))
            for gateway in self._gateways:
                self._open(gateway)
        except BaseException:
            self.close()
            raise

    def _maker(self, options: CurveOptions, log: logging.Logger | None) -> Make:
        """Returns the factory of clients' connections, with CURVE if configured. Raises TransportError."""
        if options.secret_key is None:
            return lambda link, name: RouterConnection(link, name, self._limits)
        from zeps_broker.transport.certificates import load_server_keys
        from zeps_broker.transport.zmtp.curve import CurveRouterConnection  # imported here: needs libsodium

        keys = load_server_keys(options, log)
        return lambda link, name: CurveRouterConnection(link, name, self._limits, keys)

    def _open(self, gateway: Gateway) -> None:
        options = gateway.options
        sides: tuple[tuple[str, Sequence[str], type[GatewaySubscriber | GatewayPublisher]], ...] = (
            ("subscribers", options.subscribers, GatewaySubscriber),
            ("publishers", options.publishers, GatewayPublisher),
        )
        for kind, endpoints, connection in sides:
            make = partial(connection, limits=self._limits, gateway=gateway)
            for endpoint in endpoints:
                self.gateway_endpoints.append((kind, self._hub.listen(endpoint, make), options.stream))

    def receive(self, timeout: float, holds: Callable[[Peer], bool] | None = None) -> list[Received]:
        """Ends reading at `turn_messages_max` or `turn_bytes_max`, which the last read may exceed. Returns early,
        perhaps without input, after :meth:`wake` and when a peer is writable again.
        """
        self._bytes_left = self._options.turn_bytes_max
        self._messages_left = self._options.turn_messages_max - len(self._batch)
        self._hub.turn(0.0 if self._batch else timeout, self._take, holds)
        batch, self._batch = self._batch, []
        return batch

    def _ended(self, connection: Connection) -> None:
        self._over_limit.ended(connection)
        self._batch.append((connection, _GONE))

    def _take(self, connection: Connection, items: list[Any], byte_count: int) -> bool:
        self._batch += zip(repeat(connection), items)
        self._bytes_left -= byte_count
        self._messages_left -= len(items)
        if FrameBatch in map(type, items):
            self._messages_left -= sum(len(item) - 1 for item in items if isinstance(item, FrameBatch))
        return self._bytes_left > 0 and self._messages_left > 0

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        """See :class:`zeps_broker.ports.Transport`. A peer takes all frames of an output, or no frame."""
        undelivered: list[Undelivered] = []
        for output in outputs:
            encoded: bytes | memoryview = b""
            sharers = len(output.peers)
            for peer in output.peers:
                connection = peer
                assert isinstance(connection, Connection)
                if connection.closed:
                    undelivered.append(Undelivered(peer, output, 0, gone=True))
                elif isinstance(connection, RouterConnection):
                    encoded = encoded or (join(output.frames) if output.frames else b"")
                    if connection.refused or not self._hub.write(connection, encoded, sharers):
                        undelivered.append(Undelivered(peer, output, 0, connection.closed))
                elif not self._send_plain(connection, output):
                    undelivered.append(Undelivered(peer, output, 0, connection.closed))
        return undelivered

    def _send_plain(self, connection: Connection, output: Output) -> bool:
        """Sends to one plain socket: deliveries are sent, and all other frames are answered here, for the next receive.
        Returns False if the queue is full or the connection is closed; an INVALID closes it, unless it reports a gap.
        """
        assert isinstance(connection, GatewaySubscriber | GatewayPublisher)
        if output.sequences is not None:
            if connection.refused:
                return False
            encoded = connection.encode_for_sub(output)
            return not encoded or self._hub.write(connection, encoded)
        said = answers(output.frames)
        if said is None:
            self._hub.end(connection, "INVALID: the broker refused or ended the session of this plain socket")
            return False
        self._batch += [(connection, frame) for frame in said]
        return True

    def hang_up(self, peer: Peer) -> None:
        assert isinstance(peer, Connection)
        self._hub.end(peer, "its session expired or its queue overflowed, or too many malformed messages")

    def source_of(self, peer: Peer) -> Hashable:
        assert isinstance(peer, Connection)
        return peer.source

    def writable(self) -> list[Peer]:
        if not self._hub.writable:
            return []
        named: list[Peer] = list(self._hub.writable)
        self._hub.writable.clear()
        return named

    def advanced(self, peer: Peer) -> int:
        assert isinstance(peer, Connection)
        return peer.advanced()

    @property
    def figures(self) -> dict[str, int]:
        """Returns the number of connections, counters since the start, and the bytes that connections hold now."""
        return {"connections": len(self._hub.connections), **self._hub.counts, **self._hub.memory}

    @property
    def gateway_refused(self) -> int:
        """Number of messages of plain PUB sockets that were dropped, since their gateways cannot convert them."""
        return sum(gateway.refused for gateway in self._gateways)

    @property
    def gateway_over_limit(self) -> int:
        """Number of plain sockets' connections that were closed because their peers exceeded a limit."""
        return self._over_limit.closed

    @property
    def wake_fd(self) -> int:
        """See :attr:`Hub.wake_fd`."""
        return self._hub.wake_fd

    def wake(self) -> None:
        """Ends a waiting receive; may be called from any thread and from a signal handler."""
        self._hub.wake()

    def close(self, flush: float = 0.0) -> None:
        """Stops listening, waits up to `flush` seconds until waiting output is sent, and closes all connections."""
        self._hub.close(flush)
