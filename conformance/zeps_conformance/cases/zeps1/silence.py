"""Sessions that are silent, for the cases of several sections."""

from __future__ import annotations

from zeps_conformance.broker.session import NEW, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.verdicts import OutOfTimeError

__all__ = ["mute", "patience_for_silence", "say", "too_patient"]


def patience_for_silence(t: BrokerTrial) -> float:
    """Returns the seconds to wait for the broker to end a session, and extends the case's time limit by them. Raises
    UnsupportedError if the broker's timeout is known to be longer than the run's patience.
    """
    known = t.options.client_timeout
    if known is not None and known > t.options.patience:
        t.unsupported(
            f"the broker's timeout of {known:g} s is longer than the patience of {t.options.patience:g} s"
        )
    limit = t.options.patience if known is None else known * 1.5 + 2
    t.allow(limit)
    return limit


def mute(t: BrokerTrial, name: str, pattern: str) -> Session:
    """Returns a session that receives new messages of `pattern`, and sends nothing by itself, not even PING-OK."""
    session = t.reader(name, pattern, NEW)
    session.answers_pings = False
    return session


def too_patient(waited: float) -> OutOfTimeError:
    """Returns the exception for a broker whose timeout is not known and longer than the run's patience."""
    return OutOfTimeError(
        f"a silent session is still served after {waited:.0f} s; if the broker's timeout is longer, set it with "
        "--client-timeout, and raise --patience"
    )


def say(t: BrokerTrial, name: str, talker: Session) -> None:
    """Sends one command of the given name."""
    if name == "PING":
        talker.barrier()
    elif name == "SUBSCRIBE":
        talker.subscribe("mark.", NEW)
    elif name == "CREDIT":
        talker.grant(1)
    elif name == "PUBLISH":
        talker.publish("noise", b"")
    else:
        talker.send(name)
