"""Checks before and after a case that the broker serves valid sessions, and offenders that attach again. Otherwise a
broker that never answers would pass every case that only expects a refusal.
"""

from __future__ import annotations

from zeps_conformance.broker.session import PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial

__all__ = ["Witness", "finish"]


class Witness:
    """A session with only valid input, attached and subscribed. Methods raise FailureError if it is not served."""

    def __init__(self, trial: BrokerTrial) -> None:
        trial.step("Before: a witness attaches, subscribes, publishes and receives.")
        self._trial = trial
        self._count = 0
        self.session = trial.session("witness", trial.new_stream("witness"))
        self.session.subscribe()
        self.session.grant(PLENTY)
        self.prove("the witness is served before any invalid input")

    def prove(self, what: str) -> None:
        """Publishes and receives a message in the witness's session, and records that as the check `what`."""
        self._count += 1
        body = self._trial.random_bytes(16)
        self.session.publish("witness", body)
        self.session.expect_items([Item(self._count, "witness", body)], "ZEPS-INVALID-4")
        self.session.barrier()
        self._trial.observe(what, f"its message {self._count} was delivered")


def finish(trial: BrokerTrial, witness: Witness | None) -> None:
    """Checks that no attached session, except refused ones, has unexplained input, and that the broker still serves
    `witness`, or a new client without one, and every refused session. Raises FailureError otherwise.
    """
    trial.step("After: no input is unexplained, and the broker still serves.")
    for session in trial.sessions:
        if not session.left and session.attached and session.offended is False:
            session.quiet("every due message has arrived")
    if witness is None:
        newcomer = trial.connect("newcomer")
        trial.serve(newcomer, "a new client is served")
        return
    witness.prove("the witness was not affected")
    for session in trial.sessions:
        if session.offended and not session.left:
            trial.serve(session, f"{session.name}, refused, attaches again and is served")
