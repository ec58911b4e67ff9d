"""The proofs of life round a case of a testee.

Without them an implementation that hangs up on everything, or never says a word, would pass every case that only asks
it to refuse something. A witness is a connection that has done nothing wrong: a barrier over it shows that it and the
application are served.
"""

from __future__ import annotations

from zeps_conformance.case import Polarity
from zeps_conformance.pubsub.peer import Peer
from zeps_conformance.pubsub.proxy import ProxyTrial
from zeps_conformance.pubsub.trial import Trial
from zeps_conformance.verdicts import FailureError, UnservedError

__all__ = ["bracketed"]

PUBLISHERS = ("PUB", "XPUB")


def bracketed(trial: Trial | ProxyTrial) -> None:
    """Run the case of `trial` between its proofs. FailureError if it fails, or if somebody is not served."""
    negative = trial.case.polarity is Polarity.NEGATIVE
    witnesses: list[Peer] = []

    def call_witness() -> None:
        witnesses.append(_prove(trial, "witness", None, "a witness is served before anything bad is sent"))

    if negative:
        trial.on_open = call_witness
    _run(trial)
    trial.step("After: nobody else was harmed, and a newcomer is served.")
    if negative and not witnesses:
        raise RuntimeError("a negative case that never used the testee's socket has no witness")
    for witness in witnesses:
        _prove(trial, "witness", witness, "the witness noticed nothing")
    _prove(trial, "newcomer", None, "a newcomer is served")


def _run(trial: Trial | ProxyTrial) -> None:
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


def _prove(trial: Trial | ProxyTrial, name: str, peer: Peer | None, what: str) -> Peer:
    """`peer`, or a new one, shows that it is served. UnservedError if it is not."""
    try:
        peer = peer or _newcomer(trial, name)
        peer.barrier()
    except FailureError as error:
        raise UnservedError(what, f"{error.expected}: {error.seen}", error.rule) from error
    trial.observe(what, "a message of a topic of its own arrived")
    return peer


def _newcomer(trial: Trial | ProxyTrial, name: str) -> Peer:
    """A peer of the other kind than the testee's socket, which is a fresh one if the case has closed it."""
    if isinstance(trial, ProxyTrial):
        return trial.subscriber(name)
    app = trial.app if trial.app.is_open else trial.socket(name)
    if trial.type in PUBLISHERS:
        endpoint = trial.endpoint if app is trial.app else app.bind()
        return trial.subscriber(name, endpoint=endpoint, opposite=app)
    listener = trial.listener()
    app.connect(listener.endpoint)
    return listener.publisher(name, opposite=app)
