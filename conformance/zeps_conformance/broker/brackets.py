"""The proofs of life round a case.

Without them a broker that hangs up on everything, or never says a word, would pass every case that only asks
it to refuse something. A negative case counts only if a session opened before it goes on undisturbed, and if
the offender, refused, can attach again and is served.
"""

from __future__ import annotations

from zeps_conformance.broker.session import PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial

__all__ = ["Witness", "finish"]


class Witness:
    """A session that has done nothing wrong. FailureError from any call if it is not served."""

    def __init__(self, trial: BrokerTrial) -> None:
        trial.step("Before: a witness attaches, subscribes, publishes and receives.")
        self._trial = trial
        self._count = 0
        self.session = trial.session("witness", trial.new_stream("witness"))
        self.session.subscribe()
        self.session.grant(PLENTY)
        self.prove("the witness is served before anything bad is sent")

    def prove(self, what: str) -> None:
        """The witness, in the session that it has, publishes and receives."""
        self._count += 1
        body = self._trial.octets(16)
        self.session.publish("witness", body)
        self.session.expect_items([Item(self._count, "witness", body)], "ZEPS-INVALID-4")
        self.session.barrier()
        self._trial.observe(what, f"its message {self._count} came back")


def finish(trial: BrokerTrial, witness: Witness | None) -> None:
    """No session has anything unexplained under way, and the broker still serves. FailureError if not so."""
    trial.step("After: nothing is left over, and the broker still serves.")
    for session in trial.sessions:
        if not session.left and session.attached and session.offended is False:
            session.quiet("everything that is due has come")
    if witness is None:
        newcomer = trial.connect("newcomer")
        trial.serve(newcomer, "a newcomer is served")
        return
    witness.prove("the witness noticed nothing")
    for session in trial.sessions:
        if session.offended and not session.left:
            trial.serve(session, f"{session.name}, refused, attaches again and is served")
