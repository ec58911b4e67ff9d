"""One attempt at a case: its connections, its streams, its narration and its clock."""

from __future__ import annotations

import time

from zeps_conformance.broker.context import BrokerContext
from zeps_conformance.broker.options import Control, Options
from zeps_conformance.broker.series import Series
from zeps_conformance.broker.session import ALL, PLENTY, Item, Session
from zeps_conformance.common.case import Case
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["BrokerTrial"]


class BrokerTrial(BrokerContext):
    """The argument of a case's function. `stream` is the name of the case's own stream, `sessions` all of its sessions.
    Methods raise FailureError if the broker violates a rule.
    """

    def __init__(self, case: Case, codec: Interpreter, options: Options) -> None:
        super().__init__(case, codec, options)
        self.sessions: list[Session] = []
        self._streams = 0
        self._keeping = False
        self._looked = 0.0  # when keep_alive last looked at the sessions
        self.stream = self.new_stream()

    # Connections --------------------------------------------------------------------------------------------

    def keep_alive(self) -> None:
        """Sends a heartbeat on sessions idle for one second, or for a quarter of `client_timeout` if that is less."""
        now, known = time.monotonic(), self.options.client_timeout
        interval = 1.0 if known is None else min(1.0, known / 4)
        if self._keeping or now - self._looked < interval / 8:
            return
        self._looked, self._keeping = now, True
        try:
            for session in self.sessions:
                session.keep_alive(interval)
        finally:
            self._keeping = False

    def new_stream(self, label: str = "s") -> str:
        """Returns the name of a stream that no other case, attempt or run uses."""
        self._streams += 1
        return f"conform/{self.options.nonce}/{self.case.id}/{label}{self._streams}"

    def regex_stream(self) -> str:
        """The name of a new stream with regular expressions. Raises UnsupportedError if the run lacks such streams."""
        return self._configured(self.options.streams.regex, "regex", "of regular expressions")

    def brief_stream(self) -> str:
        """The name of a new stream with small retention. Raises UnsupportedError if the run lacks such streams."""
        return self._configured(self.options.streams.brief, "brief", "with small retention")

    def closed_stream(self) -> str:
        """The name of a new stream that the broker refuses. Raises UnsupportedError if the run lacks such streams."""
        return self._configured(self.options.streams.closed, "closed", "that the broker refuses to open")

    def _configured(self, prefix: str | None, label: str, what: str) -> str:
        if prefix is None:
            self.unsupported(f"needs streams {what}: name them in the description, see [streams]")
        return prefix + self.new_stream(label)

    def connect(self, name: str, stream: str | None = None, routing_id: bytes = b"") -> Session:
        """Returns a new connection without a session; :meth:`Session.attach` uses `stream`, by default the case's. A
        non-empty `routing_id` is requested. Raises FailureError if the ZMTP handshake fails.
        """
        self.keep_alive()
        peer = self.peer(name, routing_id)
        session = Session(self, name, peer, self.stream if stream is None else stream, routing_id)
        self.sessions.append(session)
        return session

    def session(self, name: str, stream: str | None = None) -> Session:
        """Returns a new connection attached to `stream`, by default the case's own stream."""
        session = self.connect(name, stream)
        session.attach()
        return session

    def reader(
        self,
        name: str,
        pattern: str = "",
        latest: int = ALL,
        stream: str | None = None,
        *,
        credit: int = PLENTY,
    ) -> Session:
        """Returns a session with one subscription (`latest` as in :meth:`Session.subscribe`) and `credit` bytes."""
        session = self.session(name, stream)
        session.subscribe(pattern, latest)
        session.grant(credit)
        return session

    # Helpers ------------------------------------------------------------------------------------------------

    def cost(self, key: str, body: bytes, sequence: int = 1) -> int:
        """Bytes of the DELIVER frame for `key` and `body`: its cost in credit (ZEPS-CREDIT-2)."""
        return self.codec.size("DELIVER", sequence=sequence, key=key, body=body)

    def messages(
        self, count: int, keys: tuple[str, ...] = ("key",), size: int = 20
    ) -> list[tuple[str, bytes]]:
        """Returns `count` distinct messages, key and body, with `keys` in turn and bodies of about `size` bytes."""
        return [(keys[index % len(keys)], b"%d:" % index + self.random_bytes(size)) for index in range(count)]

    @staticmethod
    def items(messages: list[tuple[str, bytes]], first: int = 1) -> list[Item]:
        """Returns `messages` as delivered items; the first has sequence `first`."""
        return [Item(sequence, key, body) for sequence, (key, body) in enumerate(messages, first)]

    def fill(self, messages: list[tuple[str, bytes]], stream: str | None = None) -> list[Item]:
        """Publishes to an empty stream, by default the case's, in a separate session. Returns items from sequence 1."""
        publisher = self.session("publisher", stream)
        publisher.store(messages)
        publisher.detach()
        publisher.leave()
        return self.items(messages)

    def series(self, key: str = "series", tail: bytes = b"") -> Series:
        """Returns a series of numbered messages with `key` and bodies that end with `tail`."""
        return Series(self.codec, key, tail)

    def volume(self, count: int, least: int = 1) -> int:
        """Returns the share of `count` that the run asks for, but at least `least`; usually all."""
        return max(int(count * self.options.volume), least)

    def serve(self, session: Session, what: str) -> None:
        """Checks that `session` is served: in a new stream, it receives a message that it publishes."""
        body = self.random_bytes(24)
        session.attach(self.new_stream("live"))
        session.subscribe()
        session.grant(self.cost("alive", body))
        session.publish("alive", body)
        session.expect_items([Item(1, "alive", body)], "ZEPS-PUBLISH-2")
        session.barrier()
        self.observe(what, "attached, subscribed, published, received")

    def control(self) -> Control:
        """The broker as a process that can be stopped. Raises UnsupportedError if the suite did not start it."""
        if self.options.control is None:
            self.unsupported("needs a broker that the suite starts: use --start")
        return self.options.control

    def close(self) -> None:
        """Closes the connection of every session, without DETACH."""
        for session in self.sessions:
            session.peer.close()
