"""One attempt at one case: its connections, its streams, its narration and its clock."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

from zeps_conformance.case import Case
from zeps_conformance.interpreter import Interpreter
from zeps_conformance.options import Control, Options
from zeps_conformance.raw.peer import ConnectionLostError, Peer
from zeps_conformance.raw.wirelog import WireLog
from zeps_conformance.referee import Ledger
from zeps_conformance.session import ALL, PLENTY, Item, Session
from zeps_conformance.verdicts import FailureError, OutOfTimeError, UnsupportedError

__all__ = ["Check", "Step", "Trial"]

CHECKS_KEPT = 12
TIME_LIMIT = 30.0  # seconds that a case may take besides what it waits for on purpose


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at: what the rules expect, what was seen, and whether they agree."""

    expected: str
    seen: str
    ok: bool


@dataclass(slots=True)
class Step:
    """A sentence of the narration, with its time in seconds since the case began and the checks under it.

    `unlisted` counts checks that passed and are not kept.
    """

    text: str
    at: float
    checks: list[Check] = field(default_factory=list)
    unlisted: int = 0


class Trial:
    """What a case function is given."""

    def __init__(self, case: Case, codec: Interpreter, options: Options, limit: float = TIME_LIMIT) -> None:
        self.case = case
        self.codec = codec
        self.options = options
        self.log = WireLog()
        self.ledger = Ledger()
        self.rng = random.Random(f"{options.seed}/{case.id}")
        self.steps: list[Step] = []
        self.sessions: list[Session] = []
        self._deadline = time.monotonic() + limit
        self._streams = 0
        self.stream = self.new_stream()

    # Narration ----------------------------------------------------------------------------------------------

    def step(self, sentence: str) -> None:
        """Say what happens next. The checks that follow belong to it."""
        self.steps.append(Step(sentence, self.log.elapsed()))

    def observe(self, expected: str, seen: str) -> None:
        """Record something that was as expected."""
        self._record(Check(expected, seen, True))

    def check(self, ok: bool, expected: str, seen: str, rule: str | None = None) -> None:
        """Record a check. FailureError under `rule`, or the case's first, if it is not `ok`."""
        if not ok:
            raise FailureError(expected, seen, rule)
        self.observe(expected, seen)

    def record_failure(self, error: FailureError) -> None:
        """Put a failure into the narration, under the step that it happened in."""
        self._record(Check(error.expected, error.seen, False))

    def unsupported(self, reason: str) -> None:
        """Give up: a probe showed that the case cannot be tried.

        Never called because something went wrong.
        """
        raise UnsupportedError(reason)

    # Time ---------------------------------------------------------------------------------------------------

    def within(self, timeout: float) -> float:
        """`timeout`, or what is left of the case's time if that is less. OutOfTimeError if none is left."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTimeError("the case took longer than it may")
        return min(timeout, left)

    def allow(self, seconds: float) -> None:
        """Give the case `seconds` more."""
        self._deadline += seconds

    def keep_alive(self) -> None:
        """Keep the sessions that have nothing to say from being forgotten, as any client would."""
        known = self.options.client_timeout
        for session in self.sessions:
            session.keep_alive(1.0 if known is None else min(1.0, known / 4))

    # Connections --------------------------------------------------------------------------------------------

    def new_stream(self, label: str = "s") -> str:
        """The name of a stream that nothing else uses."""
        self._streams += 1
        return f"conform/{self.options.nonce}/{self.case.id}/{label}{self._streams}"

    def connect(self, name: str, stream: str | None = None) -> Session:
        """A connection without a session. FailureError if the broker does not complete the ZMTP handshake."""
        options = self.options
        self.keep_alive()
        try:
            peer = Peer.connect(
                options.endpoint, name, self.log, self.codec.render, self.within(options.timeout)
            )
        except ConnectionLostError as error:
            raise FailureError(
                "the broker accepts a connection and completes the handshake", str(error)
            ) from error
        session = Session(self, name, peer, self.stream if stream is None else stream)
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

    def dial(self, name: str) -> Peer:
        """A connection on which nothing was said, for what lies below the protocol.

        FailureError if refused.
        """
        options = self.options
        try:
            return Peer.dial(
                options.endpoint, name, self.log, self.codec.render, self.within(options.timeout)
            )
        except ConnectionLostError as error:
            raise FailureError("the broker accepts a connection", str(error)) from error

    # Helpers ------------------------------------------------------------------------------------------------

    def cost(self, key: str, body: bytes, sequence: int = 1) -> int:
        """Octets of the DELIVER frame that brings `key` and `body`: its cost in credit (ZEPS-CREDIT-2)."""
        return self.codec.size("DELIVER", sequence=sequence, key=key, body=body)

    def octets(self, size: int) -> bytes:
        """`size` octets of any value, the same for the same seed."""
        return self.rng.randbytes(size)

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

    def _record(self, check: Check) -> None:
        if not self.steps:
            self.step("To begin with.")
        step = self.steps[-1]
        if check.ok and len(step.checks) >= CHECKS_KEPT:
            step.unlisted += 1
        else:
            step.checks.append(check)
