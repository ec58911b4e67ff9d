"""The broker's network on plain sockets: whole reads, and one write for each peer and run of messages.

To a ZeroMQ client this is a ROUTER. What it does not have of libzmq's is a second thread, a copy and a call for every
message: a read brings as many frames as the kernel has, and they go to the core together; a run of frames that many
peers want is joined once, and each peer's socket takes that one buffer. What a socket does not take waits in the
peer's queue, a view of the same buffer, and a peer whose queue is full refuses what comes next, which the core is told
at once; it is told that there is room again when the queue has run down to a quarter.

* Clients whose connection dies are noticed when they are next sent something, as with libzmq; until then their sessions
  are kept.
* A peer with a routing id of its own is refused, since it could reconnect as the same peer having lost messages.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

from zeps_broker.io.options import COMMAND_OCTETS_MAX, RouterOptions
from zeps_broker.io.zmtp.connection import Connection, Limits
from zeps_broker.io.zmtp.frames import join
from zeps_broker.io.zmtp.hub import Hub
from zeps_broker.io.zmtp.routing import RouterConnection
from zeps_broker.ports import Output, Peer, Received, Undelivered

__all__ = ["ZmtpRouter"]


class ZmtpRouter:
    """A :class:`zeps_broker.ports.Transport`. All but :meth:`wake` belong to one thread. Peers are connections."""

    def __init__(
        self,
        endpoints: Sequence[str],
        options: RouterOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Listen on `endpoints`, tcp and ipc. Raises TransportError."""
        self._options = options = options or RouterOptions()
        frame = options.frame_octets_max
        self._limits = Limits(min(COMMAND_OCTETS_MAX, frame), frame, options.send_octets)
        self._hub = Hub(
            handshakes=options.handshakes,
            handshake_timeout=options.handshake_timeout,
            queue=options.send_octets,
            clock=clock,
        )
        self._batch: list[Received] = []
        self._room = 0
        self.endpoints: list[str] = []
        """What is listened on, with the real ports."""
        try:
            for endpoint in endpoints:
                self.endpoints.append(self._hub.listen(endpoint, self._make))
        except BaseException:
            self.close()
            raise

    def _make(self, link: socket.socket, name: str) -> RouterConnection:
        return RouterConnection(link, name, self._limits)

    def receive(self, timeout: float) -> list[Received]:
        """See :class:`zeps_broker.ports.Transport`. Returns early for :meth:`wake`, and when a peer has room again."""
        self._batch = []
        self._room = self._options.batch_octets
        self._hub.turn(timeout, self._take)
        return self._batch

    def _take(self, connection: Connection, found: list[Any], octets: int) -> bool:
        self._batch += zip(repeat(connection), found)
        self._room -= octets
        return self._room > 0 and len(self._batch) < self._options.batch_messages

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        """See :class:`zeps_broker.ports.Transport`. A peer takes all frames of an output, or none."""
        undelivered: list[Undelivered] = []
        for output in outputs:
            octets = join(output.frames) if output.frames else b""
            for peer in output.peers:
                connection = peer
                assert isinstance(connection, RouterConnection)
                if connection.closed:
                    undelivered.append(Undelivered(peer, output, 0, gone=True))
                elif connection.refused or not self._hub.write(connection, octets):
                    undelivered.append(Undelivered(peer, output, 0, connection.closed))
        return undelivered

    def writable(self) -> list[Peer]:
        """See :class:`zeps_broker.ports.Transport`."""
        if not self._hub.writable:
            return []
        named: list[Peer] = list(self._hub.writable)
        self._hub.writable.clear()
        return named

    @property
    def wake_fd(self) -> int:
        """See :attr:`Hub.wake_fd`."""
        return self._hub.wake_fd

    def wake(self) -> None:
        """Make a receive that waits return; from any thread, and in a signal handler."""
        self._hub.wake()

    def close(self, flush: float = 0.0) -> None:
        """Stop listening; what waits for peers has `flush` seconds to leave."""
        self._hub.close(flush)
