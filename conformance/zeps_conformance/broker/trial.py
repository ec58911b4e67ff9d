"""One attempt at one case: its connections, its streams, its narration and its clock."""

from __future__ import annotations

from zeps_conformance.broker.context import BrokerContext
from zeps_conformance.broker.options import Control, Options
from zeps_conformance.broker.session import ALL, PLENTY, Item, Session
from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import UnsupportedError
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["BrokerTrial"]

TIME_LIMIT = 30.0  # seconds that a case may take besides what it waits for on purpose


class BrokerTrial(BrokerContext):
    """What a case function is given."""

    def __init__(self, case: Case, codec: Interpreter, options: Options, limit: float = TIME_LIMIT) -> None:
        super().__init__(case, codec, options, limit)
        self.sessions: list[Session] = []
        self._streams = 0
        self.stream = self.new_stream()

    # Connections --------------------------------------------------------------------------------------------

    def keep_alive(self) -> None:
        """Keep the sessions that have nothing to say from being forgotten, as any client would."""
        known = self.options.client_timeout
        for session in self.sessions:
            session.keep_alive(1.0 if known is None else min(1.0, known / 4))

    def new_stream(self, label: str = "s") -> str:
        """The name of a stream that nothing else uses."""
        self._streams += 1
        return f"conform/{self.options.nonce}/{self.case.id}/{label}{self._streams}"

    def regex_stream(self) -> str:
        """The name of a stream whose patterns are regular expressions.

        UnsupportedError if the run was not told of any.
        """
        if self.options.streams.regex is None:
            raise UnsupportedError(
                "needs streams of regular expressions: name them in the description, see [streams]"
            )
        return self.options.streams.regex + self.new_stream("regex")

    def brief_stream(self) -> str:
        """The name of a stream of which little is retained: about `options.streams.brief_octets`.

        UnsupportedError if the run was not told of any.
        """
        if self.options.streams.brief is None:
            raise UnsupportedError("needs streams that lose their oldest messages: name them, see [streams]")
        return self.options.streams.brief + self.new_stream("brief")

    def connect(self, name: str, stream: str | None = None, routing_id: bytes = b"") -> Session:
        """A connection without a session; with a `routing_id` of its own choice if one is given.

        FailureError if the broker does not complete the ZMTP handshake.
        """
        self.keep_alive()
        peer = self.peer(name, routing_id)
        session = Session(self, name, peer, self.stream if stream is None else stream, routing_id)
        self.sessions.append(session)
        return session

    def session(self, name: str, stream: str | None = None) -> Session:
        """A connection attached to `stream`, by default the case's own."""
        session = self.connect(name, stream)
        session.attach()
        return session

    def reader(self, name: str, pattern: str = "", latest: int = ALL, stream: str | None = None) -> Session:
        """A session with one subscription and more credit than any case uses."""
        session = self.session(name, stream)
        session.subscribe(pattern, latest)
        session.grant(PLENTY)
        return session

    # Helpers ------------------------------------------------------------------------------------------------

    def cost(self, key: str, body: bytes, sequence: int = 1) -> int:
        """Octets of the DELIVER frame that brings `key` and `body`: its cost in credit (ZEPS-CREDIT-2)."""
        return self.codec.size("DELIVER", sequence=sequence, key=key, body=body)

    def messages(
        self, count: int, keys: tuple[str, ...] = ("key",), size: int = 20
    ) -> list[tuple[str, bytes]]:
        """`count` messages with `keys` in turn and bodies of about `size` octets that all differ."""
        return [(keys[index % len(keys)], b"%d:" % index + self.octets(size)) for index in range(count)]

    @staticmethod
    def items(messages: list[tuple[str, bytes]], first: int = 1) -> list[Item]:
        """`messages` as they are delivered if the first of them has sequence `first`."""
        return [Item(sequence, key, body) for sequence, (key, body) in enumerate(messages, first)]

    def fill(self, messages: list[tuple[str, bytes]], stream: str | None = None) -> list[Item]:
        """Publish `messages` to a stream that has none yet, over a session of its own that then detaches."""
        publisher = self.session("publisher", stream)
        publisher.publish_many(messages)
        publisher.barrier()
        publisher.detach()
        publisher.leave()
        return self.items(messages)

    def serve(self, session: Session, what: str) -> None:
        """Prove that `session` is served: it attaches to a new stream, subscribes, publishes, and gets its
        message.
        """
        body = self.octets(24)
        session.attach(self.new_stream("live"))
        session.subscribe()
        session.grant(self.cost("alive", body))
        session.publish("alive", body)
        session.expect_items([Item(1, "alive", body)])
        session.barrier()
        self.observe(what, "attached, subscribed, published, received")

    def control(self) -> Control:
        """The broker as a process. UnsupportedError if the suite did not start it."""
        if self.options.control is None:
            raise UnsupportedError("needs a broker that the suite starts itself: use --start")
        return self.options.control

    def close(self) -> None:
        """Close every connection."""
        for session in self.sessions:
            session.peer.close()
