"""Clients that receive one hostile input after another."""

from __future__ import annotations

from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial

__all__ = ["Target"]


class Target:
    """A client in a session. If it gives up after hostile input, a new client takes its place. `lenient`: as of
    :class:`TestedClient`.
    """

    client: TestedClient
    connection: BrokerConnection

    def __init__(self, trial: ClientTrial, lenient: bool = False) -> None:
        self._trial = trial
        self._lenient = lenient
        self._begin()

    def serve(self, count: int = 1) -> None:
        """Delivers messages, and checks that they arrive."""
        self.client.deliver(self.connection, count)
        self.client.confirm(self.connection)

    def attack(self, label: str, *parts: bytes) -> None:
        """Serves the client, sends a message of `parts`, and checks that the client survives it."""
        self.serve()
        self.connection.send_frames(*parts)
        self.survive(label)

    def survive(self, label: str) -> None:
        """Checks that the client survives the input that was sent, as :meth:`TestedClient.survive`."""
        again = self.client.survive(self.connection, label)
        if again is None:
            self.client.close()
            self._begin()
        else:
            self.connection = again

    def _begin(self) -> None:
        self.client = self._trial.client()
        self.client.lenient = self._lenient
        self.connection = self.client.session()
