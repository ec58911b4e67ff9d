"""One attempt at one case of a ROUTER behind an endpoint: the peers that the suite plays towards it."""

from __future__ import annotations

import socket

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.common.processes import resident
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import Opposite
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.router.context import RouterContext
from zeps_conformance.sockets.router.dealer import Dealer
from zeps_conformance.sockets.trial import SocketTrial
from zeps_conformance.wire.zmtp_codec import Properties

__all__ = ["RouterTrial"]


class RouterTrial(RouterContext, SocketTrial):
    """The argument of a case's function that judges a ROUTER."""

    def begin(self) -> None:
        self.on_open()

    @property
    def opposite(self) -> Opposite:
        raise NotImplementedError("the other side of a ROUTER is not accessible")

    def memory(self) -> int | None:
        return None if self.router.pid is None else resident(self.router.pid)

    # Peers --------------------------------------------------------------------------------------------------

    @property
    def peer_type(self) -> str:
        return "DEALER"

    @property
    def misfit(self) -> str:
        return "SUB"

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """Connects to the ROUTER, or to `endpoint`. Returns the connection, before the greetings."""
        where = endpoint or self.router.endpoint.text
        return self.keep(Connection(self, self.dial_to(where, name), name))

    def dealer(
        self,
        name: str,
        dialect: Dialect | None = None,
        socket_type: str = "DEALER",
        properties: Properties = (),
    ) -> Dealer:
        """Returns a peer that connects to the implementation and completes the handshake."""
        peer = self.keep(Dealer(self, self.dial_to(self.router.endpoint.text, name), name))
        peer.introduce(dialect, socket_type, properties)
        return peer

    def peer(self, name: str, dialect: Dialect | None = None) -> Dealer:
        return self.dealer(name, dialect)

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Dealer:
        return Dealer.of(connection, dialect)

    def newcomer(self, name: str) -> Dealer:
        return self.dealer(name)

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Sends a request of `peer` with `tag` and random bytes in its body, and checks that the answer arrives."""
        assert isinstance(peer, Dealer)
        peer.exchange(tag + self.random_bytes(20), rule)

    def hold(self, link: socket.socket) -> None:
        """Keeps a bare socket open until the trial's end, which closes it."""
        self._sockets.append(link)

    def traffic(self, dialect: Dialect) -> bytes:
        wire = self.wire
        messages = b"".join(wire.message(*parts) for parts in self.service.mixture(self.random_bytes(30)))
        ping = wire.command("PING", ttl=0, context=self.random_bytes(4))
        return (
            messages + ping + wire.frame(self.random_bytes(300), long=True) + wire.message(b"hello", b"world")
        )
