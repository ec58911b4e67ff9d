"""Checks around a case that valid peers are served; otherwise an implementation that only closes connections could
pass. A witness is a connection that sent only valid input: a barrier over it shows that it and the application are
served.
"""

from __future__ import annotations

from zeps_conformance.common.case import Polarity
from zeps_conformance.common.verdicts import CrashedError, FailureError, UnservedError
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["bracketed", "check_served"]


def bracketed(trial: SocketTrial) -> None:
    """Runs the case of `trial`, then checks a new peer; for a negative case also a witness, before and after it; at the
    end the referee judges all connections. Raises UnservedError if a check fails, RefereeError for a violation that
    only the referee saw, and RuntimeError if a negative case does not use the implementation's socket.
    """
    negative = trial.case.polarity is Polarity.NEGATIVE
    witnesses: list[Peer] = []

    def call_witness() -> None:
        witnesses.append(_prove(trial, "witness", None, "a witness is served before any invalid input"))

    if negative:
        trial.on_open = call_witness
    trial.begin()
    _run(trial)
    trial.step("After: other peers are not affected, and a new peer is served.")
    if negative and not witnesses:
        raise RuntimeError(
            "a negative case that does not use the implementation's socket does not have a witness"
        )
    for witness in witnesses:
        _prove(trial, "witness", witness, "the witness was not affected")
    _prove(trial, "newcomer", None, "a new peer is served")
    trial.judge_traffic()


def check_served(peer: Peer, rule: str) -> None:
    """Checks that `peer` passes a barrier. Raises FailureError under `rule` otherwise."""
    try:
        peer.barrier()
    except CrashedError:
        raise
    except UnservedError as error:
        raise FailureError(error.expected, error.seen, rule) from error


def _run(trial: SocketTrial) -> None:
    """Runs the case itself. A failure under an UNSPECIFIED rule or a MAY is recorded as an observation."""
    try:
        trial.case.function(trial)
    except UnservedError:
        raise
    except FailureError as error:
        error.rule = error.rule or trial.case.rules[0]
        if trial.level(error.rule) not in ("UNSPECIFIED", "MAY"):
            raise
        trial.check(False, error.expected, error.seen, error.rule)


def _prove(trial: SocketTrial, name: str, peer: Peer | None, what: str) -> Peer:
    """Checks that `peer`, or a new peer, is served, and returns it. Raises UnservedError otherwise."""
    try:
        peer = peer or trial.newcomer(name)
        peer.barrier()
    except CrashedError:
        raise
    except FailureError as error:
        raise UnservedError(what, f"{error.expected}: {error.seen}") from error
    trial.observe(what, "it passed a barrier")
    return peer
