"""Words of the machine of a connection to a socket: the suite is its peer, a subscriber or a publisher, over raw ZMTP.

Before the handshake is complete, silence is waited for. Afterwards a barrier follows each input: the subscriber, which
is the suite or the application, subscribes to a marker, and receives what the other side sends to it.
"""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Final

from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.learning.mealy import SILENT, Output
from zeps_conformance.learning.socket_inputs import (
    CANCEL,
    CANCELLING,
    GREETINGS,
    PUBLISH,
    PUBLISHERS,
    SKIPPED,
    SUBSCRIBE,
    SUBSCRIBING,
    TOPIC,
    sent_to,
    subscriptions_max,
)
from zeps_conformance.sockets.adapter import Adapter, Implementation
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import Settings, SocketContext, ZmtpProtocol
from zeps_conformance.sockets.markers import is_marker
from zeps_conformance.sockets.pubsub.publisher import Publisher
from zeps_conformance.sockets.pubsub.subscriber import Subscriber
from zeps_conformance.sockets.pubsub.trial import PubSubTrial
from zeps_conformance.wire.zmtp_codec import Frame

__all__ = ["CLOSED", "QUIET", "WAITS", "SocketWord", "SocketWords"]

CLOSED: Final = "closed"
"""The implementation has ended the connection; every later output is SILENT."""
WAITS: Final = "waits"
"""It keeps the connection after a first input that is not a greeting, or after a READY that does not decode; what
follows is not explored: every later output is SILENT.
"""
QUIET: Final = 0.1  # seconds of silence that end the output of an input before the handshake is complete


class SocketWords:
    """Runs words against a socket type of an implementation, each on a new socket. A context manager: it starts an
    adapter, again after each that has failed, and stops it. `quiet`: seconds of silence that end an output
    before the handshake is complete.
    """

    final: Final = frozenset({SILENT[0], CLOSED, WAITS})

    def __init__(
        self,
        implementation: Implementation,
        socket_type: str,
        protocol: ZmtpProtocol,
        settings: Settings,
        quiet: float = QUIET,
    ) -> None:
        self.implementation = implementation
        self.type = socket_type
        self.protocol = protocol
        self.settings = settings
        self.quiet = quiet
        self._adapter: Adapter | None = None

    def __enter__(self) -> SocketWords:
        self.adapter()
        return self

    def __exit__(self, *_: object) -> None:
        if self._adapter is not None:
            self._adapter.stop()

    def adapter(self) -> Adapter:
        """Returns an adapter that can run another word. Raises AdapterError if it cannot be started."""
        if self._adapter is None or not self._adapter.fit:
            if self._adapter is not None:
                self._adapter.stop()
                self._adapter = None
            self._adapter = Adapter(self.implementation)
        return self._adapter

    def begin(self, log: WireLog | None = None) -> SocketWord:
        """Returns a new word. Raises FailureError if the library refuses to open a socket or to accept a connection."""
        return SocketWord(self, log)


class _Subscriber(Subscriber):
    """A subscriber that records the symbols of what arrives, except PING and markers."""

    def __init__(self, trial: SocketContext, link: socket.socket, name: str, opposite: None = None) -> None:
        super().__init__(trial, link, name, opposite)
        self.symbols: list[str] = []

    def heard(self, frame: Frame) -> None:
        if frame.command and frame.name != "PING":
            self.symbols.append(frame.name)
        super().heard(frame)

    def heard_message(self, frames: list[Frame]) -> None:
        if not is_marker((frames[0].body,)):
            self.symbols.append("message")
        super().heard_message(frames)


class _Publisher(Publisher):
    """A publisher that records the symbols of what arrives, except PING and markers."""

    def __init__(self, trial: SocketContext, link: socket.socket, name: str, opposite: None = None) -> None:
        super().__init__(trial, link, name, opposite)
        self.symbols: list[str] = []

    def heard(self, frame: Frame) -> None:
        asked = self.trial.wire.subscription(frame)
        if asked is None:
            if frame.name != "PING":
                self.symbols.append(frame.name if frame.command else "message")
        elif not is_marker((asked[1],)):
            self.symbols.append(frame.name if frame.command else _MESSAGES[asked[0]])
        super().heard(frame)


_MESSAGES = {"subscribe": "subscription", "cancel": "cancellation"}


