"""The proofs of life round a case of an implementation.

Without them an implementation that hangs up on everything, or never says a word, would pass every case that only asks
it to refuse something. A witness is a connection that has done nothing wrong: a barrier over it shows that it and the
application are served.
"""

from __future__ import annotations

from zeps_conformance.common.case import Polarity
from zeps_conformance.common.verdicts import FailureError, UnservedError
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["bracketed"]


def bracketed(trial: SocketTrial) -> None:
    """Run the case of `trial` between its proofs. FailureError if it fails, or if somebody is not served."""
    negative = trial.case.polarity is Polarity.NEGATIVE
    witnesses: list[Peer] = []

    def call_witness() -> None:
        witnesses.append(_prove(trial, "witness", None, "a witness is served before anything bad is sent"))

    if negative:
        trial.on_open = call_witness
    trial.begin()
    _run(trial)
    trial.step("After: nobody else was harmed, and a newcomer is served.")
    if negative and not witnesses:
        raise RuntimeError("a negative case that never used the implementation's socket has no witness")
    for witness in witnesses:
        _prove(trial, "witness", witness, "the witness noticed nothing")
    _prove(trial, "newcomer", None, "a newcomer is served")


def _run(trial: SocketTrial) -> None:
    """The case itself. Where the rules leave open what happens, that it goes otherwise than expected is observed."""
    try:
        trial.case.function(trial)
    except UnservedError:
        raise
    except FailureError as error:
        error.rule = error.rule or trial.case.rules[0]
        if trial.level(error.rule) != "UNSPECIFIED":
            raise
        trial.check(False, error.expected, error.seen, error.rule)


def _prove(trial: SocketTrial, name: str, peer: Peer | None, what: str) -> Peer:
    """`peer`, or a new one, shows that it is served. UnservedError if it is not."""
    try:
        peer = peer or trial.newcomer(name)
        peer.barrier()
    except FailureError as error:
        raise UnservedError(what, f"{error.expected}: {error.seen}", error.rule) from error
    trial.observe(what, "a message of a topic of its own arrived")
    return peer
