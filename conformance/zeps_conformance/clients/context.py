"""Context of a case of a client: features, waits, and the connections that are served meanwhile."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.common.case import Case
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.verdicts import FailureError, LostError
from zeps_conformance.model.definitions import Model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Settings, ZmtpProtocol

__all__ = ["ClientContext"]

POLL = 0.02  # seconds between two looks at the application

_CODECS: dict[str, Interpreter] = {}


def _codec_of(protocol: ZmtpProtocol) -> Interpreter:
    """Returns the codec for the protocol of the rulebook, which must be a model."""
    model = protocol.rulebook
    assert isinstance(model, Model)
    if model.digest not in _CODECS:
        _CODECS[model.digest] = Interpreter(model)
    return _CODECS[model.digest]


class Served(Protocol):
    """A client whose connections and events are served while a case waits. `number`: the descriptor of its listening
    socket, or None.
    """

    connections: list[BrokerConnection]

    @property
    def number(self) -> int | None: ...

    def take_connection(self) -> None: ...

    def poll(self) -> None: ...


class ClientContext(Narration):
    """`features`: what the client can be asked for and what it reports, as its adapter lists them. `patience`: seconds
    within which a client that is alive attaches again.
    """

    def __init__(self, case: Case, adapter: Adapter, protocol: ZmtpProtocol, options: Settings) -> None:
        super().__init__(case, options.seed, options.record)
        self.adapter = adapter
        self.options = options
        self.wire = protocol.wire
        self.codec = _codec_of(protocol)
        self.patience = 5 * options.timeout
        self._features: frozenset[str] | None = None

    @property
    def features(self) -> frozenset[str]:
        if self._features is None:
            self._features = frozenset(map(str, self.adapter.ask("hello").get("features", ())))
        return self._features

    def needs(self, feature: str, what: str) -> None:
        """Ends the case as unsupported if the client lacks `feature`; `what` describes it for the user."""
        if feature not in self.features:
            self.unsupported(f"the client does not offer {what}")

    def served(self) -> Sequence[Served]:
        """The clients of the case."""
        raise NotImplementedError

    # Waiting ------------------------------------------------------------------------------------------------

    def wait(
        self,
        done: Callable[[], bool],
        expected: str,
        rule: str | None = None,
        *,
        timeout: float | None = None,
        connection: BrokerConnection | None = None,
        seen: Callable[[], str] = lambda: "nothing",
    ) -> None:
        """Serves all connections and applications until `done`, and records the check. Raises FailureError under `rule`
        after `timeout` seconds (default: the run's), LostError if `connection` ends before, and the first violation
        that a referee has found.
        """
        patience = self.within(self.options.timeout if timeout is None else timeout)
        deadline = time.monotonic() + patience
        while True:
            self.serve()
            if done():
                self.observe(expected, "it is so")
                return
            if connection is not None and connection.lost is not None:
                raise LostError(expected, connection.lost, rule)
            if time.monotonic() >= deadline:
                raise FailureError(expected, f"{seen()} within {patience:g} s", rule)

    def holds(self, done: Callable[[], bool], timeout: float) -> bool:
        """Serves everything until `done` or for `timeout` seconds; returns whether it was done."""
        deadline = time.monotonic() + self.within(timeout)
        while not done():
            if time.monotonic() >= deadline:
                return False
            self.serve()
        return True

    def serve(self, wait: float = POLL) -> None:
        """Waits at most `wait` seconds for input on any connection, reads and writes once, and polls applications."""
        poll = select.poll()
        by_number: dict[int, BrokerConnection | Served] = {}
        for tested in self.served():
            if tested.number is not None:
                by_number[tested.number] = tested
                poll.register(tested.number, select.POLLIN)
            for connection in tested.connections:
                if connection.lost is None:
                    by_number[connection.number] = connection
                    writing = select.POLLOUT if connection.queued else 0
                    poll.register(connection.number, (0 if connection.paused else select.POLLIN) | writing)
        for number, _ in poll.poll(wait * 1000):
            ready = by_number[number]
            if isinstance(ready, BrokerConnection):
                ready.pump(0.0)
            else:
                ready.take_connection()
        for tested in self.served():
            tested.poll()
