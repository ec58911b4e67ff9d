"""Interface of a socket case's trial: the peers that the suite plays, and the endpoints at which it listens."""

from __future__ import annotations

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import SocketContext
from zeps_conformance.sockets.listener import Listener
from zeps_conformance.sockets.peer import Peer

__all__ = ["SocketTrial"]


class SocketTrial(SocketContext):
    """One attempt at one case of a socket. It declares the methods that cases of zmtp_any use."""

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """Connects to the implementation, or to `endpoint`. Returns the connection, before the greetings."""
        raise NotImplementedError

    def peer(self, name: str, dialect: Dialect | None = None) -> Peer:
        """Returns a peer of a compatible type that has connected to the implementation and completed the handshake."""
        raise NotImplementedError

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Peer:
        """Returns a peer as of :meth:`peer` that takes over `connection`, whose handshake was completed by hand."""
        raise NotImplementedError

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Checks that `peer` is served; FailureError under `rule` otherwise. `tag` must differ from call to call."""
        raise NotImplementedError

    def newcomer(self, name: str) -> Peer:
        """Returns a new peer after its handshake, whose barrier shows whether the implementation serves."""
        raise NotImplementedError

    def traffic(self, dialect: Dialect) -> bytes:
        """Returns bytes that a peer may send after its handshake: frames of all kinds with random content."""
        raise NotImplementedError

    def listener(self) -> Listener:
        """Returns a new raw endpoint for the implementation to connect to; it is closed at the trial's end."""
        made = Listener(self)
        self._sockets.append(made)
        return made
