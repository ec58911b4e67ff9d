"""What every case of a socket is given: the peers that the suite plays, and the endpoints that it listens at."""

from __future__ import annotations

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import SocketContext
from zeps_conformance.sockets.listener import Listener
from zeps_conformance.sockets.peer import Peer

__all__ = ["SocketTrial"]


class SocketTrial(SocketContext):
    """One attempt at one case of a socket. What it declares is what cases of any peer that is dialled share."""

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """A connection with the implementation's endpoint on which nothing was said."""
        raise NotImplementedError

    def peer(self, name: str, dialect: Dialect | None = None) -> Peer:
        """A peer of :attr:`peer_type` that has dialled the implementation and completed the handshake."""
        raise NotImplementedError

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Peer:
        """`connection`, whose handshake was completed by hand, as such a peer."""
        raise NotImplementedError

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Show that `peer` is served. FailureError under `rule` if it is not. `tag` differs from call to call."""
        raise NotImplementedError

    def newcomer(self, name: str) -> Peer:
        """A peer that is to show that the implementation serves."""
        raise NotImplementedError

    def traffic(self, dialect: Dialect) -> bytes:
        """What a lively peer sends after its handshake, all kinds of it."""
        raise NotImplementedError

    def listener(self) -> Listener:
        """A raw endpoint for the implementation to connect to."""
        made = Listener(self)
        self._listeners.append(made)
        return made
