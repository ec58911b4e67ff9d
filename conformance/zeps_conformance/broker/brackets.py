"""Checks before and after a case that the broker serves valid sessions, and offenders that attach again. Otherwise a
broker that never answers would pass every case that only expects a refusal. Sessions to which a message must not go
receive nothing meanwhile: otherwise a broker that sends every message to every session would pass these cases.
"""

from __future__ import annotations

from zeps_conformance.broker.session import PLENTY, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.verdicts import FailureError, UnservedError

__all__ = ["Witness", "finish"]

KEY = "witness"
BEFORE = "the witness is served before any invalid input"
STRANGERS = {
    "another key": "ZEPS-SUBSCRIBE-15",
    "no key": "ZEPS-SUBSCRIBE-10",
    "another stream": "ZEPS-STREAM-1",
}
"""How the session that must receive nothing differs from the witness, and the rule that a message to it violates."""


class Witness:
    """A session with only valid input, attached and subscribed, and a second reader of its messages. Two further
    sessions receive nothing: one without credit, and one with another subscription, none, or another stream
    (:data:`STRANGERS`). Raises UnservedError if the witness is not served at first, and FailureError later.
    """

    def __init__(self, trial: BrokerTrial) -> None:
        trial.step(
            "Before: a witness attaches, subscribes, publishes and receives; a second reader receives."
        )
        self._trial = trial
        self._count = 0
        stream = trial.new_stream("witness")
        self._elsewhere = trial.rng.choice(list(STRANGERS))
        try:
            self.session = trial.reader("witness", KEY, stream=stream)
            self._second = trial.reader("second", KEY, stream=stream)
            self._unpaid = trial.reader("unpaid", KEY, stream=stream, credit=0)
            self._stranger = self._strange(stream)
            self._deliver(BEFORE)
        except FailureError as error:
            raise UnservedError(BEFORE, f"{error.expected}: {error.seen}") from error
        self._check_bystanders()

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The witness, the second reader, and those that must receive nothing."""
        return self.session, self._second, self._unpaid, self._stranger

    def prove(self, what: str) -> None:
        """Publishes a message in the witness's session, which must reach both readers and not the two further
        sessions. Records the delivery as the check `what`.
        """
        self._deliver(what)
        self._check_bystanders()

    def _deliver(self, what: str) -> None:
        self._count += 1
        item = Item(self._count, KEY, self._trial.random_bytes(16))
        self.session.publish(item.key, item.body)
        self.session.expect_items([item], "ZEPS-INVALID-4")
        self._second.expect_items([item], "ZEPS-INVALID-4")
        self.session.barrier()
        self._trial.observe(what, f"its message {self._count} was delivered to it and to a second reader")

    def _check_bystanders(self) -> None:
        for session, rule in (
            (self._unpaid, "ZEPS-CREDIT-1"),
            (self._stranger, STRANGERS[self._elsewhere]),
        ):
            session.barrier(rule)

    def _strange(self, stream: str) -> Session:
        if self._elsewhere == "another stream":
            return self._trial.reader("stranger", KEY, stream=self._trial.new_stream("stranger"))
        if self._elsewhere == "another key":
            return self._trial.reader("stranger", "stranger", stream=stream)
        session = self._trial.session("stranger", stream)
        session.grant(PLENTY)
        return session


def finish(trial: BrokerTrial, witness: Witness | None) -> None:
    """Checks that no attached session, except refused ones, has unexplained input, and that the broker still serves
    `witness` and every refused session, or, without a witness, a new client. Raises FailureError otherwise,
    UnservedError for a new client.
    """
    trial.step("After: no input is unexplained, and the broker still serves.")
    bystanders = () if witness is None else witness.sessions
    for session in trial.sessions:
        if not session.left and session.attached and session.offended is False and session not in bystanders:
            session.quiet("every due message has arrived")
    if witness is None:
        try:
            trial.serve(trial.connect("newcomer"), "a new client is served")
        except FailureError as error:
            raise UnservedError("a new client is served", f"{error.expected}: {error.seen}") from error
        return
    witness.prove("the witness was not affected")
    for session in trial.sessions:
        if session.offended and not session.left:
            trial.serve(session, f"{session.name}, refused, attaches again and is served")
