"""Context of a session in an attempt: narration, codec, options, and new connections."""

from __future__ import annotations

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.peer import BrokerPeer, ConnectionLostError
from zeps_conformance.broker.reason import Reasons
from zeps_conformance.broker.referee import Ledger, Referee
from zeps_conformance.common.case import Case
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["BrokerContext"]


class BrokerContext(Narration):
    """One attempt at a case of a broker, without its sessions, which :class:`BrokerTrial` adds."""

    def __init__(self, case: Case, codec: Interpreter, options: Options) -> None:
        super().__init__(case, options.seed, options.record, options.pace)
        self.codec = codec
        self.options = options
        self.ledger = Ledger()
        self._reasons = Reasons(codec.model)

    def keep_alive(self) -> None:
        """Sends a heartbeat on idle sessions, so that the broker does not end them."""
        raise NotImplementedError

    def peer(self, name: str, routing_id: bytes = b"") -> BrokerPeer:
        """Returns a new connection with a complete handshake; the broker chooses the routing id if `routing_id` is
        empty. Raises FailureError if the handshake is not complete within the run's timeout.
        """
        options = self.options
        try:
            peer = BrokerPeer.connect(
                options.endpoint, name, self.log, self.codec.render, self.within(options.timeout), routing_id
            )
        except ConnectionLostError as error:
            self.check_time()
            raise FailureError(
                "the broker accepts a connection and completes the handshake", str(error)
            ) from error
        peer.attend, peer.pace = self.keep_alive, options.pace
        return peer

    def dial(self, name: str) -> BrokerPeer:
        """Returns a connection without a handshake. Raises FailureError unless it is accepted within the timeout."""
        options = self.options
        try:
            return BrokerPeer.dial(
                options.endpoint, name, self.log, self.codec.render, self.within(options.timeout)
            )
        except ConnectionLostError as error:
            self.check_time()
            raise FailureError("the broker accepts a connection", str(error)) from error

    def referee(self, own_id: bool = False) -> Referee:
        """Returns a referee for a new connection. `own_id`: the connection chose its own routing id."""
        return Referee(self.ledger, self._reasons, own_id, self.options.streams.regex)