class SocketWord:
    """One word, input by input."""

    def __init__(self, words: SocketWords, log: WireLog | None) -> None:
        case = Case(
            "zmtp-pub.learn.word",
            "A word",
            ("ZMTP-S-8",),
            Polarity.POSITIVE,
            Needs.NOTHING,
            _no_case,
            limit=300.0,
        )
        self._quiet = words.quiet
        self._trial = PubSubTrial(case, words.type, words.adapter(), words.protocol, words.settings)
        if log is not None:
            self._trial.log = log
        self._type = words.type
        self._sent = sent_to(words.type)
        self._over = False
        self._greeting: str | None = None
        self._sent_ready = self._sent_malformed = False
        self._received_ready = False
        self._subscriptions = 0
        self._peer: _Subscriber | _Publisher | None = None
        try:
            self._connection: Connection = self._trial.dial("A")
        except BaseException:
            self._trial.close()
            raise

    def step(self, symbol: str) -> Output:
        """Sends an input, or lets the application act. Returns what arrives up to a barrier, or in the time of silence
        before the handshake is complete; and what the application receives, if its type receives anything.
        """
        if self._over:
            return SILENT
        if symbol in SUBSCRIBING and self._subscriptions == subscriptions_max(self._type):
            return SKIPPED
        if symbol == CANCEL and not self._subscriptions:
            return SKIPPED
        if symbol == PUBLISH and self._greeting is None:
            return SKIPPED  # it would have no effect
        try:
            self._send(symbol)
            output = self._early() if self._peer is None else self._late(self._peer)
        except FailureError:
            output = self._end()
        return tuple(output)

    def close(self) -> None:
        """Closes the connection and the implementation's socket."""
        self._trial.close()

    def _send(self, symbol: str) -> None:
        if symbol == PUBLISH:
            self._trial.app.send(TOPIC)
            return
        if symbol == SUBSCRIBE:
            self._subscriptions += 1
            self._trial.app.subscribe(TOPIC)
            return
        if symbol == CANCEL:
            self._subscriptions -= 1
            self._trial.app.unsubscribe(TOPIC)
            return
        connection, data = self._peer or self._connection, self._sent[symbol](self._trial.wire)
        if self._greeting is None:  # the size of a greeting, so that an implementation does not wait for more
            self._greeting, data = symbol, data.ljust(self._trial.wire.greeting_size, b"\0")
        connection.send_raw(data, symbol, may_fail=True)
        if self._peer is not None:
            self._subscriptions += (symbol in SUBSCRIBING) - (
                symbol in CANCELLING and self._subscriptions > 0
            )
        elif self._greeting in GREETINGS:
            self._sent_ready = self._sent_ready or symbol == "READY"
            self._sent_malformed = symbol == "READY malformed"

    def _early(self) -> list[str]:
        """Returns what arrives in the time of silence, before the handshake is complete, and then up to a barrier if it
        is complete now. After a greeting, READY may take a third of the run's timeout. A connection WAITS if it stays
        open after a first input that is not a greeting, or after a READY that does not decode.
        """
        if self._greeting is None:  # whether a greeting comes before the suite's is left open
            return self._application()
        connection, output = self._connection, list[str]()
        answered = self._greeting in GREETINGS and not self._received_ready
        deadline = time.monotonic() + (self._trial.options.leaving if answered else self._quiet)
        while not (self._complete or "READY" in output or connection.lost is not None):
            left = deadline - time.monotonic()
            connection.pump_if_open(max(left, 0.0))
            output += self._arrivals()
            if left <= 0:
                break
        if self._complete and connection.lost is None:
            assert self._greeting is not None
            dialect = min(GREETINGS[self._greeting], connection.dialect, key=lambda known: known.value)
            kind = _Subscriber if self._type in PUBLISHERS else _Publisher
            self._peer = kind.of(connection, dialect)
            return output + self._late(self._peer)
        if connection.lost is not None:
            self._over = True
            return [*output, CLOSED]
        output += self._application()
        if self._greeting not in GREETINGS or self._sent_malformed:
            self._over = True
            return [*output, WAITS]
        return output

    @property
    def _complete(self) -> bool:
        """Whether both sides have sent a greeting and READY."""
        return self._greeting in GREETINGS and self._sent_ready and self._received_ready

    def _arrivals(self) -> list[str]:
        """Returns the symbols of what has arrived, without waiting."""
        connection, output = self._connection, list[str]()
        if connection.greeting is None:
            try:
                connection.read_greeting(0.0)
            except FailureError:
                return []
            output.append("greeting {}.{}".format(*connection.announced))
        with contextlib.suppress(FailureError):
            while (frame := connection.read_frame(0.0)) is not None:
                output.append(frame.name if frame.command else "message")
                self._received_ready = self._received_ready or frame.name == "READY"
        return output

    def _late(self, peer: _Subscriber | _Publisher) -> list[str]:
        """Returns what arrives up to a barrier, also at the application. Raises FailureError if the barrier fails."""
        peer.barrier()
        output, peer.symbols = peer.symbols, []
        return output + self._application()

    def _application(self) -> list[str]:
        """Returns the symbols of what the application has received."""
        if self._type == "PUB":
            return []
        kinds = {b"\x01": "subscription", b"\x00": "cancellation"}
        received = self._trial.app.collect()
        return [f"application: {kinds.get(parts[0][:1], 'message')}" for parts in received]

    def _end(self) -> list[str]:
        """Returns the symbols of an input whose barrier failed; no later input is sent."""
        connection = self._peer or self._connection
        self._over = True
        symbols = self._peer.symbols if self._peer is not None else []
        if not self._trial.implementation.alive:
            return [*symbols, "crash", *SILENT]
        return [*symbols, CLOSED] if connection.lost is not None else [*symbols, *SILENT]


def _no_case(trial: object) -> None:
    """The function of the case that a word needs for its context."""
